import type { createOffer as contract } from '@app/contracts/catalog';
import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { requireRoom } from '../db/require-room.ts';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { lockProduct } from '../products/require-product.ts';
import { Offer, offerResourceOf } from './offer.entity.ts';

/** Throws `product_not_found`, `limit_reached`. */
export async function createOffer(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, kind, body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await lockProduct(tx, accountId, productId);
    requireRoom(
      await tx.count(Offer, { accountId, productId, kind }),
      limits.offersPerProduct,
      `${kind}s on one product`,
    );
    const { headline, priceCents, active = true } = body;
    const id = idOfCommand(kind, commandId);
    return offerResourceOf(
      tx.create(Offer, { accountId, productId, id, kind, headline, priceCents, active: Boolean(active) }),
    );
  });
}
