import { emailKey } from '@app/contracts/email-key';
import { idOfCommand, idTimeMs } from '@app/contracts/ids';
import { orderNoticed, orderPaid } from '@app/contracts/orders';
import type { OfferedUpsell } from '@app/contracts/payments';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';
import { customerIdOf } from '../customers/customer-id.ts';
import { creditFields } from '../orders/credited-affiliates.ts';
import { eventItem, type OrderItem } from '../orders/order.rules.ts';
import { soldItems } from './checkout.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';
import type { FixedSale } from './fixed-sale.ts';

/** Why something is recorded: the request or event that it goes back to, and when it happened. */
export interface Source {
  readonly requestId: string | null;
  readonly nowMs: number;
}

/** What events need of an order's row; fields are named as the columns. */
export interface CheckoutOrder {
  readonly id: string;
  readonly total_cents: number;
  readonly items: readonly OrderItem[];
}

/** What was taken beside the order's own total, and by which processor; `processor` is missing where nothing was taken. */
export interface Charged {
  readonly upsell: OfferedUpsell | null;
  readonly processor?: string | undefined;
}

/** The order that a checkout became, as its row is written; fields are named as the columns. Its time is that of its id, so its position in lists agrees with its date. */
export function checkoutOrder(row: CheckoutRow, sale: FixedSale, status: 'paid' | 'authorized', nowMs: number) {
  const id = orderIdOf(row);
  const { account_id, test, affiliate_code, utm_source, utm_medium, utm_campaign, utm_term, utm_content } = row;
  return {
    id,
    account_id,
    product_id: sale.product.productId,
    customer_email: sale.email,
    email_key: emailKey(sale.email),
    customer_id: customerIdOf(account_id, sale.email),
    customer_name: sale.name ?? '',
    total_cents: sale.totalCents,
    currency: sale.product.currency,
    status,
    utm_source,
    utm_medium,
    utm_campaign,
    utm_term,
    utm_content,
    country: sale.country,
    affiliate_code,
    discount_id: sale.discount?.id ?? null,
    test,
    items: soldItems(sale),
    immediate_access: sale.immediateAccess ?? null,
    created_at: new Date(idTimeMs(id)).toISOString(),
    paid_at: status === 'paid' ? new Date(nowMs).toISOString() : null,
  };
}

export function orderIdOf({ id, order_id }: CheckoutRow): string {
  if (order_id === null) throw new Error(`the checkout ${id} has no order`);
  return order_id;
}

/** The outbox row of `order.paid`. The card's token is not in it: billing has the card. */
export function orderPaidRow(
  row: CheckoutRow,
  sale: FixedSale,
  order: CheckoutOrder,
  { upsell, processor }: Charged,
  { requestId, nowMs }: Source,
): OutboxRow {
  const { productId, name, slug, pricingType, billingInterval, priceCents, currency, accessUrl } = sale.product;
  return outboxRow(
    orderPaid,
    {
      orderId: order.id,
      productId,
      productName: name,
      productSlug: slug,
      pricingType,
      billingInterval,
      priceCents,
      customerEmail: sale.email,
      customerName: sale.name ?? '',
      country: sale.country,
      totalCents: order.total_cents,
      currency,
      items: order.items.map(eventItem),
      affiliateCode: row.affiliate_code,
      ...creditFields(sale.creditedCode),
      paymentMethod: null,
      accessUrl: accessUrl ?? '',
      supportEmail: row.support_email,
      source: 'checkout',
      ...(processor !== undefined && { processor }),
      lastFour: row.last_four,
      wallet: row.wallet,
      ...(sale.immediateAccess !== undefined && { immediateAccess: sale.immediateAccess }),
      test: row.test,
      paidAt: new Date(nowMs).toISOString(),
      upsellShown: sale.upsell !== null,
      upsell: upsell === null ? null : { headline: upsell.headline, amountCents: upsell.amountCents },
    },
    // An order is paid once: a second copy of its event would be the same event.
    { accountId: row.account_id, requestId, nowMs, eventId: idOfCommand('event', order.id.slice(-26)) },
  );
}

/** The outbox row that notifies the seller of an order which the buyer may not have meant. */
export function likelyDuplicateRow(row: CheckoutRow, repeated: string, { requestId, nowMs }: Source): OutboxRow {
  const summary =
    `This order may be a duplicate of ${repeated}: the same email paid for the same product shortly before, or subscribes to ` +
    'it already, from another device and with another card. Compare the two, and refund one unless the buyer meant both';
  const data = { orderId: orderIdOf(row), summary, test: row.test };
  return outboxRow(orderNoticed, data, { accountId: row.account_id, requestId, nowMs });
}
