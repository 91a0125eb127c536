import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { orderPaid } from '@app/contracts/orders';

export type PaidOrder = EventData<typeof orderPaid>;

/** The data of an `order.paid`: one course for $49, paid at `nowMs`, with ids of that time. */
export function paidOrder(nowMs: number, fields: Partial<PaidOrder> = {}): PaidOrder {
  return {
    orderId: newId('order', nowMs),
    productId: newId('product', nowMs),
    productName: 'Course',
    productSlug: 'course',
    pricingType: 'onetime',
    billingInterval: null,
    priceCents: 4_900,
    customerEmail: 'ada@example.com',
    customerName: 'Ada Lovelace',
    country: null,
    totalCents: 4_900,
    currency: 'usd',
    items: [],
    affiliateCode: null,
    creditedCode: null,
    creditPending: false,
    paymentMethod: null,
    accessUrl: '',
    supportEmail: '',
    source: 'api',
    test: false,
    paidAt: new Date(nowMs).toISOString(),
    upsellShown: false,
    upsell: null,
    ...fields,
  };
}
