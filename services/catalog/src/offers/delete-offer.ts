import type { deleteOffer as contract } from '@app/contracts/catalog';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { isId } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { requireProduct } from '../products/require-product.ts';
import { Offer } from './offer.entity.ts';
import { unknownOffer } from './update-offer.ts';

/** Throws `product_not_found`, `offer_not_found`. */
export async function deleteOffer(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, kind, offerId }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    if (!isId(kind, offerId)) throw unknownOffer(kind, offerId);
    const deleted = await tx.nativeDelete(Offer, { accountId, productId, id: offerId, kind });
    if (deleted === 0) throw unknownOffer(kind, offerId);
    return { ok: true as const };
  });
}
