/**
 * How many requests may be in flight, and how many deliveries this process claims from the database.
 *
 * The last exchanges of an endpoint decide its group. Each group has slots of its own, so that a slow endpoint takes
 * nothing from a quick one, and an endpoint that hangs or fails takes nothing from one that works, quick or slow:
 * - `quick`         its last success took at most a second
 * - `slow`          its last success took longer: it works, and keeps its part of the slots
 * - `new`           nothing has succeeded yet
 * - `breaker-open`  its circuit breaker is open in this process: one request at a time, until one succeeds; and while it
 *                   has stalled
 * - `email`         an automation that sends emails, however it goes: all of them wait for one mail server
 *
 * A request that takes far longer than its endpoint usually does is overdue and gives up its slot. An endpoint with an
 * overdue request and no success since that request began has stalled: it gets no further request until one succeeds or all its overdue requests have ended. So
 * 300 endpoints that hang cost 300 connections, and each of them gives up its slot after little more than a second.
 *
 * Without groups, beside 32 endpoints that hang, the delivery of one that works waits for 1.25 s instead of at most 0.1 s, and 2,000
 * that never answer hold 2,176 connections instead of at most 1,152. Without overdue requests one that hangs keeps its slots for
 * the whole time of an attempt, and its group waits for it (delivery-scheduler.test.ts).
 */
export type Group = 'quick' | 'slow' | 'new' | 'breaker-open' | 'email';
export const groups: readonly Group[] = ['quick', 'slow', 'new', 'breaker-open', 'email'];

/**
 * Requests in flight to all endpoints of a group, without the overdue ones. Emails are never overdue: those that hang keep
 * their slots, because mail servers refuse clients with many connections. Automations get half of the slots by their
 * priority (priority.rules.ts), so eight emails are under way at once.
 */
export const slotsOfGroup: Readonly<Record<Group, number>> = {
  quick: 128,
  slow: 128,
  new: 64,
  'breaker-open': 64,
  email: 16,
};
/**
 * Each overdue request is an open connection. At this many, new endpoints and those with an open breaker get no further
 * request.
 */
export const overdueMax = 1_024;
const slowAfterMs = 1_000;

/** Latency statistics of one endpoint, and its failures. */
export interface Health {
  /** How long the last success took; null before the first. */
  readonly lastMs: number | null;
  /** Moving average over the successes; null before the first. */
  readonly meanMs: number | null;
  /** Failures since the last success. */
  readonly failures: number;
  /** The last exchange failed after it was overdue. */
  readonly hung: boolean;
}

export const unknownHealth: Health = { lastMs: null, meanMs: null, failures: 0, hung: false };

/** The statistics after one more exchange, which took `durationMs`. */
export function healthAfter(before: Health, durationMs: number, failed: boolean): Health {
  if (failed) return { ...before, failures: before.failures + 1, hung: durationMs > overdueAfterMs(before) };
  const meanMs = before.meanMs === null ? durationMs : before.meanMs * 0.7 + durationMs * 0.3;
  return { lastMs: durationMs, meanMs, failures: 0, hung: false };
}

/** A slow endpoint may take twice its mean; any other endpoint may keep a slot for a second. */
export function overdueAfterMs(health: Health): number {
  return Math.max(slowAfterMs, groupOf(health) === 'slow' ? 2 * (health.meanMs ?? 0) : 0);
}

/** Failures in a row that open the breaker. One request that hung opens it too, because it cost a slot for a second. */
export const breakerOpensAfter = 5;

function isBreakerOpen({ hung, failures }: Health): boolean {
  return hung || failures >= breakerOpensAfter;
}

export function groupOf(health: Health): Group {
  if (isBreakerOpen(health)) return 'breaker-open';
  if (health.lastMs === null) return 'new';
  return health.lastMs > slowAfterMs ? 'slow' : 'quick';
}

/** Requests in flight to one endpoint: 1 while the breaker is open, 2 after a failure, 4 before the first success. */
export function slotsOf(health: Health): number {
  if (isBreakerOpen(health)) return 1;
  if (health.failures > 0) return 2;
  return health.lastMs === null ? 4 : 16;
}

/** Deliveries wait in memory for about two seconds, which is far less than a lease; the others stay in the database. */
const drainMs = 2_000;
const newCapacity = 16;
const capacityMax = 256;

/** Deliveries of one endpoint that this process holds at most, those in flight included. */
export function capacityOf(health: Health): number {
  if (isBreakerOpen(health)) return 1;
  if (health.meanMs === null) return newCapacity;
  const slots = slotsOf(health);
  return Math.min(capacityMax, Math.max(slots, Math.floor((slots * drainMs) / Math.max(1, health.meanMs))));
}

/** A delivery has at most 100 KiB: 16 for each quick slot are 200 MiB at the very worst, and usually 2 MiB. */
const waitingPerSlotMax = 16;
const waitingPerSlotMin = 2;

/**
 * Deliveries of a whole group that may wait in memory: as many as its slots send in the drain time. The latency of new
 * endpoints and of those with an open breaker is unknown, so these groups have fixed limits.
 * @param meanMs moving average over the group's exchanges
 */
export function waitingMaxOf(group: Group, meanMs: number): number {
  const slots = slotsOfGroup[group];
  if (group === 'breaker-open') return slots;
  if (group === 'new') return slots * 4;
  const perSlot = drainMs / Math.max(1, meanMs);
  return Math.floor(slots * Math.min(waitingPerSlotMax, Math.max(waitingPerSlotMin, perSlot)));
}
