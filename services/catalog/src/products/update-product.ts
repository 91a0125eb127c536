import type { RequestInput } from '@app/contracts/define';
import { type updateProduct as contract, type ProductResource, productRenamed } from '@app/contracts/products';
import { invalidFields, requireVersion } from '@app/contracts/validation';
import { addToOutbox, outboxRow } from '@app/messaging/outbox';
import type { RequestContext } from '@app/messaging/request-headers';
import type { PricingDeps } from '../commands/price-for-processor.ts';
import { runCommand } from '../commands/run-command.ts';
import { keepEarlierSlug } from './earlier-slugs.ts';
import { newPriceRefusal } from './new-price-refusal.ts';
import { productResourceOf } from './product.entity.ts';
import { changedTerms, requireMove } from './product.rules.ts';
import { lockProduct } from './require-product.ts';

/**
 * Changes the given fields; a new name or pricing type is published.
 * @throws DomainError product_not_found, slug_taken, invalid_transition, version_changed, validation_failed for a new price
 * that the account's payment processor cannot charge, and for terms that can be changed no more
 */
export async function updateProduct(
  deps: PricingDeps,
  context: RequestContext,
  { productId, body, ifVersion, urls }: RequestInput<typeof contract>,
): Promise<ProductResource> {
  const { database, clock, wakeRelay } = deps;
  const { accountId, commandId, requestId } = context;
  const refusal = await newPriceRefusal(deps, context, productId, body);
  const result = await runCommand(database, commandId, async (tx) => {
    const product = await lockProduct(tx, accountId, productId);
    requireVersion(product.version, ifVersion);
    const { terms, faults } = changedTerms(product, body);
    if (faults.length > 0) throw invalidFields(faults);
    const { priceCents = product.priceCents } = body;
    if (refusal !== undefined && (priceCents !== product.priceCents || terms.currency !== product.currency))
      throw refusal;
    const { status = product.status } = body;
    requireMove(product.status, status);
    const { name = product.name } = body;
    // Later than the change before, also when the clock went back: consumers keep the name of the latest event.
    const nowMs = Math.max(clock.nowMs(), product.updatedAt.getTime() + 1);
    if (name !== product.name || terms.pricingType !== product.pricingType) {
      const data = { productId, name, pricingType: terms.pricingType };
      await addToOutbox(tx, [outboxRow(productRenamed, data, { accountId, requestId, nowMs })]);
    }
    await keepEarlierSlug(tx, product, body.slug, new Date(nowMs));
    if (Object.keys(body).length > 0)
      Object.assign(product, body, terms, { updatedAt: new Date(nowMs), version: product.version + 1 });
    if (product.description === '') product.description = null;
    return productResourceOf(product, urls);
  });
  if (body.name !== undefined || body.pricingType !== undefined) wakeRelay();
  return result;
}
