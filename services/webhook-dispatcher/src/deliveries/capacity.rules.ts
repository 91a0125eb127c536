/**
 * How many requests may be in flight, and how many deliveries this process takes from the database.
 *
 * Each endpoint belongs to a group by what its last exchanges say, and each group has slots of its own, so that what is
 * slow takes nothing from what is quick, and what hangs or fails takes nothing from what works, quick or slow:
 * - `quick`    answered within a second
 * - `slow`     answered later than that: it works, and keeps its share
 * - `new`      has not answered yet
 * - `failing`  its breaker is open: one request at a time, until one succeeds
 *
 * A request that takes far longer than its endpoint usually does is overdue and holds no slot any more. An endpoint with
 * an overdue request and no success since that began has stalled: it starts nothing until an answer comes. So 300
 * endpoints that hang cost 300 connections, and nobody's slot for longer than a second.
 */
export type Group = 'quick' | 'slow' | 'new' | 'failing';
export const groups: readonly Group[] = ['quick', 'slow', 'new', 'failing'];

/** Requests in flight of all endpoints of a group, without the overdue ones. */
export const slotsOfGroup: Readonly<Record<Group, number>> = { quick: 128, slow: 128, new: 64, failing: 64 };
/** Overdue requests of all endpoints; beyond that no endpoint that is new or fails is tried. Each is a connection. */
export const overdueMax = 1_024;
export const slowAfterMs = 1_000;

/** What is known of an endpoint from its exchanges. */
export interface Health {
  /** Of the last success, and smoothed; null before the first. */
  readonly tookMs: number | null;
  readonly usualMs: number | null;
  /** In a row. */
  readonly failures: number;
  /** The last exchange failed after it was overdue. */
  readonly hung: boolean;
}

export const unknownHealth: Health = { tookMs: null, usualMs: null, failures: 0, hung: false };

export function healthAfter(before: Health, tookMs: number, failed: boolean): Health {
  if (failed) return { ...before, failures: before.failures + 1, hung: tookMs > overdueAfterMs(before) };
  const usualMs = before.usualMs === null ? tookMs : before.usualMs * 0.7 + tookMs * 0.3;
  return { tookMs, usualMs, failures: 0, hung: false };
}

/** A slow endpoint may take twice its usual time; of any other a second is all that others can wait. */
export function overdueAfterMs(health: Health): number {
  return Math.max(slowAfterMs, groupOf(health) === 'slow' ? 2 * (health.usualMs ?? 0) : 0);
}

/** Failures in a row that open the breaker; one is enough when it hung, which costs a slot for a second. */
const failuresMax = 5;

export function isBreakerOpen({ hung, failures }: Health): boolean {
  return hung || failures >= failuresMax;
}

export function groupOf(health: Health): Group {
  if (isBreakerOpen(health)) return 'failing';
  if (health.tookMs === null) return 'new';
  return health.tookMs > slowAfterMs ? 'slow' : 'quick';
}

/** Requests in flight to one endpoint: one probe while the breaker is open, one spare after a failure, else 16. */
export function slotsOf(health: Health): number {
  if (isBreakerOpen(health)) return 1;
  if (health.failures > 0) return 2;
  return health.tookMs === null ? 4 : 16;
}

/** What waits in memory should be gone in two seconds, far within its lease; more stays in the database. */
const drainMs = 2_000;
const newCapacity = 16;
const capacityMax = 256;

/** Deliveries of one endpoint in this process, those in flight included. */
export function capacityOf(health: Health): number {
  if (isBreakerOpen(health)) return 1;
  if (health.usualMs === null) return newCapacity;
  const slots = slotsOf(health);
  return Math.min(capacityMax, Math.max(slots, Math.floor((slots * drainMs) / Math.max(1, health.usualMs))));
}

/** Deliveries are up to 100 KiB: 16 for each quick slot are 200 MiB at the very worst, and 2 MiB as they usually are. */
const waitingPerSlotMax = 16;
const waitingPerSlotMin = 2;

/**
 * Deliveries of a whole group that may wait in memory: what its slots send in the drain time. Of endpoints that are new
 * or fail nobody knows how long they take.
 * @param usualMs smoothed duration of the group's exchanges
 */
export function waitingMaxOf(group: Group, usualMs: number): number {
  const slots = slotsOfGroup[group];
  if (group === 'failing') return slots;
  if (group === 'new') return slots * 4;
  const perSlot = drainMs / Math.max(1, usualMs);
  return Math.floor(slots * Math.min(waitingPerSlotMax, Math.max(waitingPerSlotMin, perSlot)));
}
