/**
 * How many requests an endpoint may have under way, and how many deliveries may wait for it in memory.
 *
 * All requests share two groups of slots. A request of an endpoint that answers quickly takes a quick slot, and keeps
 * it for a second at most: then it moves to the slow group, and so does its endpoint, until an answer is quick again.
 * So whatever hangs, the quick group frees its slots within a second and nobody's quick endpoint waits for another's.
 */
export const quickSlots = 128;
export const slowSlots = 128;
export const slowAfterMs = 1_000;

/** What is known of an endpoint from its last exchange. */
export interface Pace {
  readonly tookMs: number;
  readonly failed: boolean;
  /** Smoothed duration. */
  readonly usualMs: number;
}

export function paceAfter(before: Pace | undefined, tookMs: number, failed: boolean): Pace {
  return { tookMs, failed, usualMs: before === undefined ? tookMs : before.usualMs * 0.7 + tookMs * 0.3 };
}

/** Requests under way to one endpoint: a few until it has answered once, one spare to a failing one, then 16. */
export function slotsOf(pace: Pace | undefined): number {
  if (pace === undefined) return 4;
  return pace.failed ? 2 : 16;
}

/** What waits in memory should be gone in two seconds, far within its lease; more stays in the database. */
const drainMs = 2_000;
const unprovenCapacity = 64;
const capacityMax = 256;

/** Deliveries of one endpoint held in memory at once, those under way included. */
export function capacityOf(pace: Pace | undefined): number {
  if (pace === undefined) return unprovenCapacity;
  const slots = slotsOf(pace);
  return Math.min(capacityMax, Math.max(slots, Math.floor((slots * drainMs) / Math.max(1, pace.usualMs))));
}
