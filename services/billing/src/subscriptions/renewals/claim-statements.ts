import { emailKey } from '@app/contracts/email-key';
import { type Client, statement, type Write } from '@app/service-kit/database';
import { pipelined } from '@app/service-kit/pipelined';
import { byRows } from '@app/service-kit/planner';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import { besideOthersSql, requestRefused, requestRefusedAgain, undoneReasons } from '../../charging/payment.rules.ts';
import type { Payment } from '../../charging/payment.types.ts';
import { columnsFrom, insertPayments, type NewPaymentValues, rowOfPayment } from '../../charging/payment-store.ts';
import { wantsRenewal } from '../../charging/wanted-renewal.ts';
import type { ChargeScope, DueSubscription, PayableSubscription } from './due-subscriptions.ts';
import { periodEnd } from './renewal.rules.ts';
import {
  isRefusal,
  isUndone,
  type LastAttempt,
  type ReadForClaim,
  type RefusingProcessor,
} from './renewal-claim.rules.ts';

const dueTypes = {
  subscription_id: 'text',
  order_id: 'text',
  period: 'integer',
  failed_tries: 'integer',
  method: 'text',
} as const;

/**
 * Locks those subscriptions `s` of `i` that still want their renewal as they were read, with the same attempts; and neither has this run
 * charged them before or found one of their periods paid by a look-up, nor was one paid on this UTC day. The lock shows a row as it is when a
 * caller that pauses or cancels it has committed, and the same transaction claims it. They are locked in the order of their
 * orders, as `renewals-lock` does, so no transaction waits in a circle.
 * $1 account, $2 now, $3 run
 * @param selected of the locked ones
 * @param columns that they have
 */
export const lockDueSql = (selected: string, columns: string): string => `
  select ${selected}
  from (select * from ${tableOf(dueTypes, 4)} order by order_id) as i
  cross join lateral (
    select ${columns} from subscriptions
    where account_id = $1 and id = i.subscription_id and failed_tries = i.failed_tries
      and ${wantsRenewal({ now: '$2', orderId: 'i.order_id', period: 'i.period', method: 'i.method' })}
      and not exists (select from renewals as r where r.account_id = $1 and r.subscription_id = i.subscription_id
        and r.period in (i.period, i.period - 1)
        and (r.run_id = $3 or (r.period < i.period
          and (r.looked_up_run_id = $3 or r.paid_at >= date_trunc('day', $2::timestamptz, 'UTC')))))
    for no key update) as s`;

/** The values for `lockDueSql`. */
export function lockDueValues({ accountId, now, runId }: ChargeScope, due: readonly DueSubscription[]): unknown[] {
  const rows = due.map(({ id: subscription_id, order_id, period, failed_tries, payment_method: method }) => ({
    ...{ subscription_id, order_id, failed_tries, method },
    period: period + 1,
  }));
  return [accountId, now, runId, ...columnsOf(rows, dueTypes)];
}

const lockStatement = statement<{ id: string }>('renewals-lock-to-claim', lockDueSql('s.id', 'id'), { id: 'text' });

type OfOrder<Row> = Row & { readonly order_id: string };

const periodTypes = { order_id: 'text', period: 'integer' } as const;
const lastStatement = statement<OfOrder<LastAttempt>>(
  'renewals-last-attempts',
  `select i.order_id, p.* from (select * from ${tableOf(periodTypes, 2)}) as i
   cross join lateral (
     select attempt_no, decline_reason, finished_at from payments
     where account_id = $1 and order_id = i.order_id and step = 'renewal' and period = i.period
     order by attempt_no desc limit 1) as p`,
  { order_id: 'text', attempt_no: 'int4', decline_reason: 'text', finished_at: 'timestamptz' },
);

const refusedTypes = { order_id: 'text', processor: 'text', email_key: 'text', refused_at: 'timestamptz' } as const;
const refused = [requestRefused, requestRefusedAgain].map((reason) => `'${reason}'`).join(', ');
const sinceThen = `date_trunc('day', i.refused_at, 'UTC')`;
/** @param mode as an index of charges has it */
const chargesOthers = (mode: string): string =>
  `exists (select from charges as c where c.account_id = $1 and ${mode} and c.step = 'renewal' and c.processor = i.processor
       and c.charged_at >= ${sinceThen})`;
const ofOther = `p.account_id = $1 and p.test = $2 and p.step = 'renewal' and p.processor = i.processor
       and p.email_key is distinct from i.email_key`;

/** One that is sent again at this moment was refused before, and has no answer yet. $1 account, $2 test */
const refusingStatement = statement<OfOrder<RefusingProcessor>>(
  'renewals-refusing-processors',
  `select i.order_id,
     case when $2 then ${chargesOthers('c.test')} else ${chargesOthers('not c.test')} end as charges_others,
     exists (select from payments as p where ${ofOther} and p.decline_reason in (${refused}) and p.finished_at >= ${sinceThen})
       or exists (select from payments as p where ${ofOther} and p.next_check_at is not null and p.undone > 0) as refuses_others,
     (select k.charges_enabled from processor_keys as k
       where k.account_id = $1 and k.processor = i.processor and k.test = $2 and k.current) as may_charge
   from (select * from ${tableOf(refusedTypes, 3)}) as i`,
  { order_id: 'text', charges_others: 'bool', refuses_others: 'bool', may_charge: 'bool' },
);

const takenStatement = statement<{ order_id: string }>(
  'renewals-taken-orders',
  `select order_id from payments
   where account_id = $1 and order_id = any ($2) and status not in ('succeeded', 'declined') and step not in ${besideOthersSql}`,
  { order_id: 'text' },
);

/** A renewal that is due still, with what says which payment of it is sent next. */
export interface LockedDue {
  readonly due: PayableSubscription;
  readonly read: ReadForClaim;
}

/**
 * Locks what is due still, and reads what says which payment of each renewal is sent next. Nearly all are the first of their period: then one
 * round trip does. Once the subscriptions are locked no end of their payments is recorded.
 * @returns in the order of the locks
 */
export async function lockDue(
  client: Client,
  scope: ChargeScope,
  due: readonly PayableSubscription[],
): Promise<LockedDue[]> {
  const { accountId, test } = scope;
  const periods = due.map(({ order_id, period }) => ({ order_id, period: period + 1 }));
  const [, locked, attempts] = await pipelined(client, [
    byRows(),
    lockStatement(lockDueValues(scope, due)),
    lastStatement([accountId, ...columnsOf(periods, periodTypes)]),
  ]);
  const byId = new Map(due.map((each) => [each.id, each]));
  const wanted = locked.rows.flatMap(({ id }) => byId.get(id) ?? []);
  const last = byOrder(attempts.rows);
  const lastIs = (is: (last: LastAttempt) => boolean) =>
    wanted.flatMap((each) => {
      const attempt = last.get(each.order_id);
      return attempt !== undefined && is(attempt) ? [{ ...each, refused_at: attempt.finished_at }] : [];
    });
  const refusals = lastIs(isRefusal).map((each) => ({ ...each, email_key: emailKey(each.customer_email) }));
  const ofRefused = [accountId, test, ...columnsOf(refusals, refusedTypes)];
  const refusing = byOrder(refusals.length === 0 ? [] : (await client.query(refusingStatement(ofRefused))).rows);
  const undone = lastIs(isUndone).map(({ order_id }) => order_id);
  const taken = byOrder(undone.length === 0 ? [] : (await client.query(takenStatement([accountId, undone]))).rows);
  return wanted.map((each) => ({
    due: each,
    read: {
      last: last.get(each.order_id),
      refusing: refusing.get(each.order_id),
      isTaken: taken.has(each.order_id),
    },
  }));
}

const byOrder = <Row extends { readonly order_id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.order_id, row]));

/** When payments of a claim are made, sent, and looked up. */
export interface ClaimTimes {
  readonly now: Date;
  readonly sentAt: Date;
  readonly checkAt: Date;
}

const attemptTypes = {
  ...{ id: 'text', order_id: 'text', request: 'json', amount_cents: 'bigint', currency: 'text', processor: 'text' },
  ...{ period: 'integer', attempt_no: 'integer', customer_email: 'text', email_key: 'text', product_name: 'text' },
  test: 'boolean',
} as const;
const attemptValues: NewPaymentValues = {
  account_id: '$1',
  step: `'renewal'`,
  call: `'chargeSaved'`,
  created_at: '$4',
  sent_at: '$2',
  next_check_at: '$3',
  ...columnsFrom('i', 'id', 'order_id', 'period', 'attempt_no', 'request', 'amount_cents', 'currency', 'processor'),
  ...columnsFrom('i', 'customer_email', 'email_key', 'product_name', 'test'),
};
const insertStatement = statement<{ id: string }>(
  'renewals-claim',
  `${insertPayments(attemptValues, `from (select * from ${tableOf(attemptTypes, 5)}) as i`)}
   returning id`,
  { id: 'text' },
);

const againTypes = {
  ...{ id: 'text', order_id: 'text', request: 'json', amount_cents: 'bigint', currency: 'text', processor: 'text' },
} as const;
const undoneNames = undoneReasons.map((reason) => `'${reason}'`).join(', ');
/** The subscription may have got another card, and the amount may have changed: the key has nothing but what a look-up finds. */
const sendAgainStatement = statement<{ id: string }>(
  'renewals-claim-again',
  `update payments as p set status = 'sent', request = i.request, amount_cents = i.amount_cents, currency = i.currency,
     processor = i.processor, decline_kind = null, decline_reason = null, decline_message = null, last_four = null, wallet = null,
     sent_at = $2, finished_at = null, next_check_at = $3, checks = 0, undone = p.undone + 1
   from (select * from ${tableOf(againTypes, 4)}) as i
   where p.account_id = $1 and p.order_id = i.order_id and p.id = i.id and p.decline_reason in (${undoneNames})
   returning p.id`,
  { id: 'text' },
);

/** A payment that is to be sent, of a renewal that is due. */
interface ToSend {
  readonly due: PayableSubscription;
  readonly payment: Payment;
  readonly resends: boolean;
}

const claimedPeriodTypes = {
  ...{ subscription_id: 'text', period: 'integer', starts_at: 'timestamptz', ends_at: 'timestamptz' },
  ...{ amount_cents: 'bigint', currency: 'text', payment_id: 'text' },
} as const;
const periodsStatement = statement(
  'renewals-claim-periods',
  `insert into renewals (account_id, status, run_id, subscription_id, period, starts_at, ends_at, amount_cents, currency, payment_id)
   select $1, 'processing', $2, i.* from (select * from ${tableOf(claimedPeriodTypes, 3)}) as i
   on conflict (account_id, subscription_id, period) do update set starts_at = excluded.starts_at,
     ends_at = excluded.ends_at, amount_cents = excluded.amount_cents, currency = excluded.currency,
     status = 'processing', run_id = excluded.run_id, payment_id = excluded.payment_id`,
);

/**
 * Writes payments as `sent`.
 * @returns those that were written: where another payment of the order is open, the indexes of payments keep a new one out
 * @throws Error where another payment of an order was begun at the very moment at which one is sent again
 */
export async function writeClaims<Claim extends ToSend>(
  client: Client,
  { accountId }: ChargeScope,
  claims: readonly Claim[],
  { now, sentAt, checkAt }: ClaimTimes,
): Promise<Claim[]> {
  const rowsOf = (resends: boolean) =>
    claims.flatMap((each) => (each.resends === resends ? [rowOfPayment(each.payment)] : []));
  const about = [accountId, sentAt, checkAt];
  const [anew, again] = [rowsOf(false), rowsOf(true)];
  const written = new Set<string>();
  const write = async (query: ReturnType<typeof insertStatement>): Promise<void> => {
    for (const { id } of (await client.query(query)).rows) written.add(id);
  };
  if (anew.length > 0) await write(insertStatement([...about, now, ...columnsOf(anew, attemptTypes)]));
  if (again.length > 0) await write(sendAgainStatement([...about, ...columnsOf(again, againTypes)]));
  return claims.filter(({ payment }) => written.has(payment.id));
}

/** The statement that writes the rows of the periods whose payments are sent: they remember the run. */
export const periodWrites = ({ accountId, runId }: ChargeScope, sent: readonly ToSend[]): readonly Write[] =>
  sent.length === 0
    ? []
    : [periodsStatement([accountId, runId, ...columnsOf(sent.map(periodRowOf), claimedPeriodTypes)])];

const periodRowOf = ({ due, payment }: ToSend) => ({
  subscription_id: due.id,
  period: due.period + 1,
  starts_at: due.current_period_end,
  ends_at: periodEnd(due, due.period + 1),
  amount_cents: due.amount_cents,
  currency: due.currency,
  payment_id: payment.id,
});
