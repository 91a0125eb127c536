import type { createProduct as contract, ProductResource } from '@app/contracts/catalog';
import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { requireRoom } from '../db/require-room.ts';
import { runCommand } from '../db/run-command.ts';
import type { CatalogDeps } from '../deps.ts';
import { Product, productResourceOf } from './product.entity.ts';

/** Throws `slug_taken` and `limit_reached`. */
export async function createProduct(
  { database, clock }: CatalogDeps,
  { accountId, commandId }: RequestContext,
  { body, defaultCurrency }: RequestInput<typeof contract>,
): Promise<ProductResource> {
  return await runCommand(database, commandId, async (tx) => {
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
      createdAt: now,
      updatedAt: now,
    });
    return productResourceOf(product);
  });
}
