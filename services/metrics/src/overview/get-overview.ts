import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import {
  type getOverview as contract,
  type Overview,
  overviewDaysMax,
  overviewDaysMaxByMonth,
} from '@app/contracts/overview';
import { invalidField } from '@app/contracts/validation';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { inOneSnapshot } from '@app/service-kit/one-snapshot';
import { assembleOverview, dayAfter, daysOf, type Span, spanBefore } from './overview.rules.ts';
import { points, productsAtEnd, spansOfProducts } from './overview-statements.ts';

const usualDays = 30;
/** Before any account; the days before it would leave the years that dates can say. */
const firstDay = '2000-01-01';

/**
 * The account's numbers over a span of UTC days, beside those of the span before. The cost grows with days and products, never
 * with orders.
 * @throws DomainError validation_failed
 */
export async function getOverview(
  { database, clock }: { database: Database; clock: Clock },
  accountId: string,
  { by = 'day', limit = limits.listMax, ...requested }: RequestInput<typeof contract>,
): Promise<Overview> {
  const span = spanOf({ by, ...requested }, clock.now().toISOString().slice(0, 10));
  const { from, to } = span;
  const rows = await inOneSnapshot(database, async (client) => {
    const products = await client.query(productsAtEnd([accountId, to]));
    const spans = await client.query(spansOfProducts([accountId, spanBefore(span).from, from, to]));
    const series = await client.query(points[by]([accountId, from, to]));
    return { products: products.rows, spans: spans.rows, points: series.rows };
  });
  return assembleOverview(rows, { from, to, by, limit });
}

function spanOf({ by, from, to }: RequestInput<typeof contract>, today: string): Span {
  if (to !== undefined && to > today) throw invalidField('to', 'must not be in the future', 'too_big');
  const last = to ?? today;
  const first = from ?? dayAfter(last, 1 - usualDays);
  if (first < firstDay) throw invalidField('from', `must not be before ${firstDay}`, 'too_small');
  if (first > last) throw invalidField('from', 'must not be after `to`', 'too_big');
  const daysMax = by === 'month' ? overviewDaysMaxByMonth : overviewDaysMax;
  if (daysOf({ from: first, to: last }) > daysMax)
    throw invalidField('from', `must be at most ${daysMax - 1} days before \`to\``, 'too_small');
  return { from: first, to: last };
}
