import { newId } from '@app/contracts/ids';
import { type Database, statement } from '@app/service-kit/database';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import { nextCheckAt } from '../payments/payment.rules.ts';
import type { Payment } from '../payments/payment.types.ts';
import { renewalsClaimed } from '../points/points.ts';
import type { SavedMethodRequest } from '../processors/payment-processor.ts';
import type { DueScope, DueSubscription } from './due-subscriptions.ts';
import { periodEnd } from './renewal.rules.ts';

/** What a run of the account charges. */
export interface ChargeScope extends DueScope {
  readonly runId: string;
}

/**
 * The subscription as it was read: still due, for the same period, on the same card; and this run has neither charged this
 * subscription before nor found one of its periods paid by a look-up. The lock shows the row as it is when whoever pauses
 * or cancels it has committed.
 * $1 account, $2 now, $3 run
 */
export const stillDue = (columns: string): string => `
  cross join lateral (
    select ${columns} from subscriptions
    where account_id = $1 and id = i.subscription_id and next_charge_at <= $2 and period = i.period - 1
      and payment_method is not distinct from i.method and failed_tries = i.failed_tries
      and not exists (select from renewals as r where r.account_id = $1 and r.subscription_id = i.subscription_id
        and r.period in (i.period, i.period - 1)
        and (r.run_id = $3 or (r.period < i.period and r.looked_up_run_id = $3)))
    for no key update) as s`;

const dueTypes = {
  subscription_id: 'text',
  order_id: 'text',
  payment_id: 'text',
  period: 'integer',
  failed_tries: 'integer',
  method: 'text',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
  request: 'json',
  amount_cents: 'bigint',
  currency: 'text',
  processor: 'text',
  customer_email: 'text',
  product_name: 'text',
  test: 'boolean',
} as const;

/**
 * Claims renewals: the payment that is sent next, and the period's row, which remembers the run. Where another payment of
 * the order is open, or the period is paid, the indexes of payments say so and nothing is written. Subscriptions are locked
 * in the order of their orders, as in `renewals-lock`.
 */
const claimStatement = statement(
  'renewals-claim',
  `with due as materialized (
     select i.* from (select * from ${tableOf(dueTypes, 6)} order by order_id) as i
     ${stillDue('id')}
   ), sent as (
     insert into payments (id, account_id, order_id, step, subject, try_no, call, request, amount_cents, currency, status,
       processor, customer_email, product_name, test, created_at, sent_at, next_check_at)
     select i.payment_id, $1, i.order_id, 'renewal', i.period::text, coalesce((
         select max(p.try_no) from payments as p where p.account_id = $1 and p.order_id = i.order_id
           and p.step = 'renewal' and p.subject = i.period::text), 0) + 1,
       'chargeSaved', i.request, i.amount_cents, i.currency, 'sent',
       i.processor, i.customer_email, i.product_name, i.test, $2, $4, $5
     from due as i
     on conflict do nothing
     returning id, try_no
   ), claimed as (
     insert into renewals as r (account_id, subscription_id, period, starts_at, ends_at, amount_cents, currency, status,
       run_id, payment_id)
     select $1, i.subscription_id, i.period, i.starts_at, i.ends_at, i.amount_cents, i.currency, 'processing', $3, sent.id
     from sent join due as i on i.payment_id = sent.id
     on conflict (account_id, subscription_id, period) do update set starts_at = excluded.starts_at,
       ends_at = excluded.ends_at, amount_cents = excluded.amount_cents, currency = excluded.currency,
       status = 'processing', run_id = excluded.run_id, payment_id = excluded.payment_id
   )
   select id, try_no from sent`,
);

/**
 * Writes the payments of renewals that are sent next, all in one statement.
 * @param due of one account, each on its own card at `processor`
 * @param nowMs of the clock; a rehearsal's run has a time of its own
 * @returns those that may be sent now; the others are not due any more, or another payment of theirs is open
 */
export async function claimRenewals(
  { pool }: Pick<Database, 'pool'>,
  { accountId, runId, now }: ChargeScope,
  due: readonly DueSubscription[],
  processor: string,
  nowMs: number,
): Promise<Payment[]> {
  if (due.length === 0) return [];
  const [sentAt, checkAt] = [new Date(nowMs), nextCheckAt(0, nowMs)];
  const payments = new Map(
    due.map((each) => {
      const id = newId('payment', nowMs);
      return [id, { each, payment: paymentOf(accountId, id, each, processor, { now, sentAt, checkAt }) }];
    }),
  );
  const rows = [...payments.values()].map(({ each, payment }) => rowOf(each, payment));
  const { rows: sent } = await pool.query<{ id: string; try_no: number }>(
    claimStatement([accountId, now, runId, sentAt, checkAt, ...columnsOf(rows, dueTypes)]),
  );
  renewalsClaimed.announce(() => ({ accountId, runId, paymentIds: sent.map(({ id }) => id) }));
  return sent.flatMap(({ id, try_no }) => {
    const claimed = payments.get(id);
    return claimed === undefined ? [] : [{ ...claimed.payment, try_no }];
  });
}

interface Times {
  readonly now: Date;
  readonly sentAt: Date;
  readonly checkAt: Date;
}

function paymentOf(
  account_id: string,
  id: string,
  due: DueSubscription,
  chosen: string,
  { now: created_at, sentAt: sent_at, checkAt: next_check_at }: Times,
): Payment {
  const { order_id, amount_cents, currency, customer_email, product_name, test } = due;
  const request: SavedMethodRequest = {
    ...{ paymentId: id, amountCents: amount_cents, currency },
    ...{ savedMethod: due.payment_method as string, customerEmail: customer_email, orderId: order_id },
  };
  return {
    ...{ id, account_id, order_id, amount_cents, currency, customer_email, product_name, test },
    ...{ step: 'renewal', subject: String(due.period + 1), try_no: 1, call: 'chargeSaved', request, hold_terms: null },
    ...{ status: 'sent', decline_kind: null, decline_reason: null, decline_message: null },
    // Of a card that was never charged here nobody has said whose token it is: the account's own processor is asked.
    ...{ processor: due.processor ?? chosen, processor_reference: null, action_url: null, last_four: null },
    ...{ created_at, sent_at, finished_at: null, next_check_at, checks: 0, noticed: false },
  };
}

const rowOf = (due: DueSubscription, { id, request, processor }: Payment) => ({
  ...{ subscription_id: due.id, order_id: due.order_id, payment_id: id, period: due.period + 1 },
  ...{ failed_tries: due.failed_tries, method: due.payment_method },
  ...{ starts_at: due.current_period_end, ends_at: periodEnd(due, due.period + 1) },
  ...{ request, amount_cents: due.amount_cents, currency: due.currency, processor },
  ...{ customer_email: due.customer_email, product_name: due.product_name, test: due.test },
});
