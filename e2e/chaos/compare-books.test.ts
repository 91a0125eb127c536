import { expect, test } from 'vitest';
import type { Books, Comparison } from './books.ts';
import { compareHeldOrders, compareOrders } from './compare-orders.ts';
import { compareCharges, compareHolds, comparePayments } from './compare-processor.ts';
import { compareSubscriptions } from './compare-subscriptions.ts';
import { compareEvents } from './compare-webhooks.ts';
import type { World } from './world.ts';

/*
 * The books of one order: its card was held and captured, its upsell charged and given back in part, and the subscription that
 * it began renewed twice and was given two cards. Whatever is changed in them, a comparison shows it.
 */
const day = (text: string): Date => new Date(`${text}T10:00:00Z`);
const about = { account_id: 'acc', order_id: 'ord', currency: 'usd', test: false } as const;

type Entry = Books['entries'][number];
const entry = (payment_id: string, kind: Entry['kind'], amount_cents: number, more: Partial<Entry> = {}): Entry => ({
  ...{ ...about, payment_id, reference: `ref-${payment_id}`, kind, status: 'succeeded', amount_cents, about: null },
  ...{ taken_cents: 0, released: false, recorded_at: day('2026-01-01'), saved_method: null },
  ...{ lost_cents: 0, at_stripe: false, ...more },
});

type Payment = Books['payments'][number];
const payment = (
  id: string,
  step: Payment['step'],
  call: Payment['call'],
  amount_cents: number,
  charge_id: string | null = null,
): Payment => ({
  ...{ ...about, id, step, charge_id, call, amount_cents, status: 'succeeded', reason: null, reference: `ref-${id}` },
  ...{ attempt_no: 1, period: null, card: null, about: null, processor: 'simulated' },
});

type Charge = Books['charges'][number];
const charge = (id: string, step: Charge['step'], amount_cents: number, refunded_cents = 0): Charge => ({
  ...{ id, account_id: 'acc', order_id: 'ord', step, amount_cents, refunded_cents },
  ...{ lost_cents: 0, reference: `ref-${id}` },
});

type Renewal = Books['renewals'][number];
const renewal = (period: number, starts: string, ends: string): Renewal => ({
  ...{ account_id: 'acc', subscription_id: 'sub', period, starts_at: day(starts), ends_at: day(ends) },
  ...{ amount_cents: 1_900, status: 'paid', payment_id: `renewal-${period}`, paid_at: day(starts) },
});

type Written = Books['events'][number];
const event = (subject: string, data: Written['data']): Written => ({ id: subject, subject, accountId: 'acc', data });

/** As it should be; each test gets its own. */
const sound = () => ({
  entries: [
    entry('hold', 'hold', 3_200, { taken_cents: 3_200 }),
    entry('capture', 'capture', 3_200, { about: 'ref-hold' }),
    entry('upsell', 'charge', 2_700, { taken_cents: 700 }),
    entry('refund', 'refund', 700, { about: 'ref-upsell' }),
    entry('renewal-2', 'charge', 1_900, { recorded_at: day('2026-02-01') }),
    entry('renewal-3', 'charge', 1_900, { recorded_at: day('2026-03-01') }),
    entry('card-1', 'method', 0, { saved_method: 'token-1' }),
    entry('card-2', 'method', 0, { saved_method: 'token-2' }),
  ],
  payments: [
    payment('hold', 'main', 'authorize', 3_200),
    payment('capture', 'capture', 'capture', 3_200),
    payment('upsell', 'upsell', 'chargeSaved', 2_700),
    payment('refund', 'refund', 'refund', 700, 'upsell'),
    payment('renewal-2', 'renewal', 'chargeSaved', 1_900),
    payment('renewal-3', 'renewal', 'chargeSaved', 1_900),
    { ...payment('card-1', 'card', 'saveMethod', 0), card: 'one' },
    { ...payment('card-2', 'card', 'saveMethod', 0), card: 'two', attempt_no: 2 },
  ],
  charges: [
    ...[charge('capture', 'capture', 3_200), charge('upsell', 'upsell', 2_700, 700)],
    ...[charge('renewal-2', 'renewal', 1_900), charge('renewal-3', 'renewal', 1_900)],
  ],
  holds: [
    {
      ...{ order_id: 'ord', payment_id: 'hold', reference: 'ref-hold', amount_cents: 3_200, captured_cents: 3_200 },
      ...{ status: 'settled' as string, lost_because: null },
    },
  ],
  subscriptions: [
    {
      ...{ id: 'sub', account_id: 'acc', order_id: 'ord', product_id: 'prd', amount_cents: 1_900, period: 3 },
      ...{ billing_interval: 'month', status: 'active', test: false, ends: false, payment_method: 'token-2' },
      ...{ current_period_end: day('2026-04-01'), started_at: day('2026-01-01') },
    },
  ],
  renewals: [renewal(2, '2026-02-01', '2026-03-01'), renewal(3, '2026-03-01', '2026-04-01')],
  orders: [
    {
      ...{ id: 'ord', account_id: 'acc', product_id: 'prd', customer_email: 'b@example.com', total_cents: 5_900 },
      ...{ refunded_cents: 700, given_back_cents: 700, affiliate_code: null, discount_id: null, source: 'checkout' },
      ...{ test: false, items: [{ kind: 'main' }, { kind: 'upsell' }], sold_at: day('2026-01-01') },
      status: 'paid' as string,
    },
  ],
  discountUses: [],
  events: [
    event('evt.checkout.order.paid.v1', { orderId: 'ord' }),
    event('evt.checkout.upsell.accepted.v1', { orderId: 'ord' }),
    event('evt.checkout.payment.refunded.v1', { orderId: 'ord', refundId: 'refund' }),
    event('evt.billing.subscription.started.v1', { subscriptionId: 'sub' }),
    event('evt.billing.subscription.rebilled.v1', { subscriptionId: 'sub', period: 2 }),
    event('evt.billing.subscription.rebilled.v1', { subscriptionId: 'sub', period: 3 }),
  ],
});
type Sound = ReturnType<typeof sound>;

const world = { shops: [{ products: [{ id: 'prd', pricingType: 'subscription' }] }] } as unknown as World;

function differencesIn(changed: Sound): string[] {
  const books = changed as unknown as Books;
  const comparisons: Comparison[] = [
    ...[
      comparePayments(books),
      compareCharges(books),
      compareHolds(books, { capturedThere: new Map() }),
      compareOrders(books),
    ],
    ...[compareHeldOrders(books), compareSubscriptions(world, books), compareEvents(books)],
  ];
  return comparisons.flatMap(({ name, differences }) => differences.map((each) => `${name}: ${each}`));
}

test('books that agree show no difference', () => {
  expect(differencesIn(sound())).toEqual([]);
});

/** A row with other fields. */
function change<Row>(rows: Row[], n: number, fields: object): void {
  rows[n] = { ...(rows[n] as Row), ...fields };
}

const second = { payment_id: 'other', reference: 'ref-other' };

test.each<[string, (books: Sound) => unknown]>([
  ['money under one payment id with another reference', ({ entries }) => change(entries, 2, { reference: 'ref-x' })],
  ['a charge that only the processor knows', ({ entries }) => entries.push({ ...(entries[2] as Entry), ...second })],
  ['a charge that the processor does not know', ({ entries }) => entries.splice(2, 1)],
  ['a charge of another amount', ({ charges }) => change(charges, 1, { amount_cents: 2_800 })],
  ['a lost dispute that is not recorded', ({ entries }) => change(entries, 2, { lost_cents: 300 })],
  ['a lost dispute that is only recorded', ({ charges }) => change(charges, 0, { lost_cents: 300 })],
  [
    'what was to go back and did not',
    ({ payments }) => change(payments, 4, { status: 'declined', reason: 'reversed' }),
  ],
  [
    'a hold that was released there',
    ({ entries }) => entries.push(entry('unknown', 'release', 3_200, { about: 'ref-hold' })),
  ],
  ['a charge that is not recorded', ({ charges }) => charges.splice(1, 1)],
  ['a refund that is not counted', ({ charges }) => change(charges, 1, { refunded_cents: 0 })],
  ['a refund that failed at the processor', ({ entries }) => change(entries, 3, { status: 'failed' })],
  ['a hold that was released', ({ entries }) => change(entries, 0, { released: true })],
  ['a hold of which nothing was captured', ({ holds }) => change(holds, 0, { captured_cents: 0 })],
  ['a lost hold of a paid order', ({ holds }) => change(holds, 0, { status: 'lost' })],
  ['a payment without an end', ({ payments }) => change(payments, 4, { status: 'unknown' })],
  ['an order that is still authorized', ({ orders }) => change(orders, 0, { status: 'authorized' })],
  ['an order of another total', ({ orders }) => change(orders, 0, { total_cents: 3_200 })],
  ['an order that is refunded and was not given back', ({ orders }) => change(orders, 0, { status: 'refunded' })],
  ['an order that does not say what went back', ({ orders }) => change(orders, 0, { refunded_cents: 0 })],
  ['charges without their order', ({ orders }) => orders.splice(0)],
  ['a second main charge', ({ charges }) => charges.push(charge('main', 'main', 5_900))],
  ['an order without its subscription', ({ subscriptions }) => subscriptions.splice(0)],
  ['a period that was charged and not recorded', ({ renewals }) => renewals.splice(1)],
  ['a period that was recorded and not charged', ({ charges }) => charges.splice(3)],
  ['periods with a gap', ({ renewals }) => change(renewals, 1, { period: 4 })],
  ['periods that overlap', ({ renewals }) => change(renewals, 1, { starts_at: day('2026-02-20') })],
  ['two periods on one day', ({ renewals }) => change(renewals, 1, { paid_at: day('2026-02-01') })],
  ['two charges on one day', ({ entries }) => change(entries, 5, { recorded_at: day('2026-02-01') })],
  ['a subscription on an earlier card', ({ subscriptions }) => change(subscriptions, 0, { payment_method: 'token-1' })],
  ['an event that was written twice', ({ events }) => events.push(events[0] as Written)],
  ['an event that was not written', ({ events }) => events.splice(3, 1)],
])('%s is a difference', (_, tamper) => {
  const books = sound();
  tamper(books);
  expect(differencesIn(books)).not.toEqual([]);
});
