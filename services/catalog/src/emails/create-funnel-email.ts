import type { createFunnelEmail as contract } from '@app/contracts/catalog';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { requireProduct } from '../products/require-product.ts';
import { FunnelEmail, funnelEmailResourceOf } from './funnel-email.entity.ts';

/** Throws `product_not_found`, `position_taken`. */
export async function createFunnelEmail(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    const id = idOfCommand('email', commandId);
    return funnelEmailResourceOf(tx.create(FunnelEmail, { accountId, productId, id, ...body }));
  });
}
