import {
  subscriptionCanceledPayload as publishedCancellation,
  funnelEmailSyncPayload as publishedEmail,
  subscriptionPaymentFailedPayload as publishedFailure,
  orderPaidPayload as publishedOrder,
  subscriptionPausedPayload as publishedPause,
  affiliatePaidPayload as publishedPayout,
  orderRefundedPayload as publishedRefund,
  subscriptionRebilledPayload as publishedRenewal,
  subscriptionResumedPayload as publishedResumption,
  upsellAcceptedPayload as publishedUpsell,
} from '@app/contracts/webhook-payloads';
import { expect, test } from 'vitest';
import {
  affiliatePaidPayload,
  funnelEmailSyncPayload,
  orderPaidPayload,
  orderRefundedPayload,
  subscriptionCanceledPayload,
  subscriptionPausedPayload,
  subscriptionPaymentFailedPayload,
  subscriptionRebilledPayload,
  subscriptionResumedPayload,
  upsellAcceptedPayload,
} from './payloads.rules.ts';

const sentAt = '2026-01-15T12:00:00.000Z';
const order = {
  orderId: 'ord_1',
  productId: 'prd_1',
  productName: 'Course',
  productSlug: 'course',
  pricingType: 'onetime' as const,
  billingInterval: null,
  priceCents: 123_450,
  customerEmail: 'ada@example.com',
  customerName: '  Ada  King Lovelace',
  country: 'GB',
  totalCents: 123_450,
  currency: 'usd',
  items: [],
  affiliateCode: 'PAL',
  creditedCode: 'PAL',
  creditPending: false,
  paymentMethod: null,
  accessUrl: 'https://example.com/in',
  supportEmail: 'help@example.com',
  source: 'api' as const,
  test: false,
  paidAt: sentAt,
  upsellShown: false,
  upsell: null,
};

test('order.paid has the published fields and nothing else', () => {
  const payload = orderPaidPayload(order, sentAt);
  expect(publishedOrder.parse(payload)).toEqual(payload);
  expect(payload).toMatchObject({ firstName: 'Ada', country: 'United Kingdom', countryCode: 'GB', total: '$1,234.50' });
});

const bought = [
  { kind: 'main' as const, label: 'Course', amountCents: 9_900, id: 'prd_1', accessUrl: 'https://example.com/in' },
  { kind: 'bump' as const, label: 'Guide', amountCents: 1_900, id: 'bmp_1', accessUrl: 'https://example.com/guide' },
  { kind: 'upsell' as const, label: 'Coaching', amountCents: 4_900, id: 'ups_1', accessUrl: null },
  { kind: 'discount' as const, label: 'SPRING', amountCents: -500, id: 'dsc_1', accessUrl: null },
];

test('order.paid lists what was bought behind the published fields, whose bytes stay', () => {
  const { items, lastFour, wallet, immediateAccess, ...published } = orderPaidPayload(
    { ...order, items: bought, lastFour: '4242', wallet: 'apple_pay' },
    sentAt,
  );
  expect({ lastFour, wallet }).toEqual({ lastFour: '4242', wallet: 'apple_pay' });
  expect(items).toEqual(bought.map((item) => ({ ...item, accessUrl: item.accessUrl ?? '' })));
  expect(Object.keys(publishedOrder.shape)).toEqual([
    ...Object.keys(published),
    'items',
    'lastFour',
    'wallet',
    'immediateAccess',
  ]);
  expect(JSON.stringify(orderPaidPayload({ ...order, items: bought }, sentAt))).toContain(
    JSON.stringify(published).slice(0, -1),
  );
});

test('an order of before its items had ids and links gives its items: the product’s are known', () => {
  const former = bought.map(({ kind, label, amountCents }) => ({ kind, label, amountCents }));
  expect(orderPaidPayload({ ...order, items: former }, sentAt).items).toEqual([
    { ...bought[0], accessUrl: order.accessUrl },
    ...bought.slice(1).map((item) => ({ ...item, id: '', accessUrl: '' })),
  ]);
});

test('upsell.accepted lists the upsell, also where the event was published without its id and link', () => {
  const about = { orderId: 'ord_1', productId: 'prd_1', productName: 'Course', customerEmail: 'ada@example.com' };
  const accepted = {
    ...about,
    currency: 'usd',
    test: false,
    headline: 'Coaching',
    amountCents: 4_900,
    acceptedAt: sentAt,
  };
  const item = { id: '', kind: 'upsell', label: 'Coaching', amountCents: 4_900, accessUrl: '' };
  expect(upsellAcceptedPayload(accepted, sentAt).items).toEqual([item]);
  const { items, ...published } = upsellAcceptedPayload(
    { ...accepted, upsellId: 'ups_1', accessUrl: 'https://example.com/call' },
    sentAt,
  );
  expect(items).toEqual([{ ...item, id: 'ups_1', accessUrl: 'https://example.com/call' }]);
  expect(Object.keys(published)).toEqual([
    ...['event', 'orderId', 'upsell', 'amountCents', 'amount', 'currency', 'email', 'sentAt'],
  ]);
});

test('strings without a value are empty, never absent', () => {
  const bare = {
    ...order,
    customerName: '',
    country: null,
    affiliateCode: null,
    creditedCode: null,
    accessUrl: '',
    supportEmail: '',
  };
  expect(orderPaidPayload(bare, sentAt)).toMatchObject({
    name: '',
    firstName: '',
    country: '',
    countryCode: '',
    affiliate: '',
    accessUrl: '',
    supportEmail: '',
  });
});

test('the payload names the code of the credited affiliate as the affiliate spells it', () => {
  const affiliateOf = (fields: object) => orderPaidPayload({ ...order, ...fields }, sentAt).affiliate;
  expect(affiliateOf({ affiliateCode: 'pal', creditedCode: 'PAL' })).toBe('PAL');
  expect(affiliateOf({ affiliateCode: 'typo', creditedCode: null })).toBe('');
  // The affiliate service did not answer at the sale: whether the code is a partner's is not known.
  expect(affiliateOf({ affiliateCode: 'pal', creditedCode: null, creditPending: true })).toBe('');
});

test('display amounts follow the currency', () => {
  expect(orderPaidPayload({ ...order, totalCents: 1_235, currency: 'jpy' }, sentAt).total).toBe('¥1,235');
});

test('funnel.email.sync has the published fields and nothing else', () => {
  const email = {
    productId: 'prd_1',
    productSlug: 'course',
    productName: 'Course',
    position: 1,
    sendDay: 0,
    subject: 'Hi',
    body: '<p>Hi</p>',
  };
  const payload = funnelEmailSyncPayload(email, sentAt);
  expect(publishedEmail.parse(payload)).toEqual(payload);
});

const about = {
  orderId: 'ord_1',
  productId: 'prd_1',
  productName: 'Course',
  customerEmail: 'ada@example.com',
  currency: 'eur',
  test: false,
};

test('order.refunded has the published fields and nothing else, and names the whole total though the platform gave nothing back', () => {
  const counted = { orders: 1, cents: 4_900 };
  const times = { paidAt: sentAt, refundedAt: sentAt };
  const refund = { ...about, totalCents: 4_900, refundedCents: 0, refundNo: 1, counted, ...times };
  expect(publishedRefund.parse(orderRefundedPayload(refund, sentAt))).toEqual({
    event: 'order.refunded',
    orderId: 'ord_1',
    product: 'Course',
    email: 'ada@example.com',
    totalCents: 4_900,
    total: '€49.00',
    currency: 'eur',
    sentAt,
  });
});

test('upsell.accepted has the published fields and nothing else', () => {
  const accepted = { ...about, headline: 'Coaching', amountCents: 9_900, acceptedAt: '2026-01-15T11:59:59.000Z' };
  expect(publishedUpsell.parse(upsellAcceptedPayload(accepted, sentAt))).toEqual({
    event: 'upsell.accepted',
    orderId: 'ord_1',
    upsell: 'Coaching',
    amountCents: 9_900,
    amount: '€99.00',
    currency: 'eur',
    email: 'ada@example.com',
    sentAt,
    items: [{ id: '', kind: 'upsell', label: 'Coaching', amountCents: 9_900, accessUrl: '' }],
  });
});

const subscription = {
  ...about,
  subscriptionId: 'sub_1',
  amountCents: 49_000,
  billingInterval: 'year' as const,
  mrrCents: 4_083,
};

test('subscription.canceled, .paused and .resumed have one shape, the published one and nothing else', () => {
  const shape = { subscriptionId: 'sub_1', product: 'Course', email: 'ada@example.com', mrrCents: 4_083, sentAt };
  const ended = { statusBefore: 'active', reason: 'seller', sendWebhook: true, canceledAt: sentAt } as const;
  const canceled = subscriptionCanceledPayload({ ...subscription, ...ended }, sentAt);
  expect(publishedCancellation.parse(canceled)).toEqual({ event: 'subscription.canceled', ...shape });
  const paused = subscriptionPausedPayload({ ...subscription, statusBefore: 'past_due', pausedAt: sentAt }, sentAt);
  expect(publishedPause.parse(paused)).toEqual({ event: 'subscription.paused', ...shape });
  const resumed = subscriptionResumedPayload(
    { ...subscription, statusAfter: 'active' as const, nextChargeAt: null, resumedAt: sentAt },
    sentAt,
  );
  expect(publishedResumption.parse(resumed)).toEqual({ event: 'subscription.resumed', ...shape });
});

const renewal = { ...subscription, paymentId: 'pmt_1', period: 2, attempt: 1, statusBefore: 'active' as const };
const charge = {
  subscriptionId: 'sub_1',
  product: 'Course',
  email: 'ada@example.com',
  amountCents: 49_000,
  amount: '€490.00',
  currency: 'eur',
};

test('subscription.rebilled has the published fields, and after them its order and the card', () => {
  const period = { periodStart: '2026-01-15T08:00:00.000Z', periodEnd: '2027-01-15T08:00:00.000Z' };
  const rebilled = { ...renewal, ...period, statusAfter: 'active' as const, affiliateNamed: false, chargedAt: sentAt };
  const first = { event: 'subscription.rebilled', ...charge, ...period, sentAt };
  const bodyOf = (card: object) => JSON.stringify(subscriptionRebilledPayload({ ...rebilled, ...card }, sentAt));
  expect(bodyOf({ lastFour: '4242', wallet: 'apple_pay' })).toBe(
    JSON.stringify({ ...first, orderId: 'ord_1', lastFour: '4242', wallet: 'apple_pay' }),
  );
  // Of an earlier version, or a period that costs nothing.
  const unknown = bodyOf({});
  expect(unknown).toBe(JSON.stringify({ ...first, orderId: 'ord_1', lastFour: '', wallet: '' }));
  expect(JSON.stringify(publishedRenewal.parse(JSON.parse(unknown)))).toBe(unknown);
});

test('subscription.payment_failed has the published fields and nothing else', () => {
  const failed = { ...renewal, attempt: 4, nextTryDays: 0, statusAfter: 'canceled' as const, reason: 'lost_card' };
  expect(publishedFailure.parse(subscriptionPaymentFailedPayload({ ...failed, failedAt: sentAt }, sentAt))).toEqual({
    event: 'subscription.payment_failed',
    ...charge,
    attempt: 4,
    nextTryDays: 0,
    sentAt,
    reason: 'card_declined',
  });
});

test.each([
  ['insufficient_funds', 'insufficient_funds'],
  ['authentication_required', 'authentication_required'],
  ['fraudulent', 'card_declined'],
])('a failed renewal says of %s that it was %s: no more than a buyer is told', (reason, told) => {
  const failed = { ...renewal, attempt: 1, nextTryDays: 3, statusAfter: 'past_due' as const, reason, failedAt: sentAt };
  expect(subscriptionPaymentFailedPayload(failed, sentAt).reason).toBe(told);
});

test('what happens in a rehearsal is sent with the rehearsal’s time, the end after the attempt that brought it', () => {
  const at = '2026-12-15T12:00:00.000Z';
  const of = { ...renewal, test: true };
  const ended = { ...of, canceledAt: at, sendWebhook: true };
  const paid = {
    periodStart: at,
    periodEnd: '2027-01-15T12:00:00.000Z',
    statusAfter: 'active' as const,
    chargedAt: at,
  };
  const failed = { nextTryDays: 3, statusAfter: 'past_due' as const, reason: 'card_declined', failedAt: at };
  expect([
    subscriptionRebilledPayload({ ...of, ...paid, affiliateNamed: false }, sentAt),
    subscriptionPaymentFailedPayload({ ...of, ...failed }, sentAt),
    subscriptionPausedPayload({ ...of, pausedAt: at }, sentAt),
    subscriptionResumedPayload({ ...of, statusAfter: 'active', nextChargeAt: null, resumedAt: at }, sentAt),
    subscriptionCanceledPayload({ ...ended, reason: 'seller' }, sentAt),
  ]).toMatchObject(Array(5).fill({ sentAt: at }));
  const unpaid = subscriptionCanceledPayload({ ...ended, reason: 'payment_failed' }, sentAt);
  expect(unpaid.sentAt).toBe('2026-12-15T12:00:00.001Z');
  const live = subscriptionCanceledPayload({ ...ended, reason: 'payment_failed', test: false }, sentAt);
  expect(live.sentAt).toBe(sentAt);
});

test('affiliate.paid has the published fields, and the currency of its amount', () => {
  const payout = {
    payoutId: 'pay_1',
    affiliateCode: 'PAL',
    creditedCode: 'PAL',
    creditPending: false,
    affiliateName: 'Sophie',
    affiliateEmail: 'sophie@example.com',
    ...{ amountCents: 4_200, currency: 'jpy', commissionCount: 3, paidAt: sentAt },
  };
  expect(publishedPayout.parse(affiliatePaidPayload(payout, sentAt))).toEqual({
    event: 'affiliate.paid',
    affiliate: 'PAL',
    name: 'Sophie',
    email: 'sophie@example.com',
    ...{ amountCents: 4_200, amount: '¥4,200', currency: 'jpy', commissionCount: 3, payoutId: 'pay_1', sentAt },
  });
});
