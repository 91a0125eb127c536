import type { SaleOffer } from '@app/contracts/catalog';
import { idOfCommand } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { outboxRow } from '@app/messaging/outbox';
import type { NewOrder } from './insert-orders.ts';
import type { Sale } from './order.rules.ts';
import type { OrderCommand } from './order-command.ts';

/** The order's row and its `order.paid` event, which carries all that any consumer needs. */
export function newOrder(from: {
  id: string;
  nowMs: number;
  command: OrderCommand;
  sale: Sale;
  offer: SaleOffer;
}): NewOrder {
  const { id, nowMs, command, sale, offer } = from;
  const { body, context, account } = command;
  const event = outboxRow(
    orderPaid,
    {
      orderId: id,
      productId: offer.productId,
      productName: offer.name,
      productSlug: offer.slug,
      pricingType: offer.pricingType,
      billingInterval: offer.billingInterval,
      priceCents: offer.priceCents,
      customerEmail: body.email,
      customerName: body.name ?? '',
      country: body.country ?? null,
      totalCents: sale.totalCents,
      currency: offer.currency,
      items: sale.items.map((item) => ({ kind: item.kind, label: item.label, amountCents: item.amount_cents })),
      affiliateCode: body.affiliateCode || null,
      paymentMethod: body.paymentMethod ?? null,
      accessUrl: offer.accessUrl ?? '',
      supportEmail: account.supportEmail,
      source: 'api',
      test: sale.test,
      paidAt: new Date(nowMs).toISOString(),
    },
    // One order is paid once: its event has its suffix, so that even a second copy would be the same event.
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
    product_id: offer.productId,
    customer_email: body.email,
    customer_name: body.name ?? '',
    totalCents: sale.totalCents,
    currency: offer.currency,
    utm_source: body.utm_source ?? null,
    utm_medium: body.utm_medium ?? null,
    utm_campaign: body.utm_campaign ?? null,
    utm_term: body.utm_term ?? null,
    utm_content: body.utm_content ?? null,
    country: body.country ?? null,
    affiliate_code: body.affiliateCode || null,
    discount: sale.discount,
    discount_id: sale.discount?.id ?? null,
    source: 'api',
    test: sale.test,
    items: sale.items,
    created_at: new Date(nowMs).toISOString(),
    ...event,
    // A batch serves many requests: each order's event continues the trace of its own.
    traceparent: context.traceparent ?? null,
  };
}
