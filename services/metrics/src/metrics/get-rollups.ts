import { type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import { productTotalTypes } from '../rollups/rollup-columns.ts';
import type { ProductMonth, ProductTotals, Rollups } from '../rollups/rollups.types.ts';
import { noRollups } from './metrics.rules.ts';

/** Reads one row and its months: the cost grows with the months of sales, not with the number of sales. */
export const rollupsByProduct = statement<ProductTotals & { currency: string | null; months: ProductMonth[] | null }>(
  'rollups-by-product',
  `select ${namesOf(productTotalTypes, 't')}, t.currency, (
     select json_agg(m order by m.month) from product_months as m
     where m.account_id = t.account_id and m.generation = t.generation and m.product_id = t.product_id
   ) as months
   from product_totals as t
   where t.account_id = $1 and t.product_id = $2
     and t.generation = coalesce((select generation from rollup_generations where account_id = $1), 0)`,
  { ...productTotalTypes, currency: 'text', months: 'json' },
);

export async function getRollups(database: Database, accountId: string, productId: string): Promise<Rollups> {
  const { rows } = await database.pool.query(rollupsByProduct([accountId, productId]));
  const [row] = rows;
  return row === undefined ? noRollups : { currency: row.currency, totals: row, months: row.months ?? [] };
}
