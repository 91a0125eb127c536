import type { deleteFunnelEmail as contract } from '@app/contracts/catalog';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { isId } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { requireProduct } from '../products/require-product.ts';
import { FunnelEmail } from './funnel-email.entity.ts';
import { unknownEmail } from './update-funnel-email.ts';

/** Throws `product_not_found`, `email_not_found`. The other emails keep their positions. */
export async function deleteFunnelEmail(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, emailId }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    if (!isId('email', emailId)) throw unknownEmail(emailId);
    const deleted = await tx.nativeDelete(FunnelEmail, { accountId, productId, id: emailId });
    if (deleted === 0) throw unknownEmail(emailId);
    return { ok: true as const };
  });
}
