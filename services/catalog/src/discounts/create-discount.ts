import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { createDiscount as contract } from '@app/contracts/discounts';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { requireRoom } from '../commands/require-room.ts';
import { runCommand } from '../commands/run-command.ts';
import { lockProduct } from '../products/require-product.ts';
import { Discount, discountResourceOf } from './discount.entity.ts';
import { expiryOf } from './expiry.rules.ts';

/** @throws DomainError product_not_found, code_taken, limit_reached, validation_failed for an expiry that has passed */
export async function createDiscount(
  { database, clock }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { productId, body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await lockProduct(tx, accountId, productId);
    const count = await tx.count(Discount, { accountId, productId });
    requireRoom(count, limits.discountsPerProduct, 'discounts on one product');
    const discount = tx.create(Discount, {
      accountId,
      productId,
      id: idOfCommand('discount', commandId),
      code: body.code,
      percentOff: body.percentOff ?? null,
      amountOffCents: body.amountOffCents ?? null,
      expiresAt: expiryOf(body.expiresAt ?? null, clock.now()),
      maxUses: body.maxUses ?? null,
      createdAt: clock.now(),
      version: 1,
    });
    return discountResourceOf(discount);
  });
}
