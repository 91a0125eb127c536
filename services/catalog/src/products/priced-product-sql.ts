import { isoText } from './iso-text.ts';

/** Columns of a product `p` that is priced, under the names that requests give them. */
export const pricedColumns = `p.id as "productId", p.name, p.slug, p.price_cents as "priceCents", p.currency,
                p.pricing_type as "pricingType", p.billing_interval as "billingInterval", p.status,
                p.access_url as "accessUrl"`;

const hasDiscountCodes = 'exists (select from discounts d where d.account_id = p.account_id and d.product_id = p.id)';
const pageFields = `'description', p.description, 'image', p.image_name, 'hasDiscountCodes', ${hasDiscountCodes}`;
/** What its page shows, where `wanted` says that it is wanted. */
export const shownPage = `case when wanted."withPage" then json_build_object(${pageFields}) end as page`;

/** Columns of an offer `o` of it. */
export const offerColumns =
  'o.id, o.headline, o.price_cents as "priceCents", o.access_url as "accessUrl", o.description, o.compare_at_cents as "compareAtCents", o.image_name as image';

/** The discounts of it that `wanted` names, in the order they were made. */
export const wantedDiscounts = `array(
                  select row_to_json(discount) from (
                    select d.id, d.code, d.percent_off as "percentOff", d.amount_off_cents as "amountOffCents",
                           ${isoText('d.expires_at')} as "expiresAt", d.max_uses as "maxUses"
                    from discounts d
                    where d.account_id = p.account_id and d.product_id = p.id and d.code = any (wanted."discountCodes")
                    order by d.id
                  ) as discount
                )`;
