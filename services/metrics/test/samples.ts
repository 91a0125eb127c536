import type { ProductResource } from '@app/contracts/catalog';
import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { orderPaid } from '@app/contracts/orders';
import type { subscriptionStarted } from '@app/contracts/subscriptions';

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
