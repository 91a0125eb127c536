import type { recordVisit as contract } from '@app/contracts/checkout-offers';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { RequestContext } from '@app/messaging/request-headers';
import { requireLive, unknownProduct } from '../orders/order.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { visitOf } from './record-visits.ts';

/**
 * Counts a visitor of a product's page, once a day, whether or not a checkout is opened as well.
 * @throws DomainError unknown_product, product_not_live
 */
export async function recordVisit(
  { steps, clock, wakeRelay }: CheckoutDeps,
  { slug, testMode, visitor }: RequestInput<typeof contract>,
  { accountId, requestId }: RequestContext,
): Promise<RequestOutput<typeof contract>> {
  const product = await steps.product({ accountId, productId: null, slug, discountCodes: [], requestId });
  if (product === null) throw unknownProduct('slug', slug);
  requireLive('slug', product);
  const visit = visitOf(product, visitor, testMode, { accountId, requestId, nowMs: clock.nowMs() });
  if (await steps.visit(visit)) wakeRelay();
  return { ok: true };
}
