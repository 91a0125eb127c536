/**
 * The smaller number is the more urgent priority: it goes first, within an endpoint and among endpoints.
 *
 * The arithmetic, for whatever has room for `whole`: the slots of an endpoint or of a group of endpoints, and what each
 * of them may hold in memory.
 * - Each priority and those below it have at most half of what the one before has: 16 slots of an endpoint are 16, 8
 *   and 4. However many recoveries and tests there are, three quarters of the slots are free of them, and half are free
 *   of everything that is not about money.
 * - Nothing starves. In memory a priority that is not the first may always hold a part of 1/32, also when more urgent
 *   ones fill the room. While one waits, it gets at least one of 33 requests of its endpoint, and its endpoint one of 33
 *   of its group: with both less urgent priorities waiting everywhere, that is an eighth of all requests at most.
 *
 * Without the shares recoveries and tests take every slot, and an event of money waits until one of them ends. Without what is
 * kept for those that starve, automations and recoveries are not sent at all while more events of money wait than can be sent
 * (delivery-scheduler.test.ts).
 */
export const priorities = {
  /** Events of money. */
  money: 0,
  /** Runs of automations, and emails of a funnel that are pushed by the hundred. */
  other: 1,
  /** What is redelivered or recovered, and tests. */
  resent: 2,
} as const;
export type Priority = (typeof priorities)[keyof typeof priorities];
export const priorityOrder: readonly Priority[] = [0, 1, 2];

export const priorityOf = (eventName: string): Priority =>
  eventName === 'funnel.email.sync' ? priorities.other : priorities.money;

/** A count for each priority, together with all less urgent ones: the first is the sum of all. */
export type Counts = [number, number, number];
export const noCounts = (): Counts => [0, 0, 0];

export function addTo(counts: Counts, priority: Priority, count: number): void {
  counts[0] += count;
  if (priority > 0) counts[1] += count;
  if (priority > 1) counts[2] += count;
}

const shareOf = (whole: number, priority: Priority): number => Math.max(1, whole >> priority);

/** Whether one more of the priority may be among those that are counted. */
export function hasShare(whole: number, counts: Counts, priority: Priority): boolean {
  if (counts[0] >= whole) return false;
  if (priority > 0 && counts[1] >= shareOf(whole, 1)) return false;
  return priority < 2 || counts[2] < shareOf(whole, 2);
}

/** One in so many is kept for each priority that would starve otherwise. */
const reservedPart = 32;

/** How many of exactly this priority are counted. */
export const countOf = (counts: Counts, priority: Priority): number =>
  priority === 0 ? counts[0] - counts[1] : priority === 1 ? counts[1] - counts[2] : counts[2];

/**
 * How many more of the priority may be held. A room for one has no reserve: the one request to an endpoint that fails
 * belongs to its most urgent priority.
 */
export function roomFor(whole: number, held: Counts, priority: Priority): number {
  const left = whole - held[0];
  if (priority === 0) return Math.max(0, left);
  let share = shareOf(whole, 1) - held[1];
  if (priority === 2) share = Math.min(share, shareOf(whole, 2) - held[2]);
  const reserved = whole > 1 ? Math.ceil(whole / reservedPart) - countOf(held, priority) : 0;
  return Math.max(0, Math.min(left, share), reserved);
}

/** Whether a priority waited through so many requests of more urgent ones that the next request is its own. */
export const isStarved = (skipped: number): boolean => skipped >= reservedPart;
