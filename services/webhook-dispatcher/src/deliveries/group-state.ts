import type { EndpointQueue } from './endpoint-queue.ts';
import { type Counts, noCounts } from './priority.rules.ts';

/** Queues that may start a request, by the priority of their next delivery; each in the order of their arrival. */
type Ready = readonly [Set<EndpointQueue>, Set<EndpointQueue>, Set<EndpointQueue>];

/** One group's part of this process. */
export interface GroupState {
  readonly slotsTaken: Counts;
  readonly waiting: Counts;
  /** Requests of more urgent priorities that began while a queue was ready with this priority. */
  readonly skipped: Counts;
  readonly ready: Ready;
  /** Moving average over the exchanges. */
  meanMs: number;
}

export const newGroup = (): GroupState => ({
  slotsTaken: noCounts(),
  waiting: noCounts(),
  skipped: noCounts(),
  ready: [new Set(), new Set(), new Set()],
  meanMs: 0,
});
