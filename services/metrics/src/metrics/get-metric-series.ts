import type { RequestInput } from '@app/contracts/define';
import { type getMetricSeries as contract, type MetricSeries, seriesMonthsMax } from '@app/contracts/metrics';
import { invalidField } from '@app/contracts/validation';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import { getProduct } from '../products/get-product.ts';
import { daySumTypes, ofAccount, sumsOfDays } from '../rollups/rollup-columns.ts';
import type { DaySums, ProductTotals } from '../rollups/rollups.types.ts';
import { hasBegun } from './explain-metric.ts';
import { newBuyersByMonth } from './explained-facts.ts';
import { churnFormula, formulas } from './formulas.rules.ts';
import { getRollups } from './get-rollups.ts';
import { monthName, monthNumber, noRollups, partsOfMonth } from './metrics.rules.ts';

type Input = RequestInput<typeof contract>;

const usualMonths = 12;
const firstMonth = '2000-01';

interface MonthSums extends DaySums {
  readonly month: string;
}

/** One read by the primary key for each day, whatever the account's other products sold. */
export const sumsByMonth = statement<MonthSums>(
  'series-months',
  `select to_char(d.day, 'YYYY-MM') as month, ${sumsOfDays}
   from generate_series($3::timestamp, $4::timestamp - interval '1 day', interval '1 day') as span(day)
   cross join lateral (
     select day, ${namesOf(daySumTypes)} from product_days where ${ofAccount} and day = span.day::date and product_id = $2 limit 1
   ) as d
   group by 1`,
  { ...daySumTypes, month: 'text' },
);

/**
 * A number of a product month by month, as the explanation of each month has it.
 * @throws DomainError product_not_found, validation_failed
 */
export async function getMetricSeries(
  deps: { database: Database; clock: Clock },
  accountId: string,
  { productId, metric, from, to }: Input,
): Promise<MetricSeries> {
  const { database, clock } = deps;
  await getProduct(deps, accountId, productId);
  const rollups = await getRollups(database, accountId, productId);
  const now = clock.now();
  const last = to ?? now.toISOString().slice(0, 7);
  if (!hasBegun(last, rollups, now)) throw invalidField('to', 'must not be in the future', 'too_big');
  const months = monthsOf(from, last);
  const formula = metric === 'churn' ? churnFormula : formulas[metric];
  const totalsOf = await totalsByMonth(database, { accountId, productId, metric }, months);
  return {
    metric,
    currency: rollups.currency,
    formula: formula.words,
    version: formula.version,
    data: months.map((month) => {
      const parts = partsOfMonth(metric, rollups.months, month);
      if (metric === 'churn') return { month, value: formula.value(parts ?? {}) };
      return { month, value: formula.value(parts ?? formulas[metric].parts(totalsOf(month))) };
    }),
  };
}

function monthsOf(from: string | undefined, last: string): string[] {
  const first = from ?? monthName(monthNumber(last) - usualMonths + 1);
  if (first < firstMonth) throw invalidField('from', `must not be before ${firstMonth}`, 'too_small');
  if (first > last) throw invalidField('from', 'must not be after `to`', 'too_big');
  const length = monthNumber(last) - monthNumber(first) + 1;
  if (length > seriesMonthsMax)
    throw invalidField('from', `must be at most ${seriesMonthsMax - 1} months before \`to\``, 'too_small');
  return Array.from({ length }, (_, index) => monthName(monthNumber(first) + index));
}

/** What the roll-ups would say of each month alone. */
async function totalsByMonth(
  database: Database,
  { accountId, productId, metric }: Pick<Input, 'productId' | 'metric'> & { readonly accountId: string },
  months: readonly string[],
): Promise<(month: string) => ProductTotals> {
  const from = `${months[0]}-01`;
  const until = `${monthName(monthNumber(months.at(-1) ?? '') + 1)}-01`;
  const range = { accountId, productId, from: new Date(from), until: new Date(until), month: null };
  const [{ rows }, buyers] = await Promise.all([
    database.pool.query(sumsByMonth([accountId, productId, from, until])),
    metric === 'customers' ? newBuyersByMonth(database, range) : new Map<string, number>(),
  ]);
  const byMonth = new Map(rows.map((row) => [row.month, row]));
  return (month) => Object.assign({}, noRollups.totals, byMonth.get(month), { customers: buyers.get(month) ?? 0 });
}
