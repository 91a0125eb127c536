import { limits, newCurrency } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import { type createProduct as contract, type ProductResource, productCreated } from '@app/contracts/products';
import { invalidField } from '@app/contracts/validation';
import { addToOutbox, outboxRow } from '@app/messaging/outbox';
import type { RequestContext } from '@app/messaging/request-headers';
import { type PricingDeps, priceRefusal } from '../commands/price-for-processor.ts';
import { requireRoom } from '../commands/require-room.ts';
import { runCommand } from '../commands/run-command.ts';
import { Product, productResourceOf } from './product.entity.ts';

/**
 * Creates and publishes the product.
 * @throws DomainError slug_taken, limit_reached, validation_failed for a price that the account's payment processor cannot charge
 */
export async function createProduct(
  { database, clock, wakeRelay, requester }: PricingDeps,
  context: RequestContext,
  { body, defaultCurrency, urls }: RequestInput<typeof contract>,
): Promise<ProductResource> {
  const { accountId, commandId, requestId } = context;
  const { priceCents, currency = defaultCurrency } = body;
  // The account's own may have ended since it was chosen.
  if (!newCurrency.safeParse(currency).success)
    throw invalidField('currency', `must be given: ${currency.toUpperCase()}, the default, is in use no more`);
  const refusal = await priceRefusal(requester, context, { priceCents, currency }, 'currency');
  const result = await runCommand(database, commandId, async (tx) => {
    if (refusal !== undefined) throw refusal;
    requireRoom(await tx.count(Product, { accountId }), limits.productsPerAccount, 'products');
    const now = clock.now();
    const product = tx.create(Product, {
      accountId,
      id: idOfCommand('product', commandId),
      name: body.name,
      slug: body.slug,
      priceCents,
      currency,
      pricingType: body.pricingType,
      billingInterval: body.billingInterval ?? null,
      status: body.status ?? 'draft',
      accessUrl: body.accessUrl ?? null,
      description: body.description || null,
      imageName: null,
      listed: body.listed ?? true,
      createdAt: now,
      updatedAt: now,
      version: 1,
    });
    const { id: productId, name, pricingType } = product;
    const source = { accountId, requestId, nowMs: now.getTime() };
    await addToOutbox(tx, [outboxRow(productCreated, { productId, name, pricingType }, source)]);
    return productResourceOf(product, urls);
  });
  wakeRelay();
  return result;
}
