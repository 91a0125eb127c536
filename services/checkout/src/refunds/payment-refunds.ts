import type { EventData } from '@app/contracts/define';
import { paymentRefunded, paymentReopened } from '@app/contracts/orders';
import type { RefundedPart, refundFailed } from '@app/contracts/payments';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import type { Source } from '../checkouts/checkout-order.ts';
import type { Queryable } from '../checkouts/checkout-row.ts';
import { aboutOrder, isCounted, type RefundedOrder } from './refunded-order.ts';

const refundTypes = {
  refund_id: 'text',
  payment_id: 'text',
  amount_cents: 'int8',
  charged_cents: 'int8',
  subscription_id: 'text',
  period: 'int4',
  refunded_at: 'timestamptz',
};
const columns = namesOf(refundTypes);

const insertStatement = statement<{ refund_id: string }>(
  'payment-refunds-insert',
  `insert into payment_refunds (account_id, order_id, ${columns}) select $1, $2, ${columns}
   from ${tableOf(refundTypes, 3)}
   on conflict do nothing
   returning refund_id`,
  { refund_id: 'text' },
);

const sumStatement = statement<Sums>(
  'payment-refunds-sum',
  `update orders set refunded_cents = s.own, given_back_cents = s.every, refund_changes = refund_changes + $3
   from (
     select coalesce(sum(amount_cents) filter (where period is null), 0)::bigint as own,
       coalesce(sum(amount_cents), 0)::bigint as every
     from payment_refunds where account_id = $1 and order_id = $2 and not failed) as s
   where account_id = $1 and id = $2
   returning refunded_cents as order_refunded_cents, given_back_cents, refund_changes`,
  { given_back_cents: 'int8', order_refunded_cents: 'int8', refund_changes: 'int4' },
);

type Sums = Pick<RefundedOrder, 'order_refunded_cents' | 'given_back_cents' | 'refund_changes'>;

const readStatement = statement<RefundedPayment>(
  'payment-refunds-of-order',
  `select payment_id as "paymentId", period is not null as renewal, sum(amount_cents)::bigint as "amountCents"
   from payment_refunds where account_id = $1 and order_id = $2 and not failed
   group by 1, 2 order by 2, 1`,
  { amountCents: 'int8', paymentId: 'text', renewal: 'bool' },
);

/** What went back of each payment of an order and its renewals. */
interface RefundedPayment {
  readonly paymentId: string;
  readonly renewal: boolean;
  readonly amountCents: number;
}

export async function readPaymentRefunds(
  db: Queryable,
  { account_id, id }: Pick<RefundedOrder, 'account_id' | 'id'>,
): Promise<RefundedPayment[]> {
  return (await db.query(readStatement([account_id, id]))).rows;
}

const rowOf = (part: RefundedPart) => ({
  refund_id: part.refundId,
  payment_id: part.paymentId,
  amount_cents: part.amountCents,
  charged_cents: part.chargedCents,
  subscription_id: part.subscriptionId,
  period: part.period,
  refunded_at: part.refundedAt,
});

/**
 * Records what went back of an order's payments and of its renewals, with an event for each refund that was not known.
 * Of an order that is refunded already nothing of its own is new.
 * @param order locked by the transaction of `client`
 * @param disputeId of a lost dispute, which gave it back
 * @returns the order as it is then
 */
export async function recordPaymentRefunds(
  client: Client,
  order: RefundedOrder,
  refunds: readonly RefundedPart[],
  { requestId, nowMs }: Source,
  disputeId?: string,
): Promise<RefundedOrder> {
  const { account_id: accountId, id } = order;
  const open = refunds.filter(({ period }) => order.status === 'paid' || period !== null);
  if (open.length === 0) return order;
  const inserted = await client.query(insertStatement([accountId, id, ...columnsOf(open.map(rowOf), refundTypes)]));
  const ids = new Set(inserted.rows.map(({ refund_id }) => refund_id));
  const recorded = open.filter(({ refundId }) => ids.has(refundId));
  if (recorded.length === 0) return order;
  const after = await sumUp(client, order, recorded.length);
  const payments = await readPaymentRefunds(client, order);
  const events = recorded.map((refund, index) => {
    const isFirst = index === 0 && !isCounted(order);
    const ofDispute = disputeId === undefined ? {} : { disputeId };
    const ofWholeOrder = refund.period === null && order.refund_status === 'requested';
    const why = { ...ofDispute, ...(ofWholeOrder && { ofWholeOrder }) };
    const data = { ...aboutRefund(after, refund, payments), isFirst, ...why, refundedAt: refund.refundedAt };
    return outboxRow(paymentRefunded, data, { accountId, requestId, nowMs });
  });
  await client.query(insertOutboxSql, [JSON.stringify(events)]);
  return after;
}

const failStatement = statement<Known | { readonly paymentId: null }>(
  'payment-refunds-fail',
  `insert into payment_refunds as p (account_id, order_id, refund_id, amount_cents, failed, refunded_at)
   values ($1, $2, $3, $4, true, $5)
   on conflict (account_id, order_id, refund_id) do update set failed = true where not p.failed
   returning payment_id as "paymentId", charged_cents as "chargedCents", subscription_id as "subscriptionId", period`,
  { chargedCents: 'int8', paymentId: 'text', period: 'int4', subscriptionId: 'text' },
);

type Known = Pick<RefundedPart, 'paymentId' | 'chargedCents' | 'subscriptionId' | 'period'>;

/**
 * Records that a refund failed after it had been taken, with an event where it was known. One that is not known yet stays
 * without an event: it never went back.
 */
export async function recordFailedRefund(
  client: Client,
  order: RefundedOrder,
  { paymentId: refundId, amountCents, failedAt }: EventData<typeof refundFailed>,
  { requestId, nowMs }: Source,
): Promise<RefundedOrder> {
  const { account_id: accountId, id } = order;
  const values = [accountId, id, refundId, amountCents, failedAt];
  const { rows } = await client.query(failStatement(values));
  const [known] = rows;
  if (known === undefined || known.paymentId === null) return order;
  const after = await sumUp(client, order, 1);
  const about = aboutRefund(after, { ...known, refundId, amountCents }, await readPaymentRefunds(client, order));
  const data = { ...about, wasLast: !isCounted(after), reopenedAt: failedAt };
  const event = outboxRow(paymentReopened, data, { accountId, requestId, nowMs });
  await client.query(insertOutboxSql, [JSON.stringify([event])]);
  return after;
}

const takeBackStatement = statement<Known & { readonly refundId: string; readonly amountCents: number }>(
  'payment-refunds-take-back',
  `update payment_refunds set failed = true
   where account_id = $1 and order_id = $2 and (refund_id = $3 or starts_with(refund_id, $3 || '/')) and not failed
   returning refund_id as "refundId", amount_cents as "amountCents", payment_id as "paymentId",
     charged_cents as "chargedCents", subscription_id as "subscriptionId", period`,
  {
    ...{ refundId: 'text', amountCents: 'int8', paymentId: 'text', chargedCents: 'int8', subscriptionId: 'text' },
    period: 'int4',
  },
);

/**
 * Records that a dispute which was lost is reversed: what it gave back of a payment, also in place of a refund that failed, is the
 * seller's again, with an event for each part. What is not known yet stays without an event.
 */
export async function takeBackOfDispute(
  client: Client,
  order: RefundedOrder,
  reversed: { readonly disputeId: string; readonly amountCents: number; readonly takenBackAt: string },
  { requestId, nowMs }: Source,
): Promise<RefundedOrder> {
  const { account_id: accountId, id } = order;
  const { disputeId, amountCents, takenBackAt } = reversed;
  const { rows } = await client.query(takeBackStatement([accountId, id, disputeId]));
  if (rows.length === 0) await client.query(failStatement([accountId, id, disputeId, amountCents, takenBackAt]));
  let after = order;
  for (const part of rows) {
    after = await sumUp(client, after, 1);
    const about = aboutRefund(after, part, await readPaymentRefunds(client, order));
    const data = { ...about, wasLast: !isCounted(after), reopenedAt: takenBackAt };
    await client.query(insertOutboxSql, [
      JSON.stringify([outboxRow(paymentReopened, data, { accountId, requestId, nowMs })]),
    ]);
  }
  return after;
}

async function sumUp(client: Client, order: RefundedOrder, changes: number): Promise<RefundedOrder> {
  const { rows } = await client.query(sumStatement([order.account_id, order.id, changes]));
  return { ...order, ...rows[0] };
}

function aboutRefund(
  order: RefundedOrder,
  { refundId, paymentId, amountCents, chargedCents, subscriptionId, period }: Omit<RefundedPart, 'refundedAt'>,
  payments: readonly RefundedPayment[],
) {
  const { totalCents, paidAt: _, ...about } = aboutOrder(order);
  const ofPayment = payments.find((payment) => payment.paymentId === paymentId)?.amountCents ?? 0;
  const part =
    period === null
      ? { refundedCents: order.order_refunded_cents, ofCents: totalCents }
      : { refundedCents: ofPayment, ofCents: chargedCents };
  return { ...about, paymentId, refundId, amountCents, subscriptionId, period, changeNo: order.refund_changes, part };
}
