import type { deleteDiscount as contract } from '@app/contracts/catalog';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { isId } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { requireProduct } from '../products/require-product.ts';
import { Discount } from './discount.entity.ts';
import { unknownDiscount } from './update-discount.ts';

/** Throws `product_not_found`, `discount_not_found`. Orders that used the code keep their discount. */
export async function deleteDiscount(
  { database }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { productId, discountId }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommand(database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    if (!isId('discount', discountId)) throw unknownDiscount(discountId);
    const deleted = await tx.nativeDelete(Discount, { accountId, productId, id: discountId });
    if (deleted === 0) throw unknownDiscount(discountId);
    return { ok: true as const };
  });
}
