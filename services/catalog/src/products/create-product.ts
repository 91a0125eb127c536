import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import { type createProduct as contract, type ProductResource, productCreated } from '@app/contracts/products';
import { addToOutbox, outboxRow } from '@app/messaging/outbox';
import type { RequestContext } from '@app/messaging/request-headers';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { requireRoom } from '../commands/require-room.ts';
import { runCommand } from '../commands/run-command.ts';
import { Product, productResourceOf } from './product.entity.ts';

/**
 * Creates and publishes the product.
 * @throws DomainError slug_taken, limit_reached
 */
export async function createProduct(
  { database, clock, wakeRelay }: UseCaseDeps,
  { accountId, commandId, requestId }: RequestContext,
  { body, defaultCurrency, urls }: RequestInput<typeof contract>,
): Promise<ProductResource> {
  const result = await runCommand(database, commandId, async (tx) => {
    requireRoom(await tx.count(Product, { accountId }), limits.productsPerAccount, 'products');
    const now = clock.now();
    const product = tx.create(Product, {
      accountId,
      id: idOfCommand('product', commandId),
      name: body.name,
      slug: body.slug,
      priceCents: body.priceCents,
      currency: body.currency ?? defaultCurrency,
      pricingType: body.pricingType,
      billingInterval: body.billingInterval ?? null,
      status: body.status ?? 'draft',
      accessUrl: body.accessUrl ?? null,
      description: body.description || null,
      imageName: null,
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
