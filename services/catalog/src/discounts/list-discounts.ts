import type { listDiscounts as contract } from '@app/contracts/catalog';
import type { RequestOutput } from '@app/contracts/define';
import type { Database } from '@app/service-kit/database';
import { requireProduct } from '../products/require-product.ts';
import { Discount, discountResourceOf } from './discount.entity.ts';

/** Every discount of the product, expired ones too, in order of creation. */
export async function listDiscounts(
  database: Database,
  accountId: string,
  productId: string,
): Promise<RequestOutput<typeof contract>> {
  const em = database.fork();
  await requireProduct(em, accountId, productId);
  const discounts = await em.find(Discount, { accountId, productId }, { orderBy: { id: 'asc' } });
  return { data: discounts.map(discountResourceOf) };
}
