import { orderExpired, upsellAccepted } from '@app/contracts/orders';
import type { HoldResult } from '@app/contracts/payments';
import { insertOutboxIfAny, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import { finalItems, leftOfHold, totalOf, upsellLink } from './checkout.rules.ts';
import { type Charged, type CheckoutOrder, orderIdOf, orderPaidRow, type Source } from './checkout-order.ts';
import type { CheckoutRow, Queryable } from './checkout-row.ts';
import type { FixedSale, UpsellStatus } from './fixed-sale.ts';

/** How a hold ended: one of the two ends that are final. */
export type Settlement = Pick<
  HoldResult,
  'decision' | 'upsell' | 'upsellDeclined' | 'capturedCents' | 'reason' | 'processor'
> & {
  readonly status: 'settled' | 'lost';
};

const settleStatement = statement(
  'checkout-record-settlement',
  `with done as (
     update checkouts set status = $4, revision = revision + 1, upsell_status = $5, paid_at = $8, left_cents = $10
     where account_id = $1 and id = $2 and status = 'authorized'
     returning account_id, status, discount_id, test
   ), returned as (
     update discount_uses as u set uses = greatest(u.uses - 1, 0) from done as d
     where u.account_id = d.account_id and u.discount_id = d.discount_id and not d.test and d.status = 'expired'
   ), sold as (
     update orders set status = $4, items = $6::json, total_cents = $7, paid_at = $8
     where account_id = $1 and id = $3 and status = 'authorized' and exists (select from done)
   ), events as (
     ${insertOutboxIfAny('done', '$9')}
   )
   select from done`,
);

/**
 * Finishes a held order as billing says, in one statement: paid, with the upsell's item and both events, or expired, out
 * of the lists and its discount's use given back. A paid one costs what was taken. Billing's reply and its event both bring it here; the first one records it.
 * @returns the checkout as it is then; undefined when it was done before
 */
export async function recordSettlement(
  db: Queryable,
  row: CheckoutRow,
  settlement: Settlement,
  source: Source,
): Promise<CheckoutRow | undefined> {
  const { sale } = row;
  if (sale === null) throw new Error(`the checkout ${row.id} was held without a sale`);
  const status = settlement.status === 'settled' ? 'paid' : 'expired';
  const upsell = status === 'paid' ? settlement.upsell : null;
  const left_cents = status === 'paid' ? leftOfHold(sale, settlement.capturedCents) : 0;
  const items = finalItems(sale, upsell, left_cents);
  const order = { id: orderIdOf(row), items, total_cents: totalOf(items) };
  const upsell_status = upsellStatusOf(settlement, upsell !== null);
  const paidAt = status === 'paid' ? new Date(source.nowMs) : null;
  const events =
    status === 'paid'
      ? eventsOf(row, sale, order, { upsell, processor: settlement.processor }, source)
      : [expiredRow(row, sale, order, { ...source, reason: settlement.reason })];
  const written = [JSON.stringify(items), order.total_cents, paidAt, JSON.stringify(events)];
  const values = [row.account_id, row.id, order.id, status, upsell_status, ...written, left_cents];
  const { rowCount } = await db.query(settleStatement(values));
  return rowCount === 0 ? undefined : { ...row, status, upsell_status, paid_at: paidAt, left_cents };
}

function upsellStatusOf({ decision, upsellDeclined, reason }: Settlement, bought: boolean): UpsellStatus {
  if (bought) return 'accepted';
  // The seller released the hold, whatever the buyer decided: no card was declined.
  if (reason === 'released') return 'not_decided';
  if (decision === 'accepted' || upsellDeclined) return 'card_declined';
  return decision;
}

/** What both events say of the sale. */
function aboutSale(row: CheckoutRow, { product, email: customerEmail }: FixedSale, { id: orderId }: CheckoutOrder) {
  const { productId, name: productName, currency } = product;
  return { orderId, productId, productName, customerEmail, currency, test: row.test };
}

/** Receivers and partners got no event of the order while it was held; this one goes to endpoints that take `order.expired`. */
function expiredRow(
  row: CheckoutRow,
  sale: FixedSale,
  order: CheckoutOrder,
  { requestId, nowMs, reason = 'expired' }: Source & { readonly reason: Settlement['reason'] },
) {
  const expiredAt = new Date(nowMs).toISOString();
  const data = { ...aboutSale(row, sale, order), totalCents: order.total_cents, reason, expiredAt };
  return outboxRow(orderExpired, data, { accountId: row.account_id, requestId, nowMs });
}

/** In the order in which they are published: the upsell was accepted, and then all of it was paid. */
function eventsOf(row: CheckoutRow, sale: FixedSale, order: CheckoutOrder, charged: Charged, source: Source) {
  const { upsell } = charged;
  const paid = orderPaidRow(row, sale, order, charged, source);
  if (upsell === null) return [paid];
  const accepted = {
    ...aboutSale(row, sale, order),
    headline: upsell.headline,
    amountCents: upsell.amountCents,
    upsellId: upsell.upsellId,
    accessUrl: upsellLink(sale, upsell),
    acceptedAt: new Date(source.nowMs).toISOString(),
  };
  const { requestId, nowMs } = source;
  return [outboxRow(upsellAccepted, accepted, { accountId: row.account_id, requestId, nowMs }), paid];
}
