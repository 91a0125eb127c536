import { capacityOf, type Group, groupOf, type Health, slotsOf, unknownHealth } from './capacity.rules.ts';
import type { Delivery, Destination } from './delivery.types.ts';
import type { HostRate } from './host-rates.ts';
import { type Counts, hasShare, noCounts, type Priority, priorityOrder } from './priority.rules.ts';

/** One endpoint's deliveries in this process. */
export interface EndpointQueue {
  destination: Destination;
  /** By priority; each oldest first. */
  readonly byPriority: readonly [Delivery[], Delivery[], Delivery[]];
  readonly waiting: Counts;
  readonly inFlight: Counts;
  /** Requests of more urgent priorities that began while one of this priority waited. */
  readonly skipped: Counts;
  /** Those in flight that gave up their slot. */
  overdue: number;
  /** A request is overdue and nothing has succeeded since it began. */
  stalled: boolean;
  health: Health;
  /** Shared with the account's other endpoints at the same host; null where no bound holds. */
  rate: HostRate | null;
  /** The group that counts `waiting`. */
  group: Group;
  succeededAtMs: number;
  usedAtMs: number;
  /** The set of its group's `ready` that has it; undefined while it may start no request. */
  readySet: Set<EndpointQueue> | undefined;
}

export const newQueue = (destination: Destination): EndpointQueue => ({
  destination,
  byPriority: [[], [], []],
  waiting: noCounts(),
  inFlight: noCounts(),
  skipped: noCounts(),
  overdue: 0,
  stalled: false,
  health: unknownHealth,
  rate: null,
  group: destination.channel === 'email' ? 'email' : groupOf(unknownHealth),
  succeededAtMs: Number.NEGATIVE_INFINITY,
  usedAtMs: performance.now(),
  readySet: undefined,
});

export const groupOfQueue = ({ destination, stalled, health }: EndpointQueue): Group =>
  destination.channel === 'email' ? 'email' : stalled ? 'breaker-open' : groupOf(health);

export const capacityOfQueue = (queue: EndpointQueue): number => (queue.stalled ? 0 : capacityOf(queue.health));

/** The deliveries that the process has of the endpoint. */
export const waitingAndInFlight = ({ waiting, inFlight }: EndpointQueue): Counts => [
  waiting[0] + inFlight[0],
  waiting[1] + inFlight[1],
  waiting[2] + inFlight[2],
];

export const mayStart = (queue: EndpointQueue, priority: Priority): boolean =>
  queue.byPriority[priority].length > 0 && hasShare(slotsOf(queue.health), queue.inFlight, priority);

/** A stalled queue is empty, because its deliveries were released. */
export function nextPriorityOf(queue: EndpointQueue): Priority | undefined {
  if (queue.waiting[0] === 0) return undefined;
  for (const priority of priorityOrder) if (mayStart(queue, priority)) return priority;
  return undefined;
}
