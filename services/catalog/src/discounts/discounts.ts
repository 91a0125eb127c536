import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type * as contract from '@app/contracts/discounts';
import { DomainError } from '@app/contracts/errors';
import { isId } from '@app/contracts/ids';
import { requireVersion } from '@app/contracts/validation';
import type { RequestContext } from '@app/messaging/request-headers';
import type { UseCaseDeps } from '@app/service-host/define-service';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import { LockMode } from '@mikro-orm/postgresql';
import { nextVersion } from '../commands/next-version.rules.ts';
import { runCommand } from '../commands/run-command.ts';
import type { PartKind } from '../products/delete-part.ts';
import { requireProduct } from '../products/require-product.ts';
import { Discount, type DiscountRow, discountResourceOf } from './discount.entity.ts';
import { expiryOf } from './expiry.rules.ts';

const discountsOfProduct = pagedList<DiscountRow>({
  name: 'discounts',
  table: 'discounts',
  columns: `id, code, percent_off as "percentOff", amount_off_cents as "amountOffCents", expires_at as "expiresAt",
    max_uses as "maxUses", created_at as "createdAt", version`,
  row: {
    id: 'text',
    code: 'text',
    percentOff: 'int4',
    amountOffCents: 'int8',
    expiresAt: 'timestamptz',
    maxUses: 'int8',
    createdAt: 'timestamptz',
    version: 'int4',
  },
  scope: ['account_id', 'product_id'],
});

/**
 * The product's discounts, newest first, expired ones too.
 * @throws DomainError product_not_found
 */
export async function listDiscounts(
  database: Database,
  accountId: string,
  { productId, ...page }: RequestInput<typeof contract.listDiscounts>,
): Promise<RequestOutput<typeof contract.listDiscounts>> {
  await requireProduct(database.fork(), accountId, productId);
  const { data, ...rest } = await discountsOfProduct(database, [accountId, productId], page);
  return { data: data.map(discountResourceOf), ...rest };
}

/** @throws DomainError product_not_found, discount_not_found */
export async function getDiscount(
  database: Database,
  accountId: string,
  { productId, discountId }: RequestInput<typeof contract.getDiscount>,
): Promise<RequestOutput<typeof contract.getDiscount>> {
  const em = database.fork();
  await requireProduct(em, accountId, productId);
  const where = { accountId, productId, id: discountId };
  const discount = isId('discount', discountId) ? await em.findOne(Discount, where) : null;
  if (discount === null) throw unknownDiscount(discountId);
  return discountResourceOf(discount);
}

/**
 * Changes what is given: a percentage replaces an amount, and the other way round; null removes expiry or use limit.
 * @throws DomainError product_not_found, discount_not_found, version_changed, validation_failed for an expiry that has passed
 */
export async function updateDiscount(
  { database, clock }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { productId, discountId, body, ifVersion }: RequestInput<typeof contract.updateDiscount>,
): Promise<RequestOutput<typeof contract.updateDiscount>> {
  return await runCommand(database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    const where = { accountId, productId, id: discountId };
    const discount = isId('discount', discountId)
      ? await tx.findOne(Discount, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
      : null;
    if (discount === null) throw unknownDiscount(discountId);
    requireVersion(discount.version, ifVersion);
    const { percentOff, amountOffCents } = body;
    if (percentOff !== undefined) Object.assign(discount, { percentOff, amountOffCents: null });
    if (amountOffCents !== undefined) Object.assign(discount, { percentOff: null, amountOffCents });
    if (body.expiresAt !== undefined) discount.expiresAt = expiryOf(body.expiresAt, clock.now());
    if (body.maxUses !== undefined) discount.maxUses = body.maxUses;
    discount.version = nextVersion(discount.version, body);
    return discountResourceOf(discount);
  });
}

/** Orders that used the code of a deleted one keep their discount. */
export const discountPart: PartKind<Discount> = { of: Discount, kind: 'discount', unknown: unknownDiscount };

function unknownDiscount(discountId: string): DomainError {
  return new DomainError('discount_not_found', `No discount of this product has the id "${discountId}".`);
}
