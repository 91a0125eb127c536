import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { getBuyerOrder } from '@app/contracts/portal';
import { continuePaymentMethod, getSubscription, putPaymentMethod } from '@app/contracts/subscriptions';
import { onRequest } from '@app/messaging/serve-requests';

type Subscription = RequestOutput<typeof getSubscription>;
type Renewal = Subscription['payments'][number];
type Confirmation = RequestOutput<typeof continuePaymentMethod>['renewalConfirmation'];

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
  paused_by: null,
  next_charge_at: '2026-04-01T00:00:00.000Z',
  failed_tries: 0,
  last_four: '4242',
  test: false,
  periods: [],
  payments: [],
  card_change: null,
});

const renewalOf = (id: string, status: Renewal['status'], at: Date): Renewal => ({
  id: 'pmt_01kaf2m4n6p8r0t2v4x6z8b0dg',
  order_id: monthly(id, '').order_id,
  step: 'renewal',
  try_no: 2,
  amount_cents: 900,
  currency: 'usd',
  status,
  reason: status === 'declined' ? 'authentication_required' : null,
  explanation: '',
  next: null,
  processor: 'simulated',
  processor_reference: null,
  product_name: 'Club',
  customer_email: '',
  last_four: '4242',
  test: false,
  created_at: at.toISOString(),
  finished_at: null,
});

const declined = () => new DomainError('card_declined', 'The card was declined.');

/** Stands in for billing's cards, and for the order they belong to: each account has the subscription of one buyer, and a test says which cards are declined. */
export function createCardStandIn(nowMs: () => number) {
  const cards = {
    buyer: 'buyer@example.com',
    /** What the subscription's order cost. */
    orderCents: 900,
    /** Tokens that the processor was called to save. */
    given: [] as string[],
    /** How often the processor was queried for the newest card. */
    continued: 0,
    /** What the processor knows then, and has not said before. */
    onContinued: (): void => undefined,
    isDeclined: (_token: string): boolean => false,
    /** How the newest card stands that is not saved. */
    change: null as Subscription['card_change'],
    /** How the charge of the saved card stands; null where nothing was past due. */
    renewal: null as Renewal['status'] | null,
    /** When it was charged; now unless a test says when. */
    renewedAt: null as Date | null,
    /** Where the buyer confirms that charge. */
    confirmation: null as Confirmation,
  };
  const found = (id: string): Subscription => {
    const { buyer, change, renewal } = cards;
    const subscription = { ...monthly(id, buyer), card_change: change };
    if (renewal === null) return subscription;
    const status = renewal === 'succeeded' ? 'active' : 'past_due';
    return { ...subscription, status, payments: [renewalOf(id, renewal, cards.renewedAt ?? new Date(nowMs()))] };
  };
  const withCard = (subscriptionId: string) => {
    const { periods: _, payments: __, card_change: ___, ...changed } = found(subscriptionId);
    const { change, renewal } = cards;
    if (change?.status === 'declined') throw declined();
    return {
      ...changed,
      renewal_under_way: renewal === 'requires_action' || renewal === 'sent',
      payment_method:
        change === null ? { status: 'saved' as const, url: null } : { status: change.status, url: change.url },
    };
  };
  return {
    cards,
    checkout: [
      onRequest(getBuyerOrder, async ({ orderId }) => ({
        id: orderId,
        product_id: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg',
        product_name: 'Club',
        customer_email: cards.buyer,
        customer_name: 'Ada',
        total_cents: cards.orderCents,
        refunded_cents: 0,
        currency: 'usd',
        status: 'paid' as const,
        created_at: '2026-03-01T00:00:00.000Z',
        test: false,
        items: [],
        refunds: [],
        immediate_access: null,
      })),
    ],
    billing: [
      onRequest(getSubscription, async ({ subscriptionId }) => found(subscriptionId)),
      onRequest(putPaymentMethod, async ({ subscriptionId, body }) => {
        cards.given.push(body.paymentMethod);
        if (cards.isDeclined(body.paymentMethod)) throw declined();
        return withCard(subscriptionId);
      }),
      onRequest(continuePaymentMethod, async ({ subscriptionId }) => {
        cards.continued += 1;
        cards.onContinued();
        return { ...withCard(subscriptionId), renewalConfirmation: cards.confirmation };
      }),
    ],
  };
}
