import type { ComparedOrder } from '@app/contracts/order-comparisons';
import { expect, test } from 'vitest';
import { compareOrder, notFollowed, type OrderPayments } from './order-comparison.rules.ts';

const order = (fields: Partial<ComparedOrder> = {}): ComparedOrder => ({
  ...{ orderId: 'ord_1', status: 'paid', source: 'checkout', totalCents: 4900, currency: 'usd' },
  ...{ refundedCents: 0, changedAt: '2026-03-15T12:00:00.000Z', subscription: null },
  ...fields,
});
const own = (fields: Partial<OrderPayments> = {}): OrderPayments => ({
  ...{ orderId: 'ord_1', paid: true, hold: null, currency: 'usd', chargedCents: 4900, refundedCents: 0 },
  ...{ lostCents: 0, subscription: null, moving: false },
  ...fields,
});
const sold: ComparedOrder['subscription'] = {
  ...{ productId: 'prd_1', productName: 'Course', customerEmail: 'ada@example.com', priceCents: 4900 },
  ...{ billingInterval: 'month', affiliateNamed: false, paidAt: '2026-03-15T12:00:00.000Z' },
};
const nothing = { paid: false, currency: null, chargedCents: 0 };

test.each([
  ['paid as charged', order(), own()],
  ['authorized, and held', order({ status: 'authorized' }), own({ hold: 'held', chargedCents: 0 })],
  ['refunded, and all given back', order({ status: 'refunded' }), own({ refundedCents: 4900 })],
  ['partly given back', order({ refundedCents: 900 }), own({ refundedCents: 900 })],
  ['given back less, because a refund failed just now', order({ refundedCents: 900 }), own()],
  ['expired, and the hold lost', order({ status: 'expired' }), own({ hold: 'lost', chargedCents: 0 })],
  ['recorded by the seller’s own code', order({ source: 'api' }), own(nothing)],
  ['missing, its lacked hold ended', undefined, own({ ...nothing, hold: 'lost' })],
  ['free', order({ totalCents: 0 }), own(nothing)],
  ['a subscription that lives', order({ subscription: sold }), own({ subscription: 'past_due' })],
  ['a refunded one that ended', order({ status: 'refunded' }), own({ refundedCents: 4900, subscription: 'canceled' })],
])('an order that is %s differs in nothing', (_, checkouts, billings) => {
  expect(compareOrder(checkouts, billings)).toEqual({ kind: 'equal' });
});

test.each([
  ['authorized, its hold settled', order({ status: 'authorized' }), own({ hold: 'settled' })],
  ['authorized, its hold lost', order({ status: 'authorized' }), own({ hold: 'lost', chargedCents: 0 })],
  ['authorized, its lacked hold ended', order({ status: 'authorized' }), own({ ...nothing, hold: 'lost' })],
  ['missing, and charged', undefined, own()],
  ['missing, and held', undefined, own({ hold: 'held', chargedCents: 0 })],
])('an order that is %s follows', (_, checkouts, billings) => {
  expect(compareOrder(checkouts, billings)).toEqual({ kind: 'follow' });
});

test('a paid order whose subscription is missing gets it', () => {
  expect(compareOrder(order({ subscription: sold }), own())).toEqual({ kind: 'start' });
});

test.each([
  [
    'another amount',
    order(),
    own({ chargedCents: 3000 }),
    'is paid with $49.00, and of its payments $30.00 was charged.',
  ],
  ['another currency', order(), own({ currency: 'eur' }), '€49.00 was charged'],
  ['no payment', order(), own(nothing), 'none took money'],
  ['paid while only held', order(), own({ hold: 'held', chargedCents: 0 }), 'the money is only held'],
  [
    'all given back',
    order(),
    own({ refundedCents: 4900 }),
    '$49.00 was charged and $49.00 given back. Refund the order',
  ],
  ['a part given back', order({ refundedCents: 0 }), own({ refundedCents: 900 }), 'shows $0.00 as given back'],
  ['refunded in part', order({ status: 'refunded' }), own({ refundedCents: 900 }), 'Refund what is left'],
  ['expired and charged', order({ status: 'expired' }), own(), 'is expired with $49.00'],
  ['authorized without a hold', order({ status: 'authorized' }), own(nothing), 'no payment of it is recorded'],
  [
    'refunded, the subscription lives',
    order({ status: 'refunded', source: 'api' }),
    own({ ...nothing, subscription: 'active' }),
    'its subscription is active',
  ],
  ['a subscription of no order', undefined, own({ ...nothing, subscription: 'active' }), 'there is no such order'],
])('%s: the seller reads both sides', (_, checkouts, billings, words) => {
  expect(compareOrder(checkouts, billings)).toEqual({ kind: 'differs', detail: expect.stringContaining(words) });
});

test('money that has not come to rest is not compared', () => {
  expect(compareOrder(order(), own({ ...nothing, moving: true })).kind).toBe('moving');
});

test('what could not follow says both sides', () => {
  expect(notFollowed(undefined, own())).toContain('$49.00 was charged, and there is no such order');
  expect(notFollowed(order({ status: 'authorized' }), own())).toContain('Order ord_1 is authorized with $49.00');
});
