import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { paymentRefunded, paymentReopened } from '@app/contracts/orders';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import { type CorrectedRow, correctionOf, type GivenBack } from './correction.rules.ts';
import { lockOrders, type OrderKey } from './lock-orders.ts';
import { changeCommissions, insertCommissions, type NewCommission, type StatusChange } from './write-commissions.ts';

/** What a refund, and the failure of one afterwards, say of their order. */
type Refund = ReceivedEvent<{ readonly orderId: string; readonly refundNo: number }>;

const orderTypes = { account_id: 'text', order_id: 'text' };
const numberTypes = { ...orderTypes, refunded_no: 'int4', reopened_no: 'int4' };

const recordNumbers = statement(
  'refunds-record',
  `insert into order_refunds as r (${namesOf(numberTypes)})
   select account_id, order_id, max(refunded_no), max(reopened_no)
   from ${tableOf(numberTypes, 1)}
   group by account_id, order_id order by account_id, order_id
   on conflict (account_id, order_id) do update set
     refunded_no = greatest(r.refunded_no, excluded.refunded_no),
     reopened_no = greatest(r.reopened_no, excluded.reopened_no)`,
);

/**
 * Takes back the commissions of refunded orders, and brings back those of orders whose refund failed afterwards: unpaid
 * ones are voided and pending again, after a payment an entry with the opposite amount goes into the next payout. Renewals
 * stay earned: what goes back of them is said payment by payment. The highest numbers decide, so doubled and reordered
 * events end alike.
 */
export async function recordRefunds(
  client: Client,
  clock: Clock,
  events: readonly Refund[],
  became: 'refunded' | 'reopened',
): Promise<void> {
  const numbers = events.map(({ accountId, data }) => ({
    account_id: accountId,
    order_id: data.orderId,
    refunded_no: became === 'refunded' ? data.refundNo : 0,
    reopened_no: became === 'reopened' ? data.refundNo : 0,
  }));
  await client.query(recordNumbers(columnsOf(numbers, numberTypes)));
  await correctCommissions(client, clock, events.map(refundedOrderKey));
}

type PaymentRefund = ReceivedEvent<EventData<typeof paymentRefunded> | EventData<typeof paymentReopened>>;

const partTypes = { ...orderTypes, part: 'text', change_no: 'int4', refunded_cents: 'int8', of_cents: 'int8' };

const recordParts = statement(
  'refunds-record-parts',
  `insert into refunded_parts as r (${namesOf(partTypes)})
   select distinct on (account_id, order_id, part) ${namesOf(partTypes)}
   from ${tableOf(partTypes, 1)}
   order by account_id, order_id, part, change_no desc
   on conflict (account_id, order_id, part) do update set change_no = excluded.change_no,
     refunded_cents = excluded.refunded_cents, of_cents = excluded.of_cents
   where r.change_no < excluded.change_no`,
);

/** Takes commissions back in proportion to what went back of the order's payments and of renewals, or brings them back. */
export async function recordPaymentRefunds(
  client: Client,
  clock: Clock,
  events: readonly PaymentRefund[],
): Promise<void> {
  const keys = events.map(refundedOrderKey);
  await lockOrders(client, keys);
  const parts = events.map(({ accountId, data: { orderId, subscriptionId, period, changeNo, part } }) => ({
    account_id: accountId,
    order_id: orderId,
    change_no: changeNo,
    part: period === null ? '' : partOfRenewal(subscriptionId, period),
    refunded_cents: part.refundedCents,
    of_cents: part.ofCents,
  }));
  await client.query(recordParts(columnsOf(parts, partTypes)));
  await correctCommissions(client, clock, keys);
}

const refundedOrderKey = ({ accountId, data }: ReceivedEvent<{ readonly orderId: string }>): OrderKey => ({
  accountId,
  orderId: data.orderId,
});

const partOfRenewal = (subscriptionId: string | null, period: number): string => `${subscriptionId}/${period}`;

interface PartRow extends CorrectedRow {
  readonly account_id: string;
  readonly affiliate_id: string;
  readonly order_id: string;
  readonly currency: string;
  readonly due_at: Date;
  readonly part: string;
  readonly refunded: boolean;
  readonly refunded_cents: number;
  readonly of_cents: number;
}

/**
 * A statement of its own: it sees the commissions that were committed while the first one waited for their orders. It
 * waits for payouts that are paying them, in the order in which payouts lock theirs.
 */
const rowsStatement = statement<PartRow>(
  'commissions-of-refunded-orders',
  `select c.account_id, c.id, c.affiliate_id, c.order_id, c.correction_no, c.kind, c.status, c.amount_cents, c.currency, c.due_at,
     p.part, r.refunded_no > r.reopened_no as refunded, coalesce(b.refunded_cents, 0) as refunded_cents,
     coalesce(b.of_cents, 0) as of_cents
   from order_refunds as r
   join commissions as c on c.account_id = r.account_id and c.order_id = r.order_id
   cross join lateral (
     select case when c.period is null then c.part else c.subscription_id || '/' || c.period end as part) as p
   left join refunded_parts as b on b.account_id = r.account_id and b.order_id = r.order_id and b.part = p.part
   where (r.account_id, r.order_id) in (select * from unnest($1::text[], $2::text[]))
     and (r.refunded_no > 0 or exists (
       select from refunded_parts as s where s.account_id = r.account_id and s.order_id = r.order_id))
   order by c.account_id, c.id for update of c`,
  {
    account_id: 'text',
    affiliate_id: 'text',
    amount_cents: 'int8',
    currency: 'text',
    due_at: 'timestamptz',
    id: 'text',
    kind: 'text',
    of_cents: 'int8',
    order_id: 'text',
    part: 'text',
    refunded: 'bool',
    refunded_cents: 'int8',
    status: 'text',
    correction_no: 'int4',
  },
);

/** Corrects the commissions of orders, and of their renewals, by what has gone back of them. The orders are locked. */
export async function correctCommissions(client: Client, clock: Clock, keys: readonly OrderKey[]): Promise<void> {
  const values = [keys.map(({ accountId }) => accountId), keys.map(({ orderId }) => orderId)];
  const { rows } = await client.query(rowsStatement(values));
  const numbers = new Map<string, number>();
  for (const row of rows) numbers.set(orderOf(row), Math.max(numbers.get(orderOf(row)) ?? 0, row.correction_no ?? 0));
  const changes: StatusChange[] = [];
  const inserts: NewCommission[] = [];
  for (const part of Map.groupBy(rows, (row) => `${orderOf(row)} ${row.part}`).values()) {
    const base = part.find(({ correction_no }) => correction_no === 0 || correction_no === null);
    if (base === undefined) continue;
    const others = part
      .filter((row) => row !== base)
      .toSorted((a, b) => (a.correction_no ?? 0) - (b.correction_no ?? 0));
    const correction = correctionOf(base, others, givenBack(base));
    for (const change of correction.changes) changes.push({ account_id: base.account_id, ...change });
    if (correction.insertCents === 0) continue;
    const correctionNo = (numbers.get(orderOf(base)) ?? 0) + 1;
    numbers.set(orderOf(base), correctionNo);
    inserts.push(correctingRow(base, correctionNo, correction.insertCents, clock));
  }
  await changeCommissions(client, clock, changes);
  await insertCommissions(client, clock, inserts);
}

const orderOf = ({ account_id, order_id }: PartRow): string => `${account_id} ${order_id}`;

/** An order that is refunded went back whole, also where no refund of a payment said so. */
function givenBack({ part, refunded, refunded_cents, of_cents }: PartRow): GivenBack {
  if (part === '' && refunded) return { refundedCents: 1, ofCents: 1 };
  return { refundedCents: refunded_cents, ofCents: of_cents };
}

/** Due with the commission that it corrects; at once where that is paid. */
function correctingRow(base: PartRow, correctionNo: number, amount_cents: number, clock: Clock): NewCommission {
  const { account_id, affiliate_id, order_id, currency, part } = base;
  const now = clock.now().toISOString();
  return {
    account_id,
    affiliate_id,
    order_id,
    currency,
    part,
    correction_no: correctionNo,
    amount_cents,
    id: newId('commission', clock.nowMs()),
    kind: amount_cents < 0 ? 'clawback' : 'sale',
    status: 'pending',
    created_at: now,
    due_at: base.status === 'paid' ? now : base.due_at.toISOString(),
  };
}
