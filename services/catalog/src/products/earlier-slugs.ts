import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Product } from './product.entity.ts';

/** Of one product: the latest are kept. */
const slugsMax = 20;

/** Of two products that had it, it leads to the one that had it last. */
const keepStatement = statement(
  'earlier-slugs-keep',
  `insert into earlier_slugs (account_id, slug, product_id, left_at) values ($1, $2, $3, $4)
   on conflict (account_id, slug) do update set product_id = excluded.product_id, left_at = excluded.left_at`,
);
const forgetStatement = statement(
  'earlier-slugs-forget',
  `delete from earlier_slugs where account_id = $1 and slug in (
     select slug from earlier_slugs where account_id = $1 and product_id = $2
     order by left_at desc, slug offset ${slugsMax})`,
);

/**
 * Keeps the slug that a product is about to leave, in the transaction of the change. A draft's was no link yet.
 * @param next undefined where the change has none
 */
export async function keepEarlierSlug(
  tx: EntityManager,
  { accountId, id, slug, status }: Product,
  next: string | undefined,
  leftAt: Date,
): Promise<void> {
  if (next === undefined || next === slug || status === 'draft') return;
  await executeBound(tx, keepStatement([accountId, slug, id, leftAt]));
  await executeBound(tx, forgetStatement([accountId, id]));
}

/**
 * SQL of the product that a slug leads to: one on sale that has it; else the one that had it; else one that has it and is not on
 * sale. Each is one look-up in an index, and the first is the usual one.
 */
export const productAtSlug = (account: string, slug: string): string => `coalesce(
             (select n.id from products n where n.account_id = ${account} and n.slug = ${slug} and n.status = 'live'),
             (select e.product_id from earlier_slugs e where e.account_id = ${account} and e.slug = ${slug}),
             (select n.id from products n where n.account_id = ${account} and n.slug = ${slug})
           )`;
