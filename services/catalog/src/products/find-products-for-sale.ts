import type { RequestInput } from '@app/contracts/define';
import type { findProductsForSale as contract, WantedForSale } from '@app/contracts/products-for-sale';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import { recordOf } from '@app/service-kit/row-arrays';
import { productAtSlug } from './earlier-slugs.ts';
import { offerColumns, pricedColumns, shownPage, wantedDiscounts } from './priced-product-sql.ts';

const wantedTypes: Readonly<Record<keyof WantedForSale, string>> = {
  accountId: 'text',
  productId: 'text',
  slug: 'text',
  discountCodes: 'text[]',
  bumpIds: 'text[]',
  withPage: 'boolean',
};

/**
 * One statement for all checkouts or orders that wait together. It has correlated subqueries and no joins: whatever
 * PostgreSQL guesses of the sizes, each wanted product is one look-up in an index, and what belongs to it a few in the
 * indexes of it. Measured with 1 and 50 products, two bumps and a code each: 0.2 and 1.1 ms. Ids are made in the order
 * of time, so ordering by id is the order in which the offers were made.
 *
 * The response stays below the 8 MiB of a message: an offer is 10 KB at most (in JSON a headline of 1.2 KB, a description of 2.4 KB,
 * a link of 6.2 KB, its picture's name), a product besides 26 KB with its page, and 700 offers and 50 products share a request:
 * 700 × 10 KB + 50 × 26 KB = 8.3 MB. The longest texts are made of control characters; usual ones are a tenth of it.
 */
const productsForSale = statement<{ json: string }>(
  'products-for-sale',
  `select '{"products":[' || coalesce(string_agg(coalesce(product::text, 'null'), ',' order by position), '') || ']}' as json
   from (
     select ordinality as position, (
       select row_to_json(sale) from (
         select ${pricedColumns}, ${shownPage},
                array(
                  select row_to_json(bump) from (
                    select ${offerColumns} from offers o
                    where o.account_id = p.account_id and o.product_id = p.id and o.kind = 'bump' and o.active
                      and (wanted."bumpIds" is null or o.id = any (wanted."bumpIds"))
                    order by o.id
                  ) as bump
                ) as bumps,
                ${wantedDiscounts} as discounts,
                (
                  select row_to_json(upsell) from (
                    select ${offerColumns} from offers o
                    where o.account_id = p.account_id and o.product_id = p.id and o.kind = 'upsell' and o.active
                      and wanted."bumpIds" is null
                    order by o.id limit 1
                  ) as upsell
                ) as upsell
         from products p
         where p.account_id = wanted."accountId" and p.id = coalesce(
           wanted."productId",
           ${productAtSlug('wanted."accountId"', 'wanted.slug')}
         )
       ) as sale
     ) as product
     from rows from (json_to_recordset($1::json) as (${recordOf(wantedTypes)})) with ordinality as wanted
   ) as answered`,
  { json: 'text' },
);

/**
 * The products with what their checkouts offer or their orders name, as the catalog is right now and in whatever status: checkout decides what
 * can be sold. `products[i]` belongs to `wanted[i]`; null for one that the account does not have.
 */
export async function findProductsForSale(
  database: Database,
  { wanted }: RequestInput<typeof contract>,
): Promise<Serialized> {
  const { rows } = await database.pool.query(productsForSale([JSON.stringify(wanted)]));
  return new Serialized(rows[0]?.json as string);
}
