import { z } from 'zod';
import { billingInterval, pricingType } from './catalog.ts';
import { emailAddress, limits, listOf, pageQueryOf, rawText, slug, text, timestamp } from './common.ts';
import { countryCode } from './countries.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

export const orderItemKind = z.enum(['main', 'bump', 'upsell', 'discount', 'downsell']);
export const orderStatus = z.enum(['paid', 'refunded', 'authorized']);

export const orderResource = z
  .object({
    id: idSchema('order'),
    product_id: idSchema('product'),
    customer_email: z.string(),
    customer_name: z.string(),
    total_cents: z.int(),
    currency: z.string(),
    status: orderStatus,
    utm_source: z.string().nullable(),
    utm_medium: z.string().nullable(),
    utm_campaign: z.string().nullable(),
    utm_term: z.string().nullable(),
    utm_content: z.string().nullable(),
    created_at: timestamp,
    items: z.array(z.object({ kind: orderItemKind, label: z.string(), amount_cents: z.int() })),
    country: z.string().nullable(),
    affiliate_code: z.string().nullable(),
    test: z.boolean(),
  })
  .meta({ id: 'Order' });
export type OrderResource = z.infer<typeof orderResource>;

const utm = text(limits.utm).nullable().optional();

export const createOrderBody = z
  .strictObject({
    productSlug: slug,
    email: emailAddress,
    name: text(limits.name).optional(),
    bumpIds: z.array(rawText(64)).max(limits.bumpIds).optional(),
    affiliateCode: text(64).optional().describe('Credits this affiliate with the sale.'),
    discountCode: text(50).optional(),
    country: countryCode.optional().describe('ISO 3166 alpha-2 code.'),
    utm_source: utm,
    utm_medium: utm,
    utm_campaign: utm,
    utm_term: utm,
    utm_content: utm,
    paymentMethod: rawText(255, 1).optional().describe('Processor token that renewals may be charged to.'),
    test: z.boolean().optional().describe('A test order: full event stream, in no list and no metric.'),
  })
  .meta({ id: 'OrderCreate' });
export type CreateOrderBody = z.infer<typeof createOrderBody>;

export const createOrderResult = z
  .object({ ok: z.literal(true), orderId: idSchema('order'), totalCents: z.int() })
  .meta({ id: 'OrderCreated' });

/** Records an order and settles it at once. The order's id is the command's. */
export const createOrder = defineRequest('command', 'checkout', 'orders.place', {
  input: z.object({
    body: createOrderBody,
    /** The seller's settings that shape a sale. */
    account: z.object({ testMode: z.boolean(), supportEmail: z.string() }),
  }),
  output: createOrderResult,
});

export const listOrders = defineRequest('read', 'checkout', 'orders.list', {
  input: pageQueryOf(idSchema('order')),
  output: listOf(orderResource),
});
export const getOrder = defineRequest('read', 'checkout', 'orders.get', {
  input: z.object({ orderId: z.string() }),
  output: orderResource,
});

/** An order was paid. The data has all that any consumer needs, so that none has to ask another service. */
export const orderPaid = defineEvent(
  'checkout',
  'order.paid',
  1,
  z.object({
    orderId: z.string(),
    productId: z.string(),
    productName: z.string(),
    productSlug: z.string(),
    pricingType,
    billingInterval: billingInterval.nullable(),
    /** What one billing period costs, without bumps and discounts; the product's price at the time of sale. */
    priceCents: z.int(),
    customerEmail: z.string(),
    customerName: z.string(),
    country: z.string().nullable(),
    totalCents: z.int(),
    currency: z.string(),
    items: z.array(z.object({ kind: orderItemKind, label: z.string(), amountCents: z.int() })),
    /** As the buyer typed it. */
    affiliateCode: z.string().nullable(),
    /** The code of the affiliate who is credited, as the affiliate has it; null for nobody. Older events lack the field. */
    creditedCode: z.string().nullable().optional(),
    paymentMethod: z.string().nullable(),
    accessUrl: z.string(),
    supportEmail: z.string(),
    source: z.enum(['api', 'checkout']),
    test: z.boolean(),
    paidAt: timestamp,
  }),
);
