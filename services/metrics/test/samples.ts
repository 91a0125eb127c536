import type { checkoutVisited } from '@app/contracts/checkouts';
import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { orderRefunded, orderReopened, paymentRefunded, paymentReopened } from '@app/contracts/orders';
import type { productCreated } from '@app/contracts/products';
import type * as subscriptions from '@app/contracts/subscriptions';
import { type PaidOrder, paidOrder } from '@app/testing/paid-order';

const nowMs = Date.parse('2026-01-15T12:00:00.000Z');

type ProductData = EventData<typeof productCreated>;

/** Of a product made at the epoch: no consumer waits for its event. */
export function creationEvent(accountId: string, fields: Partial<ProductData> = {}) {
  const data: ProductData = { productId: newId('product', 0), name: 'Course', pricingType: 'onetime', ...fields };
  return { id: newId('event', nowMs), accountId, data };
}

/** Makes events of one kind: they say what `usual` says unless a test says otherwise, and occur at their `time`. */
const eventsOf =
  <Data extends object>(time: keyof Data, usual: (productId: string, fields: Partial<Data>) => Data) =>
  (accountId: string, productId: string, fields: Partial<Data> = {}) => {
    const data: Data = { ...usual(productId, fields), ...fields };
    return { id: newId('event', nowMs), accountId, occurredAt: String(data[time]), data };
  };

export function orderEvent(accountId: string, productId: string, fields: Partial<PaidOrder> = {}) {
  const data = paidOrder(nowMs, {
    ...{ productId, customerEmail: 'buyer@example.com', customerName: 'Buyer' },
    items: [{ kind: 'main', label: 'Course', amountCents: 4_900 }],
    ...fields,
  });
  return { id: newId('event', nowMs), accountId, occurredAt: data.paidAt, data };
}

export const subscriptionEvent = eventsOf<EventData<typeof subscriptions.subscriptionStarted>>(
  'startedAt',
  (productId) => ({
    subscriptionId: newId('subscription', nowMs),
    orderId: newId('order', nowMs),
    productId,
    customerEmail: 'buyer@example.com',
    amountCents: 1900,
    currency: 'usd',
    billingInterval: 'month',
    startedAt: '2026-01-15T12:00:00.000Z',
    test: false,
  }),
);

const aboutOrder = (productId: string) => ({
  orderId: newId('order', nowMs),
  productId,
  productName: 'Course',
  customerEmail: 'buyer@example.com',
  currency: 'usd',
  test: false,
});

const aboutRefund = (productId: string, totalCents: number) => ({
  ...aboutOrder(productId),
  totalCents,
  refundNo: 1,
  counted: { orders: 1, cents: totalCents },
  paidAt: '2026-01-15T12:00:00.000Z',
});

export const refundEvent = eventsOf<EventData<typeof orderRefunded>>(
  'refundedAt',
  (productId, { totalCents = 4900 }) => ({
    ...aboutRefund(productId, totalCents),
    refundedCents: 4900,
    refundedAt: '2026-01-20T12:00:00.000Z',
  }),
);

export const reopeningEvent = eventsOf<EventData<typeof orderReopened>>(
  'reopenedAt',
  (productId, { totalCents = 4900 }) => ({
    ...aboutRefund(productId, totalCents),
    detail: 'the card is closed',
    reopenedAt: '2026-01-25T12:00:00.000Z',
  }),
);

const aboutPaymentRefund = (productId: string) => ({
  ...aboutOrder(productId),
  ...{ paymentId: 'pmt_1', refundId: newId('payment', nowMs), amountCents: 1000, subscriptionId: null, period: null },
  ...{ changeNo: 1, part: { refundedCents: 1000, ofCents: 4900 } },
});

export const paymentRefundEvent = eventsOf<EventData<typeof paymentRefunded>>('refundedAt', (productId) => ({
  ...aboutPaymentRefund(productId),
  isFirst: true,
  refundedAt: '2026-01-20T12:00:00.000Z',
}));

export const paymentReopeningEvent = eventsOf<EventData<typeof paymentReopened>>('reopenedAt', (productId) => ({
  ...aboutPaymentRefund(productId),
  wasLast: true,
  reopenedAt: '2026-01-25T12:00:00.000Z',
}));

export const visitEvent = eventsOf<EventData<typeof checkoutVisited>>('visitedAt', (productId) => ({
  productId,
  productName: 'Course',
  pricingType: 'onetime',
  visitedAt: '2026-01-15T11:00:00.000Z',
  test: false,
}));

const aboutSubscription = (productId: string) => ({
  ...aboutOrder(productId),
  subscriptionId: newId('subscription', nowMs),
  amountCents: 1900,
  billingInterval: 'month' as const,
  mrrCents: 1900,
});

export const cancellationEvent = eventsOf<EventData<typeof subscriptions.subscriptionCanceled>>(
  'canceledAt',
  (productId) => ({
    ...aboutSubscription(productId),
    ...{ statusBefore: 'active', reason: 'seller', sendWebhook: true },
    canceledAt: '2026-02-15T12:00:00.000Z',
  }),
);

const aboutRenewal = {
  paymentId: newId('payment', nowMs),
  period: 2,
  attempt: 1,
  statusBefore: 'active' as const,
};

export const renewalEvent = eventsOf<EventData<typeof subscriptions.subscriptionRebilled>>(
  'chargedAt',
  (productId) => ({
    ...aboutSubscription(productId),
    ...aboutRenewal,
    periodStart: '2026-02-15T12:00:00.000Z',
    periodEnd: '2026-03-15T12:00:00.000Z',
    statusAfter: 'active',
    chargedAt: '2026-02-15T12:00:00.000Z',
    affiliateNamed: false,
  }),
);

export const failedPaymentEvent = eventsOf<EventData<typeof subscriptions.subscriptionPaymentFailed>>(
  'failedAt',
  (productId) => ({
    ...aboutSubscription(productId),
    ...aboutRenewal,
    nextTryDays: 3,
    statusAfter: 'past_due',
    reason: 'insufficient_funds',
    failedAt: '2026-02-15T12:00:00.000Z',
  }),
);

export const pauseEvent = eventsOf<EventData<typeof subscriptions.subscriptionPaused>>('pausedAt', (productId) => ({
  ...aboutSubscription(productId),
  statusBefore: 'active',
  pausedAt: '2026-02-20T12:00:00.000Z',
}));

export const resumptionEvent = eventsOf<EventData<typeof subscriptions.subscriptionResumed>>(
  'resumedAt',
  (productId) => ({
    ...aboutSubscription(productId),
    statusAfter: 'active',
    nextChargeAt: '2026-03-15T12:00:00.000Z',
    resumedAt: '2026-02-25T12:00:00.000Z',
  }),
);
