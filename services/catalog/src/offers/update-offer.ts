import type { updateOffer as contract } from '@app/contracts/catalog';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { isId } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { requireProduct } from '../products/require-product.ts';
import { Offer, offerResourceOf } from './offer.entity.ts';

/** Changes the given fields. Throws `product_not_found`, `offer_not_found`. */
export async function updateOffer(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, kind, offerId, body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    const offer = isId(kind, offerId) ? await tx.findOne(Offer, { accountId, productId, id: offerId, kind }) : null;
    if (offer === null) throw unknownOffer(kind, offerId);
    const { active = offer.active, ...changes } = body;
    return offerResourceOf(Object.assign(offer, changes, { active: Boolean(active) }));
  });
}

export function unknownOffer(kind: string, offerId: string): DomainError {
  return new DomainError('offer_not_found', `This product has no ${kind} with the id "${offerId}".`);
}
