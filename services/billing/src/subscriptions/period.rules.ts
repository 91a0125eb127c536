export type BillingInterval = 'month' | 'year';

/**
 * The end of period n (1 is the first): n intervals after the anchor, on the anchor's day at the anchor's time (UTC), or on
 * the last day of a month that is too short. It is counted from the anchor and not from the period before, so that a short
 * month does not move later ends: 31 Jan, 28 or 29 Feb, 31 Mar.
 */
export function nthPeriodEnd(anchor: Date, interval: BillingInterval, n: number): Date {
  const end = new Date(anchor);
  // The first exists in every month; the day is set after the month.
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + n * (interval === 'year' ? 12 : 1));
  end.setUTCDate(Math.min(anchor.getUTCDate(), daysInMonth(end.getUTCFullYear(), end.getUTCMonth())));
  return end;
}

/** The first n, from 1 on, whose period ends after `time`. */
export function periodAt(anchor: Date, interval: BillingInterval, time: Date): number {
  const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
  const months = monthOf(time) - monthOf(anchor);
  // Period n ends in the month that is n intervals after the anchor's: at this n that month is not after the time's.
  let n = Math.max(1, Math.floor(months / (interval === 'year' ? 12 : 1)));
  while (nthPeriodEnd(anchor, interval, n) <= time) n += 1;
  return n;
}

/** Day 0 of a month is the last of the month before. */
const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** The beginning of the UTC day that comes so many days after `at`. */
export function dayAfter(at: Date, days: number): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + days));
}

/**
 * When a period that is due at `dueAt` may be charged: one period at most is charged for each subscription and UTC day.
 * @param paidAt when the period before it was charged; null where that is not known, or nothing was charged for it here
 */
export function chargedFrom(dueAt: Date, paidAt: Date | null): Date {
  const next = paidAt === null ? dueAt : dayAfter(paidAt, 1);
  return next > dueAt ? next : dueAt;
}
