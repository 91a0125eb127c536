import { dayMs } from '@app/contracts/durations';
import type { Overview } from '@app/contracts/overview';
import { daysBefore, type SpanBefore } from '../frame/overview.ts';

/** The spans that Home shows, as its address has them. */
export const ranges = [
  { id: 'today', label: 'Today', before: daysBefore(1) },
  { id: '7d', label: '7 days', before: daysBefore(7) },
  { id: '30d', label: '30 days', before: daysBefore(30) },
  { id: '12m', label: '12 months', before: { during: 'in the 12 months before', atEnd: '12 months ago' } },
  // Before all the time there was is nothing to compare with.
  { id: 'all', label: 'All', before: null },
] as const;

export type Range = (typeof ranges)[number]['id'];
export const rangeIds = ranges.map(({ id }) => id);

/** What the numbers of a span are compared with; null for nothing. */
export const spanBeforeOf = (range: Range): SpanBefore | null => ranges.find(({ id }) => id === range)?.before ?? null;

/** What an overview is requested for. Days and months are UTC. */
export interface RangeQuery {
  readonly from: string;
  readonly to: string;
  readonly by: Overview['by'];
}

const dayBefore = (today: string, days: number): string =>
  new Date(Date.parse(today) - days * dayMs).toISOString().slice(0, 10);

/** Days before today that all the time there was is looked for in: ten years. */
const allDays = 3_659;

/** @param now ISO 8601 */
export function queryOf(range: Range, now: string): RangeQuery {
  const to = now.slice(0, 10);
  switch (range) {
    case 'today':
      return { from: to, to, by: 'day' };
    case '7d':
      return { from: dayBefore(to, 6), to, by: 'day' };
    case '30d':
      return { from: dayBefore(to, 29), to, by: 'day' };
    case '12m': {
      const at = new Date(now);
      const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 11));
      return { from: first.toISOString().slice(0, 10), to, by: 'month' };
    }
    case 'all':
      return { from: dayBefore(to, allDays), to, by: 'month' };
  }
}

/** The same without the months before the first sale or visit, so that the chart begins where there is something. */
export function fromFirst(overview: Overview): Overview {
  const isEmpty = (index: number): boolean =>
    (overview.visits.series[index]?.views ?? 0) === 0 &&
    overview.currencies.every(({ series }) => series[index]?.revenueCents === 0 && series[index]?.orders === 0);
  const points = overview.visits.series;
  const first = points.findIndex((_, index) => !isEmpty(index));
  // A line has two ends.
  const start = Math.max(0, Math.min(first === -1 ? points.length : first, points.length - 2));
  const from = start === 0 ? overview.from : `${points[start]?.date}-01`;
  return {
    ...overview,
    from,
    currencies: overview.currencies.map((each) => ({ ...each, series: each.series.slice(start) })),
    visits: { ...overview.visits, series: points.slice(start) },
  };
}
