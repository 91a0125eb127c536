import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { listOrderPayments } from '@app/contracts/payments';
import {
  getBuyerOrder,
  listBuyerOrders,
  type PortalSubscription,
  type PortalSubscriptionWithHistory,
  type portalOrderQuery,
  type portalOrderWithReceipt,
  type portalSubscriptionQuery,
} from '@app/contracts/portal';
import { getProduct } from '@app/contracts/products';
import { getSubscription, listSubscriptions } from '@app/contracts/subscriptions';
import { type Page, pageOfAll } from '@app/service-kit/paging';
import type { z } from 'zod';
import { cardProcessor } from '../card-processor.ts';
import type { OperationCall } from '../operation.ts';
import { buyerOf, noOrder, ordersOf, requireSubscription } from './portal-buyer.ts';
import {
  awaitsConfirmation,
  failedReasonOf,
  inPortalOrder,
  portalChargesOf,
  portalSubscriptionOf,
} from './portal-subscription.rules.ts';

type Call<Params = unknown, Query = unknown> = OperationCall<Params, Query, unknown>;

/** A session of one subscription's card shows nothing else. */
const notOfCard = (): DomainError => new DomainError('not_found', 'This session is for the card of one subscription.');

/** @throws DomainError not_found for a session of a card; validation_failed for an unknown `before` */
export async function listPortalOrders(call: Call<unknown, z.output<typeof portalOrderQuery>>): Promise<Uint8Array> {
  const buyer = ordersOf(call);
  if (buyer === null) throw notOfCard();
  return await call.app.requester.requestBytes(listBuyerOrders, { ...buyer, ...call.query }, call.context);
}

/**
 * An order with what its receipt says.
 * @throws DomainError order_not_found
 */
export async function getPortalOrder(
  call: Call<{ readonly orderId: string }>,
): Promise<z.output<typeof portalOrderWithReceipt>> {
  const { app, context, params } = call;
  const buyer = ordersOf(call);
  if (buyer === null) throw noOrder(params.orderId);
  const input: RequestInput<typeof getBuyerOrder> = { ...buyer, ...params };
  const { product_id, refunds, ...order } = await app.requester.request(getBuyerOrder, input, context);
  const [payments, accessUrl] = await Promise.all([
    app.requester.request(listOrderPayments, params, context),
    order.status === 'paid' ? accessUrlOf(call, product_id) : '',
  ]);
  const charged = payments.data.findLast(
    ({ step, status }) => (step === 'main' || step === 'recharge') && status === 'succeeded',
  );
  return {
    ...order,
    access_url: accessUrl,
    last_four: charged?.last_four ?? null,
    wallet: charged?.wallet ?? null,
    refunds: refunds
      .filter(({ renewal }) => !renewal)
      .map(({ amount_cents, refunded_at }) => ({ amount_cents, refunded_at })),
    seller: sellerOf(call),
  };
}

/** Where buyers find the product today; empty for one that has no such address, or was deleted. */
async function accessUrlOf({ app, context }: Call, productId: string): Promise<string> {
  try {
    return (await app.requester.request(getProduct, { productId }, context)).access_url ?? '';
  } catch (err) {
    if (err instanceof DomainError && err.code === 'product_not_found') return '';
    throw err;
  }
}

const sellerOf = ({ actor: { settings } }: Call) => ({
  name: settings.businessName,
  support_email: settings.supportEmail,
});

/**
 * The buyer's subscriptions, past due ones first; in test mode those of rehearsals too.
 * @throws DomainError not_found for a session of a card; validation_failed for an unknown `before`
 */
export async function listPortalSubscriptions(
  call: Call<unknown, z.output<typeof portalSubscriptionQuery>>,
): Promise<Page<PortalSubscription>> {
  const { app, actor, context } = call;
  const { email, subscriptionId } = buyerOf(call);
  if (subscriptionId !== null) throw notOfCard();
  const list = (test: 'true' | 'false') => app.requester.request(listSubscriptions, { email, test }, context);
  const lists = await Promise.all([list('false'), ...(actor.settings.testMode ? [list('true')] : [])]);
  const found = lists.flatMap(({ data }) => data);
  const data = await Promise.all(
    found.map(async (one) => {
      const reason =
        one.status === 'past_due'
          ? failedReasonOf(await app.requester.request(getSubscription, { subscriptionId: one.id }, context))
          : null;
      return portalSubscriptionOf(one, actor.settings, reason);
    }),
  );
  const isCut = lists.some(({ has_more }) => has_more === true);
  const page = pageOfAll(data.toSorted(inPortalOrder), call.query);
  return isCut ? { data: page.data, has_more: true } : page;
}

/**
 * A subscription with its renewals.
 * @throws DomainError subscription_not_found
 */
export async function getPortalSubscription(
  call: Call<{ readonly subscriptionId: string }>,
): Promise<PortalSubscriptionWithHistory> {
  const { app, actor, context, params } = call;
  const { accountId, settings } = actor;
  const found = await requireSubscription(call, params.subscriptionId);
  const ofOrder = { orderId: found.order_id, email: buyerOf(call).email, test: found.test };
  const [{ refunds }, card] = await Promise.all([
    app.requester.request(getBuyerOrder, ofOrder, context),
    cardProcessor(app, accountId, found.test),
  ]);
  return {
    ...portalSubscriptionOf(found, settings, failedReasonOf(found)),
    seller: sellerOf(call),
    processor: card.processor,
    publishable_key: card.publishableKey,
    card_change: found.card_change,
    awaits_confirmation: awaitsConfirmation(found),
    charges: portalChargesOf(found, refunds),
  };
}
