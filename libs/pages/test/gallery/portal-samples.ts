import type { PortalOrder, PortalReceipt, PortalSubscriptionWithHistory } from '@app/contracts/portal';
import { simulatedCard } from '../../src/checkout/cards.ts';
import { formatsFor } from '../../src/formats.ts';
import type { CardContent } from '../../src/portal/card-pages.ts';
import type { OpenedOf } from '../../src/portal/model.ts';
import { boughtItems, purchase } from './samples.ts';

const seller = { name: purchase.shop.name, support_email: purchase.shop.supportEmail };

export const portalOrder: PortalOrder = {
  id: 'ord_01jd2q5v8kfw9s3x6z7yabcdef',
  product_name: 'Watercolour in 30 days',
  total_cents: 14_565,
  refunded_cents: 0,
  currency: 'usd',
  status: 'paid',
  created_at: '2026-10-23T12:00:00.000Z',
  test: false,
};

export const receipt: PortalReceipt = {
  ...portalOrder,
  customer_email: 'ada@example.com',
  customer_name: 'Ada Lovelace',
  items: boughtItems.map(({ access_url, ...item }) => ({ ...item, access_url: access_url ?? '' })),
  access_url: 'https://atelier.example/watercolour',
  last_four: '4242',
  immediate_access: null,
  refunds: [],
  seller,
};

export const subscription: PortalSubscriptionWithHistory = {
  id: 'sub_01jd2q5v8kfw9s3x6z7yabcdef',
  order_id: portalOrder.id,
  product_name: 'The open studio',
  amount_cents: 2_900,
  currency: 'usd',
  billing_interval: 'month',
  status: 'active',
  collection: 'automatic',
  started_at: '2026-08-23T12:00:00.000Z',
  current_period_end: '2026-12-23T12:00:00.000Z',
  cancel_at: null,
  canceled_at: null,
  next_charge_at: '2026-12-23T12:00:00.000Z',
  failed_reason: null,
  last_four: '4242',
  may_cancel: true,
  may_pause: true,
  may_resume: false,
  test: false,
  seller,
  processor: 'simulated',
  publishable_key: null,
  card_change: null,
  awaits_confirmation: false,
  charges: [
    chargeOf({ charged_at: '2026-11-23T12:00:00.000Z' }),
    chargeOf({ charged_at: '2026-10-23T12:00:00.000Z', refunded_cents: 1_000 }),
    chargeOf({ charged_at: '2026-09-23T12:00:00.000Z', last_four: null }),
  ],
};

type Charge = PortalSubscriptionWithHistory['charges'][number];
export function chargeOf(changes: Partial<Charge>): Charge {
  const charge = { amount_cents: 2_900, refunded_cents: 0, status: 'paid', last_four: '4242', charged_at: '' } as const;
  return Object.assign({}, charge, changes);
}

export const subscriptionOf = (changes: Partial<PortalSubscriptionWithHistory>): PortalSubscriptionWithHistory =>
  Object.assign({}, subscription, changes);

export const pastDue = subscriptionOf({
  status: 'past_due',
  next_charge_at: '2026-11-26T00:00:00.000Z',
  current_period_end: '2026-11-23T12:00:00.000Z',
  failed_reason: 'card_declined',
  charges: [chargeOf({ charged_at: '2026-11-23T12:00:00.000Z', status: 'declined' }), ...subscription.charges.slice(1)],
});
export const ending = subscriptionOf({
  cancel_at: subscription.current_period_end,
  next_charge_at: null,
  may_pause: false,
});
export const paused = subscriptionOf({ status: 'paused', next_charge_at: null, may_pause: false, may_resume: true });
export const ended = subscriptionOf({
  status: 'canceled',
  canceled_at: '2026-11-23T12:00:00.000Z',
  next_charge_at: null,
  may_cancel: false,
  may_pause: false,
});

/** A page of the portal's samples around some content. */
export const openedOf = <Content>(content: Content, languages = 'en-US', isOfCard = false): OpenedOf<Content> => ({
  shop: purchase.shop,
  path: '/p/atelier',
  formats: formatsFor(languages),
  now: '2026-11-24T12:00:00.000Z',
  key: 'key',
  visitor: { email: 'ada@example.com', isOfCard },
  content,
});

export const cardOf = (of: PortalSubscriptionWithHistory, changes: Partial<CardContent> = {}): CardContent =>
  Object.assign({ subscription: of, card: simulatedCard, chosen: 'sim_ok', notice: null }, changes);
