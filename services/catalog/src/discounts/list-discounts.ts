import type { listDiscounts as contract } from '@app/contracts/catalog';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import { requireProduct } from '../products/require-product.ts';
import { type Discount, discountResourceOf } from './discount.entity.ts';

type DiscountRow = Pick<
  Discount,
  'id' | 'code' | 'percentOff' | 'amountOffCents' | 'expiresAt' | 'maxUses' | 'createdAt'
>;

const discountsOfProduct = pagedList<DiscountRow>({
  name: 'discounts',
  table: 'discounts',
  columns: `id, code, percent_off as "percentOff", amount_off_cents as "amountOffCents", expires_at as "expiresAt",
    max_uses as "maxUses", created_at as "createdAt"`,
  scope: ['account_id', 'product_id'],
});

/** The product's discounts, newest first, expired ones too. Throws `product_not_found`. */
export async function listDiscounts(
  database: Database,
  accountId: string,
  { productId, ...page }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  await requireProduct(database.fork(), accountId, productId);
  const { data, ...rest } = await discountsOfProduct(database, [accountId, productId], page);
  return { data: data.map(discountResourceOf), ...rest };
}
