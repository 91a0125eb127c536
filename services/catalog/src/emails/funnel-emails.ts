import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/funnels';
import { idOfCommand, isId } from '@app/contracts/ids';
import { requireVersion } from '@app/contracts/validation';
import type { RequestContext } from '@app/messaging/request-headers';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { nextVersion } from '../commands/next-version.rules.ts';
import { requireRoom } from '../commands/require-room.ts';
import { runCommand } from '../commands/run-command.ts';
import type { PartKind } from '../products/delete-part.ts';
import { lockProduct } from '../products/require-product.ts';
import { FunnelEmail, funnelEmailResourceOf } from './funnel-email.entity.ts';
import { requireEmailRoom } from './require-email-room.ts';

/** @throws DomainError product_not_found, position_taken, limit_reached */
export async function createFunnelEmail(
  { database }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { productId, body }: RequestInput<typeof contract.createFunnelEmail>,
): Promise<RequestOutput<typeof contract.createFunnelEmail>> {
  return await runCommand(database, commandId, async (tx) => {
    await lockProduct(tx, accountId, productId);
    const count = await tx.count(FunnelEmail, { accountId, productId });
    requireRoom(count, limits.emailsPerProduct, 'emails on one product');
    await requireEmailRoom(tx, { accountId, productId }, body.body);
    const id = idOfCommand('email', commandId);
    return funnelEmailResourceOf(tx.create(FunnelEmail, { accountId, productId, id, version: 1, ...body }));
  });
}

/**
 * Changes the given fields.
 * @throws DomainError product_not_found, email_not_found, position_taken, limit_reached, version_changed
 */
export async function updateFunnelEmail(
  { database }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { productId, emailId, body, ifVersion }: RequestInput<typeof contract.updateFunnelEmail>,
): Promise<RequestOutput<typeof contract.updateFunnelEmail>> {
  return await runCommand(database, commandId, async (tx) => {
    await lockProduct(tx, accountId, productId);
    const email = isId('email', emailId) ? await tx.findOne(FunnelEmail, { accountId, productId, id: emailId }) : null;
    if (email === null) throw unknownEmail(emailId);
    requireVersion(email.version, ifVersion);
    if (body.body !== undefined) await requireEmailRoom(tx, { accountId, productId }, body.body, emailId);
    return funnelEmailResourceOf(Object.assign(email, body, { version: nextVersion(email.version, body) }));
  });
}

/** When one is deleted, the others keep their positions. */
export const emailPart: PartKind<FunnelEmail> = { of: FunnelEmail, kind: 'email', unknown: unknownEmail };

function unknownEmail(emailId: string): DomainError {
  return new DomainError('email_not_found', `No email of this product has the id "${emailId}".`);
}
