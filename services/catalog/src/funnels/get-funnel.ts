import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { getFunnel as contract } from '@app/contracts/funnels';
import type { Database } from '@app/service-kit/database';
import { FunnelEmail, funnelEmailResourceOf } from '../emails/funnel-email.entity.ts';
import { Offer, offerResourceOf } from '../offers/offer.entity.ts';
import { requireProduct } from '../products/require-product.ts';

/** All offers of a product, inactive ones too, in order of creation, and its emails by position. */
export async function getFunnel(
  database: Database,
  accountId: string,
  { productId, urls }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const em = database.fork();
  await requireProduct(em, accountId, productId);
  const offers = await em.find(Offer, { accountId, productId }, { orderBy: { id: 'asc' } });
  const emails = await em.find(FunnelEmail, { accountId, productId }, { orderBy: { position: 'asc' } });
  const ofKind = (kind: Offer['kind']) =>
    offers.filter((offer) => offer.kind === kind).map((offer) => offerResourceOf(offer, urls));
  return {
    bumps: ofKind('bump'),
    upsells: ofKind('upsell'),
    downsells: ofKind('downsell'),
    emails: emails.map(funnelEmailResourceOf),
  };
}
