import type { ProductResource } from '@app/contracts/catalog';
import type { checkoutVisited } from '@app/contracts/checkouts';
import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { orderPaid, orderRefunded, orderReopened } from '@app/contracts/orders';
import type { subscriptionCanceled, subscriptionStarted } from '@app/contracts/subscriptions';

const nowMs = Date.parse('2026-01-15T12:00:00.000Z');

export function sampleProduct(fields: Partial<ProductResource> = {}): ProductResource {
  return {
    id: newId('product', nowMs),
    name: 'Course',
    slug: 'course',
    price_cents: 4900,
    currency: 'usd',
    pricing_type: 'onetime',
    billing_interval: null,
    status: 'live',
    access_url: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...fields,
  };
}

type OrderData = EventData<typeof orderPaid>;

export function orderEvent(accountId: string, productId: string, fields: Partial<OrderData> = {}) {
  const data: OrderData = {
    orderId: newId('order', nowMs),
    productId,
    productName: 'Course',
    productSlug: 'course',
    pricingType: 'onetime',
    billingInterval: null,
    priceCents: 4900,
    customerEmail: 'buyer@example.com',
    customerName: 'Buyer',
    country: null,
    totalCents: 4900,
    currency: 'usd',
    items: [{ kind: 'main', label: 'Course', amountCents: 4900 }],
    affiliateCode: null,
    paymentMethod: null,
    accessUrl: '',
    supportEmail: '',
    source: 'api',
    test: false,
    paidAt: '2026-01-15T12:00:00.000Z',
    ...fields,
  };
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

type CancellationData = EventData<typeof subscriptionCanceled>;

export function cancellationEvent(accountId: string, productId: string, fields: Partial<CancellationData> = {}) {
  const data: CancellationData = {
    ...aboutOrder(productId),
    subscriptionId: newId('subscription', nowMs),
    amountCents: 1900,
    billingInterval: 'month',
    mrrCents: 1900,
    canceledAt: '2026-02-15T12:00:00.000Z',
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, occurredAt: data.canceledAt, data };
}
