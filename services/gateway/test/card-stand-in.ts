import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { getSubscription, putPaymentMethod } from '@app/contracts/subscriptions';
import { onRequest } from '@app/messaging/serve-requests';

type Subscription = RequestOutput<typeof getSubscription>;

const monthly = (id: string, email: string): Subscription => ({
  id,
  order_id: 'ord_01kaf2m4n6p8r0t2v4x6z8b0dg',
  product_id: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg',
  product_name: 'Club',
  customer_email: email,
  amount_cents: 900,
  currency: 'usd',
  billing_interval: 'month',
  status: 'active',
  collection: 'automatic',
  started_at: '2026-03-01T00:00:00.000Z',
  current_period_end: '2026-04-01T00:00:00.000Z',
  cancel_at: null,
  canceled_at: null,
  paused_at: null,
  next_charge_at: '2026-04-01T00:00:00.000Z',
  failed_tries: 0,
  last_four: '4242',
  test: false,
  periods: [],
  payments: [],
  card_change: null,
});

/** Stands in for billing's cards: each account has the subscription of one buyer, and a test says which cards are declined. */
export function createCardStandIn() {
  const cards = {
    buyer: 'buyer@example.com',
    /** Tokens that the processor was asked to save. */
    given: [] as string[],
    isDeclined: (_token: string): boolean => false,
  };
  return {
    cards,
    billing: [
      onRequest(getSubscription, async ({ subscriptionId }) => monthly(subscriptionId, cards.buyer)),
      onRequest(putPaymentMethod, async ({ subscriptionId, body }) => {
        cards.given.push(body.paymentMethod);
        if (cards.isDeclined(body.paymentMethod)) throw new DomainError('card_declined', 'The card was declined.');
        const { periods: _, payments: __, card_change: ___, ...changed } = monthly(subscriptionId, cards.buyer);
        return { ...changed, renewal_under_way: false, payment_method: { status: 'saved' as const, url: null } };
      }),
    ],
  };
}
