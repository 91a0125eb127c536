import type { createFunnelEmail as contract } from '@app/contracts/catalog';
import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { requireRoom } from '../db/require-room.ts';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { lockProduct } from '../products/require-product.ts';
import { FunnelEmail, funnelEmailResourceOf } from './funnel-email.entity.ts';
import { requireEmailRoom } from './require-email-room.ts';

/** Throws `product_not_found`, `position_taken`, `limit_reached`. */
export async function createFunnelEmail(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await lockProduct(tx, accountId, productId);
    const count = await tx.count(FunnelEmail, { accountId, productId });
    requireRoom(count, limits.emailsPerProduct, 'emails on one product');
    await requireEmailRoom(tx, { accountId, productId }, body.body);
    const id = idOfCommand('email', commandId);
    return funnelEmailResourceOf(tx.create(FunnelEmail, { accountId, productId, id, ...body }));
  });
}
