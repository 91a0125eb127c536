import type { UpdateCheckoutBody } from '@app/contracts/checkouts';
import { statement } from '@app/service-kit/database';
import type { CheckoutDeps } from './checkout-deps.ts';
import type { CheckoutRow } from './checkout-row.ts';

/** Where a buyer came from last. */
type Sources = Pick<
  UpdateCheckoutBody,
  'affiliateCode' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'utm_term' | 'utm_content'
>;

/** It changes no price, and so no revision: what the buyer sees stays as it is. */
const followStatement = statement(
  'checkout-follow-sources',
  `update checkouts set affiliate_code = $3, utm_source = $4, utm_medium = $5, utm_campaign = $6, utm_term = $7, utm_content = $8
   where account_id = $1 and id = $2 and status = 'open'
     and (affiliate_code, utm_source, utm_medium, utm_campaign, utm_term, utm_content) is distinct from
       ($3::text, $4::text, $5::text, $6::text, $7::text, $8::text)`,
);

/** The order's affiliate and `utm_*` are those of the link that the buyer followed last; what is not given stays. */
export async function followSources({ database }: CheckoutDeps, row: CheckoutRow, sources: Sources): Promise<void> {
  const {
    affiliateCode = row.affiliate_code,
    utm_source = row.utm_source,
    utm_medium = row.utm_medium,
    utm_campaign = row.utm_campaign,
    utm_term = row.utm_term,
    utm_content = row.utm_content,
  } = sources;
  if (Object.values(sources).every((value) => value === undefined)) return;
  const utm = [utm_source, utm_medium, utm_campaign, utm_term, utm_content];
  await database.pool.query(followStatement([row.account_id, row.id, affiliateCode || null, ...utm]));
}
