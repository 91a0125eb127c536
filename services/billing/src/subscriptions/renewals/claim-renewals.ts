import { emailKey } from '@app/contracts/email-key';
import { createBatcher } from '@app/service-kit/batcher';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { withOne } from '@app/service-kit/planner';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import {
  besideOthersSql,
  nextCheckAt,
  requestRefused,
  requestRefusedAgain,
  unanswered,
  undoneReasons,
} from '../../charging/payment.rules.ts';
import type { Payment } from '../../charging/payment.types.ts';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { columnsFrom, insertPayments, type NewPaymentValues, rowOfPayment } from '../../charging/payment-store.ts';
import { wantsRenewal } from '../../charging/wanted-renewal.ts';
import { renewalsClaimed } from '../../points/points.ts';
import type { Confirmation, SavedMethodRequest } from '../../processors/port.ts';
import type { DueScope, DueSubscription } from './due-subscriptions.ts';
import { isRefusedBefore, type LastAttempt, type NextAttempt, nextAttempt } from './payment-number.rules.ts';
import { periodEnd } from './renewal.rules.ts';
import { renewalKey } from './renewal-key.ts';

/**
 * With the processor that its card is charged at. Of a card that was never charged here it is not known whose token it is:
 * then it is the one that the account has chosen.
 */
export type PayableSubscription = DueSubscription & { readonly processor: string };

/** What a run of the account charges. */
export interface ChargeScope extends DueScope {
  readonly runId: string;
  /** Their buyer is there: how the bank may ask them. */
  readonly confirmation?: Confirmation;
  /** The account's setting. */
  readonly statementSuffix?: string;
}

/**
 * The subscription as it was read: it still wants the renewal, with the same attempts; and neither has this run charged this
 * subscription before or found one of its periods paid by a look-up, nor was one paid on this UTC day. A guard: the lock shows the row
 * as it is when a caller that pauses or cancels it has committed, and the same statement claims it.
 * $1 account, $2 now, $3 run
 */
export const stillDue = (columns: string): string => `
  cross join lateral (
    select ${columns} from subscriptions
    where account_id = $1 and id = i.subscription_id and failed_tries = i.failed_tries
      and ${wantsRenewal({ now: '$2', orderId: 'i.order_id', period: 'i.period', method: 'i.method' })}
      and not exists (select from renewals as r where r.account_id = $1 and r.subscription_id = i.subscription_id
        and r.period in (i.period, i.period - 1)
        and (r.run_id = $3 or (r.period < i.period
          and (r.looked_up_run_id = $3 or r.paid_at >= date_trunc('day', $2::timestamptz, 'UTC')))))
    for no key update) as s`;

const dueTypes = {
  subscription_id: 'text',
  order_id: 'text',
  payment_id: 'text',
  period: 'integer',
  attempt_no: 'integer',
  failed_tries: 'integer',
  method: 'text',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
  request: 'json',
  amount_cents: 'bigint',
  currency: 'text',
  processor: 'text',
  customer_email: 'text',
  email_key: 'text',
  product_name: 'text',
  test: 'boolean',
} as const;

const refused = [requestRefused, requestRefusedAgain].map((reason) => `'${reason}'`).join(', ');
const sinceThen = `date_trunc('day', l.finished_at, 'UTC')`;
/** @param mode as an index of charges has it */
const chargesOthers = (mode: string): string =>
  `exists (select from charges as c where c.account_id = $1 and ${mode} and c.step = 'renewal' and c.processor = i.processor
         and c.charged_at >= ${sinceThen})`;
/** One that is sent again at this moment was refused before, and has no answer yet. */
const refusesOthers = `exists (select from payments as p where p.account_id = $1 and p.test = i.test and p.step = 'renewal'
       and p.processor = i.processor and p.email_key is distinct from i.email_key
       and p.decline_reason in (${refused}) and p.finished_at >= ${sinceThen})
     or exists (select from payments as p where p.account_id = $1 and p.test = i.test and p.step = 'renewal'
       and p.processor = i.processor and p.email_key is distinct from i.email_key and p.next_check_at is not null and p.undone > 0)`;
const mayCharge = `(select k.charges_enabled from processor_keys as k
       where k.account_id = $1 and k.processor = i.processor and k.test = i.test and k.current)`;
/**
 * What the account's others say is read for what was refused alone: nearly all renewals are first attempts, whose last reason is null, and
 * `null and …` would read the account's charges for each of them.
 */
const ofRefused = (sql: string): string => `case when l.decline_reason in (${refused}) then ${sql} end`;

/**
 * Claims renewals: the payment that is sent next, and the period's row, which remembers the run. Subscriptions are locked in the order
 * of their orders, as in `renewals-lock`.
 * @param sent writes payments of `due`, and returns their ids
 */
const claimSql = (sent: string): string => `
   with due as materialized (
     select i.*, l.attempt_no as last_attempt, l.decline_reason as last_reason, l.finished_at as last_finished_at,
       coalesce(${ofRefused(`case when i.test then ${chargesOthers('c.test')} else ${chargesOthers('not c.test')} end`)}, false) as charges_others,
       coalesce(${ofRefused(refusesOthers)}, false) as refuses_others, ${ofRefused(mayCharge)} as may_charge
     from (select * from ${tableOf(dueTypes, 6)} order by order_id) as i
     ${withOne(
       `select p.attempt_no, p.decline_reason, p.finished_at from payments as p
       where p.account_id = $1 and p.order_id = i.order_id and p.step = 'renewal' and p.period = i.period
       order by p.attempt_no desc`,
       'l',
     )}
     ${stillDue('id')}
   ), sent as (
     ${sent}
   ), claimed as (
     insert into renewals as r (account_id, subscription_id, period, starts_at, ends_at, amount_cents, currency, status,
       run_id, payment_id)
     select $1, i.subscription_id, i.period, i.starts_at, i.ends_at, i.amount_cents, i.currency, 'processing', $3, sent.id
     from sent join due as i on i.payment_id = sent.id
     on conflict (account_id, subscription_id, period) do update set starts_at = excluded.starts_at,
       ends_at = excluded.ends_at, amount_cents = excluded.amount_cents, currency = excluded.currency,
       status = 'processing', run_id = excluded.run_id, payment_id = excluded.payment_id
   )
   select payment_id, last_attempt, last_reason, last_finished_at, charges_others, refuses_others,
     may_charge, payment_id in (select id from sent) as sent from due`;

const claimedTypes: ColumnsOf<ClaimedRow> = {
  payment_id: 'text',
  last_attempt: 'int4',
  last_reason: 'text',
  last_finished_at: 'timestamptz',
  charges_others: 'bool',
  refuses_others: 'bool',
  may_charge: 'bool',
  sent: 'bool',
};

const undone = undoneReasons.map((reason) => `'${reason}'`).join(', ');
/** A guard that repeats `nextAttempt`: another process may have written an attempt since the number of this one was decided. */
const isNext = `i.attempt_no = coalesce(i.last_attempt, 0) + 1 and coalesce(i.last_reason, '') not in (${undone})`;
/** The same guard, for a payment with which the processor did nothing. */
const isResent = `i.last_reason in (${undone})`;

const dueValues: NewPaymentValues = {
  id: 'i.payment_id',
  account_id: '$1',
  step: `'renewal'`,
  call: `'chargeSaved'`,
  created_at: '$2',
  sent_at: '$4',
  next_check_at: '$5',
  ...columnsFrom('i', 'order_id', 'period', 'attempt_no', 'request', 'amount_cents', 'currency', 'processor'),
  ...columnsFrom('i', 'customer_email', 'email_key', 'product_name', 'test'),
};

const claimStatement = statement<ClaimedRow>(
  'renewals-claim',
  claimSql(`${insertPayments(dueValues, `from due as i where ${isNext}`)}
     returning id`),
  claimedTypes,
);

/** The subscription may have got another card, and the amount may have changed: the key has nothing but what a look-up finds. */
const claimAgainStatement = statement<ClaimedRow>(
  'renewals-claim-again',
  claimSql(`update payments as p set status = 'sent', request = i.request, amount_cents = i.amount_cents, currency = i.currency,
       processor = i.processor, decline_kind = null, decline_reason = null, decline_message = null, last_four = null, wallet = null,
       sent_at = $4, finished_at = null, next_check_at = $5, checks = 0, undone = p.undone + 1
     from due as i
     where ${isResent} and p.account_id = $1 and p.order_id = i.order_id and p.id = i.payment_id
       and not exists (select from payments as o where o.account_id = $1 and o.order_id = i.order_id
         and o.status not in ('succeeded', 'declined') and o.step not in ${besideOthersSql})
     returning p.id`),
  claimedTypes,
);

/** Resolves with the payment to send now, or undefined where the renewal is not wanted any more. */
export type ClaimRenewal = (due: PayableSubscription) => Promise<ClaimedRenewal | undefined>;

/** As answers are gathered before they are recorded: each statement is a commit and a round trip, and no caller waits for one renewal. */
const lingerMs = 5;

/**
 * Claims renewals right before their calls: what the seller canceled, paused or gave back while they waited is not charged,
 * and a later process finds their payments. Those whose calls may begin at the same time share one statement.
 * @param max renewals of one statement
 */
export function createClaimRenewal(
  { database, clock }: Pick<PaymentDeps, 'database' | 'clock'>,
  scope: ChargeScope,
  max: number,
): ClaimRenewal {
  const claims = createBatcher<PayableSubscription, ClaimedRenewal | undefined>({
    maxSize: max,
    lingerMs,
    run: async (due) => {
      const claimed = await claimRenewals(database, scope, due, clock.nowMs());
      const byOrder = new Map(claimed.map((each) => [each.payment.orderId, each]));
      return due.map(({ order_id }) => ({ ok: true, value: byOrder.get(order_id) }));
    },
  });
  return claims.add;
}

/**
 * Writes the payments of renewals that are sent next. Nearly always one statement does: `firstAttempt` guesses their numbers.
 * It returns the others, each with the number that is right, for up to two more:
 *
 *   renumbered  attempt 1 never reached the processor, so it did not count: 1 was guessed, and 2 is written
 *   undone      the processor refused attempt 1 and did nothing: the row of attempt 1 is sent again, under its own key
 *
 * @param due of one account, each on its own card at its `processor`
 * @param nowMs of the clock; a rehearsal's run has a time of its own
 * @returns those that may be sent now; the others are not due any more, or another payment of theirs is open
 * @throws Error where another payment of an order was begun at the very moment at which one is claimed again
 */
async function claimRenewals(
  database: Pick<Database, 'pool'>,
  scope: ChargeScope,
  due: readonly PayableSubscription[],
  nowMs: number,
): Promise<ClaimedRenewal[]> {
  if (due.length === 0) return [];
  const times = { now: scope.now, sentAt: new Date(nowMs), checkAt: nextCheckAt(0, nowMs) };
  const first = await claimAttempts(database, scope, { attempts: due.map(firstAttempt), times, by: claimStatement });
  // After attempts that did not count the next one has another number.
  const renumbered = first.others.filter(({ resends }) => !resends);
  const others = await claimAttempts(database, scope, { attempts: renumbered, times, by: claimStatement });
  const undone = first.others.filter(({ resends }) => resends);
  const resent = await claimAttempts(database, scope, { attempts: undone, times, by: claimAgainStatement });
  const claimed = [
    ...[...first.claimed, ...others.claimed].map((each) => ({ ...each, resends: false })),
    ...resent.claimed.map((each) => ({ ...each, resends: true })),
  ];
  const { accountId, runId } = scope;
  renewalsClaimed.announce(() => ({ accountId, runId, paymentIds: claimed.map(({ payment }) => payment.id) }));
  return claimed;
}

/** A payment that may be sent now. */
export interface ClaimedRenewal {
  readonly payment: Payment;
  /** It was sent before: it is looked up first. */
  readonly resends: boolean;
  /** The processor refused the renewal on an earlier day too, and that is about this renewal (`isRefusedBefore`). */
  readonly refusedBefore: boolean;
}

interface RenewalAttempt extends NextAttempt {
  readonly due: PayableSubscription;
}
/**
 * The key of a payment is a hash of its attempt's number, which is made here, before the statement reads the payments. Reading them
 * first would cost every claim a round trip. It is a guess: `nextAttempt` corrects it after attempts that do not count (`isNoAttempt`),
 * a free one, and a failure for which no payment was made.
 */
const firstAttempt = (due: PayableSubscription): RenewalAttempt => ({
  due,
  attemptNo: due.failed_tries + 1,
  resends: false,
});

interface Claimed {
  readonly claimed: readonly Omit<ClaimedRenewal, 'resends'>[];
  /** Those whose next attempt has another number, or was written before. */
  readonly others: readonly RenewalAttempt[];
}

interface ClaimedRow extends LastAttempt {
  readonly payment_id: string;
  readonly sent: boolean;
}

async function claimAttempts(
  { pool }: Pick<Database, 'pool'>,
  scope: ChargeScope,
  {
    attempts,
    times,
    by,
  }: { readonly attempts: readonly RenewalAttempt[]; readonly times: Times; readonly by: typeof claimStatement },
): Promise<Claimed> {
  if (attempts.length === 0) return { claimed: [], others: [] };
  const { accountId, runId, now } = scope;
  const byId = new Map(
    attempts.map((each) => {
      const payment = renewalPayment(scope, each, times);
      return [payment.id, { ...each, payment }];
    }),
  );
  const rows = [...byId.values()].map(({ due, payment }) => rowOf(due, payment));
  const values = [accountId, now, runId, times.sentAt, times.checkAt, ...columnsOf(rows, dueTypes)];
  const claimed = await pool.query(by(values));
  const found = claimed.rows.flatMap((row) => {
    const made = byId.get(row.payment_id);
    return made === undefined
      ? []
      : [{ ...made, sent: row.sent, next: nextAttempt(row), refusedBefore: isRefusedBefore(row, now) }];
  });
  return {
    claimed: found.filter(({ sent }) => sent).map(({ payment, refusedBefore }) => ({ payment, refusedBefore })),
    others: found
      .filter(({ next, sent, attemptNo }) => !sent && (next.resends || next.attemptNo !== attemptNo))
      .map(({ due, next }) => ({ due, ...next })),
  };
}

interface Times {
  readonly now: Date;
  readonly sentAt: Date;
  readonly checkAt: Date;
}

function renewalPayment(
  { accountId, confirmation, statementSuffix }: ChargeScope,
  { due, attemptNo }: RenewalAttempt,
  { now: createdAt, sentAt, checkAt: nextCheckAt }: Times,
): Payment {
  const { order_id, amount_cents, currency, customer_email, product_name, test } = due;
  const id = renewalKey(due, due.period + 1, attemptNo);
  const request: SavedMethodRequest = {
    paymentId: id,
    amountCents: amount_cents,
    currency,
    savedMethod: due.payment_method as string,
    customerEmail: customer_email,
    orderId: order_id,
    description: product_name,
    ...(statementSuffix !== undefined && { statementSuffix }),
    ...(confirmation && { confirmation }),
  };
  return {
    ...unanswered,
    id,
    accountId,
    orderId: order_id,
    step: 'renewal',
    chargeId: null,
    releasedPaymentId: null,
    period: due.period + 1,
    attemptNo,
    call: 'chargeSaved',
    request,
    holdTerms: null,
    amountCents: amount_cents,
    currency,
    processor: due.processor,
    customerEmail: customer_email,
    emailKey: emailKey(customer_email),
    productName: product_name,
    test,
    createdAt,
    sentAt,
    nextCheckAt,
  };
}

/** The payment, and what of the subscription the period's row and the comparison need. */
const rowOf = (due: PayableSubscription, payment: Payment) => ({
  ...rowOfPayment(payment),
  subscription_id: due.id,
  payment_id: payment.id,
  period: due.period + 1,
  failed_tries: due.failed_tries,
  method: due.payment_method,
  starts_at: due.current_period_end,
  ends_at: periodEnd(due, due.period + 1),
});
