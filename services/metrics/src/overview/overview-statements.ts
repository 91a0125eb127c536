import { type ColumnsOf, statement } from '@app/service-kit/database';
import { daySumTypes, ofAccount, sumsOfDays } from '../rollups/rollup-columns.ts';
import type { Point, ProductAtEnd, SpanOfProduct } from './overview.types.ts';

/** Every product: what it has now, without what came after the day `$2`, which for most spans is nothing. */
export const productsAtEnd = statement<ProductAtEnd>(
  'overview-products',
  `select product_id, p.name, p.pricing_type, t.currency,
     (coalesce(t.active_subscriptions, 0) - coalesce(later.active_subscriptions, 0))::bigint as active_subscriptions,
     (coalesce(t.mrr_cents, 0) - coalesce(later.mrr_cents, 0))::bigint as mrr_cents
   from (select product_id, name, pricing_type from products where account_id = $1) as p
   full join (select product_id, currency, active_subscriptions, mrr_cents from product_totals where ${ofAccount}) as t using (product_id)
   left join (
     select product_id, sum(active_subscriptions) as active_subscriptions, sum(mrr_cents) as mrr_cents
     from product_days where ${ofAccount} and day > $2 group by product_id
   ) as later using (product_id)
   order by product_id`,
  {
    product_id: 'text',
    name: 'text',
    pricing_type: 'text',
    currency: 'text',
    active_subscriptions: 'int8',
    mrr_cents: 'int8',
  },
);

/** What each product did from `$2` to the day before `$3`, and from there to `$4`. */
export const spansOfProducts = statement<SpanOfProduct>(
  'overview-spans',
  `select product_id, day >= $3 as is_current, ${sumsOfDays}
   from product_days where ${ofAccount} and day between $2 and $4
   group by product_id, is_current`,
  { ...daySumTypes, product_id: 'text', is_current: 'bool' },
);

/** A refund and its failure may be of different days. As in every number, a product's count is never below 0. */
const neverBelow = Object.keys(daySumTypes)
  .map((column) => (['refunds', 'refunded_cents'].includes(column) ? `greatest(${column}, 0) as ${column}` : column))
  .join(', ');

const pointTypes: ColumnsOf<Point> = { ...daySumTypes, date: 'text', currency: 'text' };
const pointsText = (format: string, days: string): string =>
  `select to_char(d.date, '${format}') as date, t.currency, ${sumsOfDays.replaceAll('sum(', 'sum(d.')}
   from (select product_id, date, ${neverBelow} from (${days}) as each) as d
   join (select product_id, currency from product_totals where ${ofAccount}) as t using (product_id)
   group by d.date, t.currency order by d.date`;
const daysInSpan = `from product_days where ${ofAccount} and day between $2 and $3`;

/** What all products of a currency did, day by day or month by month, from `$2` to `$3`; those without any row are left out. */
export const points = {
  day: statement<Point>(
    'overview-days',
    pointsText('YYYY-MM-DD', `select product_id, day as date, ${Object.keys(daySumTypes).join(', ')} ${daysInSpan}`),
    pointTypes,
  ),
  month: statement<Point>(
    'overview-months',
    pointsText(
      'YYYY-MM',
      `select product_id, date_trunc('month', day::timestamp) as date, ${sumsOfDays} ${daysInSpan} group by product_id, 2`,
    ),
    pointTypes,
  ),
};
