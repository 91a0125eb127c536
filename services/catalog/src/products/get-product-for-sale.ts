import type { getProductForSale as contract } from '@app/contracts/catalog';
import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import { isoText } from '../db/iso-text.ts';

/**
 * One look-up for the product, and one each in the indexes of its offers and discounts. Ids are made in the order of time,
 * so ordering by id is the order in which the offers were made. At most 100 bumps of 1.3 KB each: 130 KB.
 */
const productForSale = statement(
  'product-for-sale',
  `select row_to_json(sale)::text as json from (
     select p.id as "productId", p.name, p.slug, p.price_cents as "priceCents", p.currency,
            p.pricing_type as "pricingType", p.billing_interval as "billingInterval", p.status,
            p.access_url as "accessUrl",
            array(
              select row_to_json(bump) from (
                select o.id, o.headline, o.price_cents as "priceCents"
                from offers o
                where o.account_id = p.account_id and o.product_id = p.id and o.kind = 'bump' and o.active
                order by o.id
              ) as bump
            ) as bumps,
            array(
              select row_to_json(discount) from (
                select d.id, d.code, d.percent_off as "percentOff", d.amount_off_cents as "amountOffCents",
                       ${isoText('d.expires_at')} as "expiresAt", d.max_uses as "maxUses"
                from discounts d
                where d.account_id = p.account_id and d.product_id = p.id and d.code = $3::text
              ) as discount
            ) as discounts,
            (
              select row_to_json(upsell) from (
                select o.id, o.headline, o.price_cents as "priceCents"
                from offers o
                where o.account_id = p.account_id and o.product_id = p.id and o.kind = 'upsell' and o.active
                order by o.id
                limit 1
              ) as upsell
            ) as upsell
     from products p
     where p.account_id = $1 and p.slug = $2
   ) as sale`,
);

/**
 * The product with what its checkout offers, as the catalog is right now and in whatever status: checkout decides what
 * can be sold. Throws `product_not_found`.
 */
export async function getProductForSale(
  database: Database,
  accountId: string,
  { slug, discountCode }: RequestInput<typeof contract>,
): Promise<Serialized> {
  const { rows } = await database.pool.query<{ json: string }>(productForSale([accountId, slug, discountCode]));
  const [row] = rows;
  if (row === undefined) throw new DomainError('product_not_found', `There is no product with the slug "${slug}".`);
  return new Serialized(row.json);
}
