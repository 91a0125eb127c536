import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { orderPaid } from '@app/contracts/orders';

/** The time of all samples: ids made at one time sort in the order they were made. */
export const nowMs = Date.parse('2026-01-31T12:00:00.000Z');

/** A paid order of a monthly product that gave no payment method by default. */
export function orderEvent(accountId: string, fields: Partial<EventData<typeof orderPaid>> = {}) {
  const data: EventData<typeof orderPaid> = {
    orderId: newId('order', nowMs),
    productId: newId('product', nowMs),
    productName: 'Club',
    productSlug: 'club',
    pricingType: 'subscription',
    billingInterval: 'month',
    priceCents: 1900,
    customerEmail: 'buyer@example.com',
    customerName: 'Buyer',
    country: null,
    totalCents: 1400,
    currency: 'usd',
    items: [
      { kind: 'main', label: 'Club', amountCents: 1900 },
      { kind: 'discount', label: 'WELCOME', amountCents: -500 },
    ],
    affiliateCode: null,
    paymentMethod: null,
    accessUrl: '',
    supportEmail: '',
    source: 'api',
    test: false,
    paidAt: new Date(nowMs).toISOString(),
    ...fields,
  };
  return { id: newId('event', nowMs), accountId, data };
}
