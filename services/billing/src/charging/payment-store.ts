import { withoutDailyRunMs } from '@app/contracts/daily-runs';
import { type Client, type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { earliestPerAccount } from '@app/service-kit/fair-share-sql';
import { namesOf } from '@app/service-kit/row-arrays';
import type { PaymentRequest } from '../processors/port.ts';
import { noneChosen } from '../processors/processor-registry.ts';
import { chargeColumns, chargeOf } from './charge-columns.ts';
import { mappingOf } from './column-mapping.ts';
import type { PaymentUpdate } from './decide-answer.rules.ts';
import { holdColumns, holdOf } from './hold-columns.ts';
import { type ClockDifferences, checkDelaysMs, notReceived, undoneReasons } from './payment.rules.ts';
import type { Charge, Hold, OrderMoney, Payment, RefundedDispute } from './payment.types.ts';

/** What a payment of a buyer is written with. */
export const sentTypes = {
  id: 'text',
  account_id: 'text',
  order_id: 'text',
  step: 'text',
  attempt_no: 'int4',
  call: 'text',
  request: 'json',
  hold_terms: 'json',
  amount_cents: 'int8',
  currency: 'text',
  processor: 'text',
  customer_email: 'text',
  email_key: 'text',
  product_name: 'text',
  test: 'bool',
  created_at: 'timestamptz',
  sent_at: 'timestamptz',
  next_check_at: 'timestamptz',
} as const;
/** What an answer to it fills. */
const answerTypes = {
  decline_kind: 'text',
  decline_reason: 'text',
  decline_message: 'text',
  processor_reference: 'text',
  action_url: 'text',
  last_four: 'text',
  wallet: 'text',
  finished_at: 'timestamptz',
} as const;
const columnTypes = {
  ...sentTypes,
  status: 'text',
  charge_id: 'text',
  released_payment_id: 'text',
  period: 'int4',
  ...answerTypes,
  checks: 'int4',
  releasing: 'bool',
} as const;

const payment = mappingOf(columnTypes);
/** What statements return of payments, by their fields, and as they select it. */
export const paymentTypes: ColumnsOf<Payment> = payment.types;
export const paymentColumns = payment.select();

/** A payment as statements get it to write it. */
export type PaymentRow = ReturnType<typeof rowOfPayment>;
export const rowOfPayment = (written: Payment) => payment.rowOf(written);

/** Times as PostgreSQL writes them in JSON become dates; those of rows are dates already. */
export function paymentOf(row: Payment): Payment {
  const { createdAt, sentAt, finishedAt, nextCheckAt } = row;
  return {
    ...row,
    createdAt: new Date(createdAt),
    sentAt: dateOf(sentAt),
    finishedAt: dateOf(finishedAt),
    nextCheckAt: dateOf(nextCheckAt),
  };
}

/** The payment of the only row of a statement, if it has one. */
export const onlyPaymentOf = ({ rows: [row] }: { readonly rows: readonly Payment[] }): Payment | undefined =>
  row === undefined ? undefined : paymentOf(row);

const dateOf = (value: Date | null): Date | null => (value === null ? null : new Date(value));

const byId = statement<Payment>(
  'payments-by-id',
  `select ${paymentColumns} from payments where account_id = $1 and order_id = $2 and id = $3`,
  paymentTypes,
);

/** A payment as it stands now. */
export async function readPayment(
  database: Database,
  { accountId, orderId, id }: Pick<Payment, 'id' | 'accountId' | 'orderId'>,
): Promise<Payment> {
  const { rows } = await database.pool.query(byId([accountId, orderId, id]));
  return paymentOf(rows[0] as Payment);
}

const requestStatement = statement<PaymentRequest>(
  'payments-request',
  'select call, request from payments where account_id = $1 and id = $2',
  { call: 'text', request: 'json' },
);

/** What the processor was sent of a payment. */
export async function readRequest(database: Database, accountId: string, id: string): Promise<PaymentRequest> {
  const { rows } = await database.pool.query(requestStatement([accountId, id]));
  return rows[0] as PaymentRequest;
}

const moneyStatement = statement<MoneyRow>(
  'orders-money',
  `select
     (select json_agg(p order by p."createdAt", p.id)
      from (select ${paymentColumns} from payments where account_id = $1 and order_id = $2) as p) as payments,
     (select json_agg(c order by c.charged_at, c.id)
      from (select ${chargeColumns()}, charged_at from charges where account_id = $1 and order_id = $2 and step <> 'renewal') as c) as charges,
     (select json_agg(c order by c.charged_at, c.id)
      from (select ${chargeColumns()}, charged_at from charges where account_id = $1 and id = any (array(
        select id from payments
        where account_id = $1 and order_id = $2 and step = 'renewal' and status = 'succeeded'))) as c) as renewals,
     (select id from subscriptions where account_id = $1 and order_id = $2 limit 1) as subscription_id,
     (select json_agg(d) from (
        select payment_id, reason, status, refundable, closed_at is null as open
        from disputes where account_id = $1 and order_id = $2) as d) as disputes,
     (select row_to_json(h) from (select ${holdColumns} from holds where account_id = $1 and order_id = $2) as h) as hold,
     (select method from payment_methods where account_id = $1 and order_id = $2) as method`,
  {
    charges: 'json',
    disputes: 'json',
    hold: 'json',
    method: 'text',
    payments: 'json',
    renewals: 'json',
    subscription_id: 'text',
  },
);

interface MoneyRow {
  readonly payments: Payment[] | null;
  readonly charges: Charge[] | null;
  readonly renewals: Charge[] | null;
  readonly disputes: RefundedDispute[] | null;
  readonly subscription_id: string | null;
  readonly hold: Hold | null;
  readonly method: string | null;
}

/**
 * All that is recorded of an order's money, in one statement; empty for an order without a payment here. Payments of renewals
 * are among them, because an open one keeps others out; their charges stand apart from the order's own.
 */
export async function readMoney(database: Database, accountId: string, orderId: string): Promise<OrderMoney> {
  const { rows } = await database.pool.query(moneyStatement([accountId, orderId]));
  const { payments, charges, renewals, disputes, subscription_id, hold, method } = rows[0] as MoneyRow;
  return {
    accountId,
    orderId,
    payments: (payments ?? []).map(paymentOf),
    charges: (charges ?? []).map(chargeOf),
    renewals: (renewals ?? []).map(chargeOf),
    subscriptionId: subscription_id,
    disputes: disputes ?? [],
    hold: hold === null ? null : holdOf(hold),
    savedMethod: method,
  };
}

type Of<Name extends string> = Readonly<Record<Name, string>>;

/** An expression for each column of a new payment; those that may be missing have their defaults then. */
export type NewPaymentValues = Of<Exclude<keyof typeof sentTypes, 'hold_terms'>> &
  Partial<Of<'hold_terms' | 'charge_id' | 'released_payment_id' | 'period' | 'sent_ahead_ms'>>;

/** Columns that a row of the statement has under the payment's names. */
export const columnsFrom = <Name extends keyof NewPaymentValues>(row: string, ...names: readonly Name[]): Of<Name> =>
  Object.fromEntries(names.map((name) => [name, `${row}.${name}`])) as Of<Name>;

/**
 * Part of a statement that inserts payments as `sent`, because the call follows at once. Where another payment of the order is
 * open, or the attempt was made before, the indexes of payments say so and nothing is written.
 * @param rows what follows the list of a `select`: which rows the values are of
 */
export const insertPayments = (values: NewPaymentValues, rows: string): string =>
  `insert into payments (${namesOf(values)}, status)
     select ${Object.values(values).join(', ')}, 'sent'
     ${rows}
     on conflict do nothing`;

/** How far the replica's clock is ahead of the database's, which all replicas share. @param now the parameter with the system's time here */
export const sentAheadMs = (now: string): string =>
  `extract(epoch from ${now}::timestamptz - clock_timestamp()) * 1000`;

const updateWith = (
  nextCheckAt: string,
): string => `status = c.status, decline_kind = c.decline_kind, decline_reason = c.decline_reason,
  decline_message = c.decline_message, processor_reference = coalesce(c.processor_reference, p.processor_reference),
  action_url = c.action_url, last_four = coalesce(c.last_four, p.last_four),
  wallet = coalesce(c.wallet, p.wallet), finished_at = c.finished_at,
  next_check_at = ${nextCheckAt}`;
/** How a statement updates payments as `p` from rows of `PaymentUpdate` as `c`. */
export const updateColumns = updateWith('c.next_check_at');
/** The same of renewals: what waits for its buyer keeps an earlier look-up, as one that `hurryRenewalsStatement` has set meanwhile. */
export const updateRenewalColumns = updateWith(
  `case when c.status = 'requires_action' then least(c.next_check_at, p.next_check_at) else c.next_check_at end`,
);
const changedTypes = { status: 'text', ...answerTypes, next_check_at: 'timestamptz' } as const;
/** Where what a payment may leave was compared before. */
export const checkedUpdateTypes = { id: 'text', account_id: 'text', ...changedTypes } as const;
export const updateTypes = { ...checkedUpdateTypes, from: 'text[]' } as const;
const changed = mappingOf(changedTypes);
/** What a decision changes of a payment, as statements get it to write it. */
export const rowOfUpdate = (update: PaymentUpdate) => ({ ...changed.rowOf(update), from: update.from });

export interface DueOrder {
  readonly account_id: string;
  readonly order_id: string;
}
export interface DuePayment extends DueOrder {
  readonly id: string;
  readonly step: string;
}

const earliest = (table: string, key: string, dueAt: string, where: string): string =>
  `${earliestPerAccount(table, key, dueAt, `${where} and ${dueAt} <= $1`)} limit 40`;

/**
 * A renewal that its buyer may confirm at the bank, and its release: each keeps everything else of its order out, so that it is
 * looked up all along until it ends.
 */
const awaitsBuyer = `p.request -> 'confirmation' is not null or p.step = 'release' and exists (
  select from payments as r where r.account_id = p.account_id and r.id = p.released_payment_id and r.step = 'renewal')`;

/** As `nextCheckAt`, for the look-up that is claimed. */
const delays = checkDelaysMs.slice(1).map((ms, checks) => `when p.checks = ${checks} then ${ms}`);
const claimPayments = statement<DuePayment>(
  'payments-claim',
  `update payments as p set checks = p.checks + 1,
     next_check_at = $1::timestamptz + interval '1 ms' * case
       when ${awaitsBuyer} then ${checkDelaysMs[1]} ${delays.join(' ')}
       else ${withoutDailyRunMs} end
   where p.id = any (array(
     select id from payments where id = any (array(${earliest('payments', 'id', 'next_check_at', 'next_check_at is not null')}))
       and next_check_at <= $1 for update skip locked))
   returning p.id, p.account_id, p.order_id, p.step`,
  { account_id: 'text', id: 'text', order_id: 'text', step: 'text' },
);

const claimHolds = statement<DueOrder>(
  'holds-claim',
  `update holds as h set due_at = $1::timestamptz + interval '1 minute'
   where (h.account_id, h.order_id) in (
     select account_id, order_id from holds
     where (account_id, order_id) in (${earliest('holds', 'account_id, order_id', 'due_at', `status in ('held', 'settling')`)})
       and status in ('held', 'settling') and due_at <= $1 for update skip locked)
   returning h.account_id, h.order_id`,
  { account_id: 'text', order_id: 'text' },
);

const claimRefunds = statement<DueOrder>(
  'charges-claim-refunds',
  `update charges as c set refund_due_at = $1::timestamptz + interval '1 minute'
   where c.id = any (array(
     select id from charges where id = any (array(${earliest('charges', 'id', 'refund_due_at', 'refund_due_at is not null')}))
       and refund_due_at <= $1 for update skip locked))
   returning c.account_id, c.order_id`,
  { account_id: 'text', order_id: 'text' },
);

export const claimDuePayments = async (database: Database, now: Date): Promise<DuePayment[]> =>
  (await database.pool.query(claimPayments([now]))).rows;

export const claimDueHolds = async (database: Database, now: Date): Promise<DueOrder[]> =>
  (await database.pool.query(claimHolds([now]))).rows;

export const claimDueRefunds = async (database: Database, now: Date): Promise<DueOrder[]> =>
  (await database.pool.query(claimRefunds([now]))).rows;

/** Those of one account that have no end, whatever their next check: the daily run looks up each. */
const unfinished = statement<DuePayment>(
  'payments-unfinished',
  `select id, account_id, order_id, step from payments
   where account_id = $1 and next_check_at is not null and created_at <= $2 and id > $3 order by id limit $4`,
  { account_id: 'text', id: 'text', order_id: 'text', step: 'text' },
);

export const listUnfinishedPayments = async (
  database: Database,
  accountId: string,
  page: { madeBefore: Date; after: string; limit: number },
): Promise<DuePayment[]> =>
  (await database.pool.query(unfinished([accountId, page.madeBefore, page.after, page.limit]))).rows;

const clocksStatement = statement<ClockDifferences>(
  'payments-clock-differences',
  `select sent_ahead_ms as "sentAheadMs", extract(epoch from $4::timestamptz - clock_timestamp())::float8 * 1000 as "lookedUpAheadMs"
   from payments where account_id = $1 and order_id = $2 and id = $3`,
  { lookedUpAheadMs: 'float8', sentAheadMs: 'int8' },
);

/** The database's clock is the one that all replicas share. */
export async function readClockDifferences(
  { pool }: Pick<Database, 'pool'>,
  { accountId, orderId, id }: Payment,
): Promise<ClockDifferences> {
  const values = [accountId, orderId, id, new Date(Date.now())];
  const { rows } = await pool.query(clocksStatement(values));
  return rows[0] as ClockDifferences;
}

const processorStatement = statement(
  'payments-processor-chosen',
  `update payments set processor = $4
   where account_id = $1 and order_id = $2 and id = $3 and processor = '${noneChosen}'`,
);

/** Writes where a payment is to be looked up that was sent before the account chose its processor. */
export async function writeProcessor(
  { pool }: Pick<Database, 'pool'>,
  { accountId, orderId, id }: Pick<Payment, 'id' | 'accountId' | 'orderId'>,
  processor: string,
): Promise<void> {
  await pool.query(processorStatement([accountId, orderId, id, processor]));
}

/** A guard: another process may have sent it again, or recorded its answer, since it was read. $7 the system's time here */
const againStatement = statement<Payment>(
  'payments-sent-again',
  `update payments set status = 'sent', sent_at = $4, next_check_at = $5, sent_ahead_ms = ${sentAheadMs('$7')}
   where account_id = $1 and order_id = $2 and id = $3 and status in ('sent', 'unknown') and not releasing
     and sent_at is not distinct from $6
   returning ${paymentColumns}`,
  paymentTypes,
);

/** Writes that a payment is sent again now: it is committed before the call. @returns undefined where it is not as it was read */
export async function markSentAgain(
  { pool }: Pick<Database, 'pool'>,
  { accountId, orderId, id, sentAt }: Payment,
  now: Date,
  checkAt: Date,
): Promise<Payment | undefined> {
  const values = [accountId, orderId, id, now, checkAt, sentAt, new Date(Date.now())];
  return onlyPaymentOf(await pool.query(againStatement(values)));
}

const unansweredStatement = statement(
  'payments-lock-unanswered',
  `select from payments where account_id = $1 and id = $2 and status in ('sent', 'unknown') for share`,
);

/** Whether a payment is without an answer. Until the transaction ends none is recorded. */
export async function lockUnanswered(
  client: Pick<Client, 'query'>,
  { accountId, id }: Pick<Payment, 'id' | 'accountId'>,
): Promise<boolean> {
  return (await client.query(unansweredStatement([accountId, id]))).rowCount !== 0;
}

const noAttempts = [notReceived, ...undoneReasons].map((reason) => `'${reason}'`).join(', ');

/** $1 account, $2 order, $3 period, $4 how many are counted at most */
const countStatement = statement<{ count: number }>(
  'payments-count-not-received',
  `with attempts as materialized (
     select attempt_no, undone, decline_reason in (${noAttempts}) as is_none from payments
     where account_id = $1 and order_id = $2 and step = 'renewal' and period = $3
     order by attempt_no desc limit $4
   )
   select coalesce(sum(undone + 1), 0)::int as count from attempts
   where is_none and attempt_no > coalesce((select max(attempt_no) from attempts where is_none is not true), 0)`,
  { count: 'int4' },
);

/** How often in a row, up to `atMost`, the processor did not get the last attempts of a renewal, or did nothing with them. */
export async function countNotReceived(
  { pool }: Pick<Database, 'pool'>,
  { accountId, orderId, period }: Pick<Payment, 'accountId' | 'orderId' | 'period'>,
  atMost: number,
): Promise<number> {
  return (await pool.query(countStatement([accountId, orderId, period, atMost]))).rows[0]?.count ?? 0;
}
