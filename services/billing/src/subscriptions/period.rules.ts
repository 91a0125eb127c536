export type BillingInterval = 'month' | 'year';

/**
 * The end of period n (1 is the first): n intervals after the anchor, on the anchor's day at the anchor's time (UTC),
 * or on the month's last day where the month is too short for it. Always from the anchor, so that a short month
 * leaves no trace: 31 Jan, 28 or 29 Feb, 31 Mar.
 */
export function nthPeriodEnd(anchor: Date, interval: BillingInterval, n: number): Date {
  const end = new Date(anchor);
  // The first of the month exists in every month; the day is put back after the move.
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + n * (interval === 'year' ? 12 : 1));
  end.setUTCDate(Math.min(anchor.getUTCDate(), daysInMonth(end.getUTCFullYear(), end.getUTCMonth())));
  return end;
}

/** Day 0 of a month is the last of the month before. */
const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
