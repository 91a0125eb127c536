import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { orderRefunded, orderReopened, paymentRefunded } from '@app/contracts/orders';
import type { subscriptionRebilled } from '@app/contracts/subscriptions';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import { type PaidOrder, paidOrder } from '@app/testing/paid-order';

/** An order that names the code of an affiliate. */
export const referredOrder = (fields: Partial<PaidOrder> = {}): PaidOrder =>
  paidOrder(Date.now(), {
    ...{
      customerEmail: 'buyer@example.com',
      customerName: '',
      totalCents: 4_905,
      currency: 'eur',
      affiliateCode: 'PAT',
      creditPending: fields.creditedCode === undefined,
    },
    paidAt: '2026-01-10T08:00:00.123Z',
    ...fields,
  });

const at = '2026-01-11T08:00:00.000Z';

const whole = ({ totalCents }: PaidOrder) => ({ orders: 1, cents: totalCents });

export function refundOf(order: PaidOrder, refundNo = 1): EventData<typeof orderRefunded> {
  const { totalCents, paidAt } = order;
  return {
    ...aboutOrder(order),
    totalCents,
    refundedCents: totalCents,
    refundNo,
    counted: whole(order),
    paidAt,
    refundedAt: at,
  };
}

export function reopeningOf(order: PaidOrder, refundNo = 1): EventData<typeof orderReopened> {
  const { totalCents, paidAt } = order;
  return {
    ...aboutOrder(order),
    totalCents,
    refundNo,
    counted: whole(order),
    detail: 'the card is closed',
    paidAt,
    reopenedAt: at,
  };
}

/** What has gone back of an order's own payments, in all, or of a renewal of it; the later change has the higher number. */
export function partOf(
  order: PaidOrder,
  changeNo: number,
  refundedCents: number,
  renewal?: Renewal,
): EventData<typeof paymentRefunded> {
  return {
    ...aboutOrder(order),
    ...{ paymentId: 'pmt_1', refundId: newId('payment', Date.now()), amountCents: 1, changeNo },
    ...{ subscriptionId: renewal?.subscriptionId ?? null, period: renewal?.period ?? null },
    ...{ isFirst: changeNo === 1, part: { refundedCents, ofCents: renewal?.amountCents ?? order.totalCents } },
    refundedAt: at,
  };
}

function aboutOrder({ orderId, productId, productName, customerEmail, currency, test }: PaidOrder) {
  return { orderId, productId, productName, customerEmail, currency, test };
}

export type Renewal = EventData<typeof subscriptionRebilled>;

/** The renewal that begins so many months after the sale of a monthly subscription; its period is one more. */
export function renewalOf(order: PaidOrder, months = 1, fields: Partial<Renewal> = {}): Renewal {
  const start = new Date(order.paidAt);
  start.setUTCMonth(start.getUTCMonth() + months);
  const periodStart = start.toISOString();
  return {
    ...{ orderId: order.orderId, productId: order.productId, productName: order.productName, test: order.test },
    ...{ customerEmail: order.customerEmail, currency: order.currency, amountCents: order.totalCents },
    ...{ subscriptionId: `sub_${order.orderId.slice(-26)}`, billingInterval: 'month', mrrCents: order.totalCents },
    ...{ paymentId: newId('payment', Date.now()), period: months + 1, attempt: 1 },
    ...{ statusBefore: 'active', statusAfter: 'active', affiliateNamed: true },
    ...{ periodStart, periodEnd: periodStart, chargedAt: periodStart },
    ...fields,
  };
}

/** An event as a handler gets it. */
export const received = <Data>(accountId: string, data: Data): ReceivedEvent<Data> => ({
  ...{ id: newId('event', Date.now()), accountId, occurredAt: '2026-01-15T12:00:00.000Z', requestId: null },
  ...{ traceparent: undefined, data },
});
