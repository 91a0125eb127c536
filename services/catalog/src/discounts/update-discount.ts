import type { updateDiscount as contract } from '@app/contracts/catalog';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { isId } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { requireProduct } from '../products/require-product.ts';
import { Discount, discountResourceOf } from './discount.entity.ts';

/** Changes expiry and use limit; null removes either. Throws `product_not_found`, `discount_not_found`. */
export async function updateDiscount(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, discountId, body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    const where = { accountId, productId, id: discountId };
    const discount = isId('discount', discountId) ? await tx.findOne(Discount, where) : null;
    if (discount === null) throw unknownDiscount(discountId);
    if (body.expiresAt !== undefined) discount.expiresAt = body.expiresAt === null ? null : new Date(body.expiresAt);
    if (body.maxUses !== undefined) discount.maxUses = body.maxUses;
    return discountResourceOf(discount);
  });
}

export function unknownDiscount(discountId: string): DomainError {
  return new DomainError('discount_not_found', `This product has no discount with the id "${discountId}".`);
}
