import type { EndReason } from '../deliveries/end-reasons.rules.ts';
import { type Priority, priorities, priorityOf } from '../deliveries/priority.rules.ts';
import type { DestinationKind, Filter } from '../destinations/destination-kind.types.ts';

/** Some numbers of an account's log: those after `low`, up to and with `high`. */
export interface Range {
  readonly accountId: string;
  readonly low: number;
  readonly high: number;
}

export const countOfRange = ({ low, high }: Range): number => Math.max(0, high - low);

/**
 * Takes from the ranges, in their order, as many events as one statement proves. The last range may be taken in part.
 * @returns what is taken, and whether that is all
 */
export function takeRanges(ranges: readonly Range[], eventsMax: number): { taken: Range[]; all: boolean } {
  const taken: Range[] = [];
  let left = eventsMax;
  for (const range of ranges) {
    if (left === 0) return { taken, all: false };
    const part = { ...range, high: Math.min(range.high, range.low + left) };
    taken.push(part);
    left -= countOfRange(part);
    if (part.high < range.high) return { taken, all: false };
  }
  return { taken, all: true };
}

/** The numbers of the range that no event has. */
export function missingFrom(range: Range, found: readonly number[]): number[] {
  const have = new Set(found);
  const missing: number[] = [];
  for (let sequence = range.low + 1; sequence <= range.high; sequence += 1)
    if (!have.has(sequence)) missing.push(sequence);
  return missing;
}

/** What is known of a delivery whose row was missing. */
export interface LostDelivery {
  /** It is in one of the tables, after all or again. */
  readonly isBack: boolean;
  /** Null when its event is lost as well. */
  readonly eventName: string | null;
  readonly hasBody: boolean;
  /** Null when the endpoint was removed. */
  readonly endpoint: (Filter & { readonly kind: DestinationKind }) | null;
}

export type Remade =
  | { readonly status: 'pending'; readonly priority: Priority }
  | { readonly status: 'canceled' | 'filtered' | 'failed'; readonly reason: EndReason };

/**
 * As what a lost delivery is made again; null when nothing is to be made. What had become of it is not known. So it is
 * sent, for the second time perhaps and under the same `webhook-id`, unless the endpoint does not want it or the body is
 * gone. A delivery for an endpoint that is off is `pending` as well: the claim holds it, and a change of the endpoint at
 * this moment cannot pass it by.
 */
export function remadeAs({ isBack, eventName, hasBody, endpoint }: LostDelivery): Remade | null {
  if (isBack || eventName === null) return null;
  if (endpoint === null) return { status: 'canceled', reason: 'removed' };
  if (!endpoint.kind.takesName(endpoint, eventName)) return { status: 'filtered', reason: 'filtered' };
  if (!hasBody) return { status: 'failed', reason: 'expired' };
  const priority = endpoint.kind.isAsUrgentAsEvent ? priorityOf(eventName) : priorities.other;
  return { status: 'pending', priority };
}
