import type { checkoutVisited } from '@app/contracts/checkouts';
import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { orderRefunded, orderReopened, paymentRefunded, paymentReopened } from '@app/contracts/orders';
import type { productCreated } from '@app/contracts/products';
import type {
  subscriptionCanceled,
  subscriptionPaused,
  subscriptionPaymentFailed,
  subscriptionRebilled,
  subscriptionResumed,
  subscriptionStarted,
} from '@app/contracts/subscriptions';
import { type PaidOrder, paidOrder } from '@app/testing/paid-order';

const nowMs = Date.parse('2026-01-15T12:00:00.000Z');

type ProductData = EventData<typeof productCreated>;

/** Of a product made at the epoch: nobody waits for its event. */
export function creationEvent(accountId: string, fields: Partial<ProductData> = {}) {
  const data: ProductData = { productId: newId('product', 0), name: 'Course', pricingType: 'onetime', ...fields };
  return { id: newId('event', nowMs), accountId, data };
}

export function orderEvent(accountId: string, productId: string, fields: Partial<PaidOrder> = {}) {
  const data = paidOrder(nowMs, {
    ...{ productId, customerEmail: 'buyer@example.com', customerName: 'Buyer' },
    items: [{ kind: 'main', label: 'Course', amountCents: 4_900 }],
    ...fields,
  });
  return { id: newId('event', nowMs), accountId, occurredAt: data.paidAt, data };
}

type SubscriptionData = EventData<typeof subscriptionStarted>;

export function subscriptionEvent(accountId: string, productId: string, fields: Partial<SubscriptionData> = {}) {
  const data: SubscriptionData = {
    subscriptionId: newId('subscription', nowMs),
    orderId: newId('order', nowMs),
    productId,
    customerEmail: 'buyer@example.com',
    amountCents: 1900,
    currency: 'usd',
    billingInterval: 'month',
    startedAt: '2026-01-15T12:00:00.000Z',
    test: false,
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.startedAt, data };
}

const aboutOrder = (productId: string) => ({
  orderId: newId('order', nowMs),
  productId,
  productName: 'Course',
  customerEmail: 'buyer@example.com',
  currency: 'usd',
  test: false,
});

type RefundData = EventData<typeof orderRefunded>;

export function refundEvent(accountId: string, productId: string, fields: Partial<RefundData> = {}) {
  const data: RefundData = {
    ...aboutOrder(productId),
    totalCents: 4900,
    refundedCents: 4900,
    refundNo: 1,
    paidAt: '2026-01-15T12:00:00.000Z',
    refundedAt: '2026-01-20T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.refundedAt, data };
}

type ReopeningData = EventData<typeof orderReopened>;

export function reopeningEvent(accountId: string, productId: string, fields: Partial<ReopeningData> = {}) {
  const data: ReopeningData = {
    ...aboutOrder(productId),
    totalCents: 4900,
    refundNo: 1,
    detail: 'the card is closed',
    paidAt: '2026-01-15T12:00:00.000Z',
    reopenedAt: '2026-01-25T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.reopenedAt, data };
}

const aboutPaymentRefund = (productId: string) => ({
  ...aboutOrder(productId),
  ...{ paymentId: 'pmt_1', refundId: newId('payment', nowMs), amountCents: 1000, subscriptionId: null, period: null },
  ...{ changeNo: 1, part: { refundedCents: 1000, ofCents: 4900 } },
});

type PaymentRefundData = EventData<typeof paymentRefunded>;

export function paymentRefundEvent(accountId: string, productId: string, fields: Partial<PaymentRefundData> = {}) {
  const data: PaymentRefundData = {
    ...aboutPaymentRefund(productId),
    isFirst: true,
    refundedAt: '2026-01-20T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.refundedAt, data };
}

type PaymentReopeningData = EventData<typeof paymentReopened>;

export function paymentReopeningEvent(
  accountId: string,
  productId: string,
  fields: Partial<PaymentReopeningData> = {},
) {
  const data: PaymentReopeningData = {
    ...aboutPaymentRefund(productId),
    wasLast: true,
    reopenedAt: '2026-01-25T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.reopenedAt, data };
}

type VisitData = EventData<typeof checkoutVisited>;

export function visitEvent(accountId: string, productId: string, fields: Partial<VisitData> = {}) {
  const data: VisitData = {
    productId,
    productName: 'Course',
    pricingType: 'onetime',
    visitedAt: '2026-01-15T11:00:00.000Z',
    test: false,
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.visitedAt, data };
}

const aboutSubscription = (productId: string) => ({
  ...aboutOrder(productId),
  subscriptionId: newId('subscription', nowMs),
  amountCents: 1900,
  billingInterval: 'month' as const,
  mrrCents: 1900,
});

type CancellationData = EventData<typeof subscriptionCanceled>;

export function cancellationEvent(accountId: string, productId: string, fields: Partial<CancellationData> = {}) {
  const data: CancellationData = {
    ...aboutSubscription(productId),
    canceledAt: '2026-02-15T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.canceledAt, data };
}

const aboutRenewal = {
  paymentId: newId('payment', nowMs),
  period: 2,
  attempt: 1,
  statusBefore: 'active' as const,
};

type RenewalData = EventData<typeof subscriptionRebilled>;

export function renewalEvent(accountId: string, productId: string, fields: Partial<RenewalData> = {}) {
  const data: RenewalData = {
    ...aboutSubscription(productId),
    ...aboutRenewal,
    periodStart: '2026-02-15T12:00:00.000Z',
    periodEnd: '2026-03-15T12:00:00.000Z',
    statusAfter: 'active',
    chargedAt: '2026-02-15T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.chargedAt, data };
}

type FailedPaymentData = EventData<typeof subscriptionPaymentFailed>;

export function failedPaymentEvent(accountId: string, productId: string, fields: Partial<FailedPaymentData> = {}) {
  const data: FailedPaymentData = {
    ...aboutSubscription(productId),
    ...aboutRenewal,
    nextTryDays: 3,
    statusAfter: 'past_due',
    reason: 'insufficient_funds',
    failedAt: '2026-02-15T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.failedAt, data };
}

type PauseData = EventData<typeof subscriptionPaused>;

export function pauseEvent(accountId: string, productId: string, fields: Partial<PauseData> = {}) {
  const data: PauseData = {
    ...aboutSubscription(productId),
    statusBefore: 'active',
    pausedAt: '2026-02-20T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.pausedAt, data };
}

type ResumptionData = EventData<typeof subscriptionResumed>;

export function resumptionEvent(accountId: string, productId: string, fields: Partial<ResumptionData> = {}) {
  const data: ResumptionData = {
    ...aboutSubscription(productId),
    nextChargeAt: '2026-03-15T12:00:00.000Z',
    resumedAt: '2026-02-25T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.resumedAt, data };
}
