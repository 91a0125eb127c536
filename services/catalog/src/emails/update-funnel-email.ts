import type { updateFunnelEmail as contract } from '@app/contracts/catalog';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { isId } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { lockProduct } from '../products/require-product.ts';
import { FunnelEmail, funnelEmailResourceOf } from './funnel-email.entity.ts';
import { requireEmailRoom } from './require-email-room.ts';

/** Changes the given fields. Throws `product_not_found`, `email_not_found`, `position_taken`, `limit_reached`. */
export async function updateFunnelEmail(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, emailId, body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await lockProduct(tx, accountId, productId);
    const email = isId('email', emailId) ? await tx.findOne(FunnelEmail, { accountId, productId, id: emailId }) : null;
    if (email === null) throw unknownEmail(emailId);
    if (body.body !== undefined) await requireEmailRoom(tx, { accountId, productId }, body.body, emailId);
    return funnelEmailResourceOf(Object.assign(email, body));
  });
}

export function unknownEmail(emailId: string): DomainError {
  return new DomainError('email_not_found', `This product has no email with the id "${emailId}".`);
}
