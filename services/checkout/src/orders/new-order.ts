import { emailKey } from '@app/contracts/email-key';
import { idOfCommand } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import type { PricedProduct } from '@app/contracts/products-for-sale';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';
import { customerIdOf } from '../customers/customer-id.ts';
import { type Credit, creditFields } from './credited-affiliates.ts';
import { eventItem, type Sale } from './order.rules.ts';
import type { OrderCommand } from './order-command.ts';

/** An order and its event's outbox row, as one statement writes them; fields are named as the columns. */
export interface NewOrder extends OutboxRow {
  readonly id: string;
  readonly account_id: string;
  readonly product_id: string;
  readonly customer_email: string;
  readonly email_key: string;
  /** Of the customer that the order’s buyer is. */
  readonly customer_id: string;
  readonly customer_name: string;
  readonly total_cents: number;
  readonly currency: string;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly utm_term: string | null;
  readonly utm_content: string | null;
  readonly country: string | null;
  /** As the buyer typed it, credited or not. */
  readonly affiliate_code: string | null;
  readonly discount_id: string | null;
  readonly discount_code: string | null;
  readonly discount_max_uses: number | null;
  readonly source: 'api' | 'checkout';
  readonly test: boolean;
  /** As JSON. */
  readonly items: string;
  readonly created_at: string;
}

/** Builds the order's row and its `order.paid` event, which carries all that any consumer needs. */
export function newOrder(from: {
  id: string;
  nowMs: number;
  command: OrderCommand;
  sale: Sale;
  product: PricedProduct;
  credit: Credit;
}): NewOrder {
  const { id, nowMs, command, sale, product, credit } = from;
  const { body, context, account } = command;
  const event = outboxRow(
    orderPaid,
    {
      orderId: id,
      productId: product.productId,
      productName: product.name,
      productSlug: product.slug,
      pricingType: product.pricingType,
      billingInterval: product.billingInterval,
      priceCents: product.priceCents,
      customerEmail: body.email,
      customerName: body.name ?? '',
      country: body.country ?? null,
      totalCents: sale.totalCents,
      currency: product.currency,
      items: sale.items.map(eventItem),
      affiliateCode: body.affiliateCode || null,
      ...creditFields(credit),
      paymentMethod: body.paymentMethod ?? null,
      accessUrl: product.accessUrl ?? '',
      supportEmail: account.supportEmail,
      source: 'api',
      test: sale.test,
      paidAt: new Date(nowMs).toISOString(),
      upsellShown: false,
      upsell: null,
    },
    // An order is paid once. Its event's id ends as its own does, so a second copy would be the same event.
    {
      accountId: context.accountId,
      requestId: context.requestId,
      nowMs,
      eventId: idOfCommand('event', context.commandId),
    },
  );
  return {
    id,
    account_id: context.accountId,
    product_id: product.productId,
    customer_email: body.email,
    email_key: emailKey(body.email),
    customer_id: customerIdOf(context.accountId, body.email),
    customer_name: body.name ?? '',
    total_cents: sale.totalCents,
    currency: product.currency,
    utm_source: body.utm_source ?? null,
    utm_medium: body.utm_medium ?? null,
    utm_campaign: body.utm_campaign ?? null,
    utm_term: body.utm_term ?? null,
    utm_content: body.utm_content ?? null,
    country: body.country ?? null,
    affiliate_code: body.affiliateCode || null,
    ...discountColumns(sale.discount),
    source: 'api',
    test: sale.test,
    items: JSON.stringify(sale.items),
    created_at: new Date(nowMs).toISOString(),
    ...event,
    // A batch serves many requests; each order's event continues the trace of its own request.
    traceparent: context.traceparent ?? null,
  };
}

function discountColumns(discount: Sale['discount']) {
  if (discount === null) return { discount_id: null, discount_code: null, discount_max_uses: null };
  return { discount_id: discount.id, discount_code: discount.code, discount_max_uses: discount.maxUses };
}
