import { statement } from '@app/service-kit/database';
import { notifyUnknownAfterMs } from '../../charging/payment.rules.ts';
import { isDisputed } from '../../charging/wanted-renewal.ts';
import type { DailyStep } from '../../runs/daily-step.ts';

/**
 * By the account's open payments, which are few. $1 account, $2 test, $3 now of the run, $4 since when is
 * long
 */
const blockedStatement = statement<{ blocked: number; long: number }>(
  'renewals-blocked',
  `with held as (
     select p.order_id, p.sent_at <= $4 as long from payments as p
     where p.account_id = $1 and p.next_check_at is not null and p.step in ('renewal', 'refund') and p.test = $2
     union all
     select d.order_id, false from disputes as d where ${isDisputed} and d.test = $2
   )
   select count(*)::int as blocked, (count(*) filter (where h.long))::int as long
   from (select order_id, bool_or(long) as long from held group by order_id) as h
   join subscriptions as s on s.account_id = $1 and s.order_id = h.order_id
   where s.next_charge_at <= $3`,
  { blocked: 'int4', long: 'int4' },
);

/**
 * The step that counts what is due and was not charged because it is not known yet how an earlier payment for it ended, because
 * its order is being given back, or because the bank disputes a payment of it. The payments loop queries the processor within
 * minutes, and whatever it finds is counted by the next run, so that alone is no
 * fault. What has waited for a day, from one run to the next, makes the run not `ok`.
 */
export const countBlocked: DailyStep = async ({ database, clock }, run, counts) => {
  const longSince = new Date(clock.nowMs() - notifyUnknownAfterMs);
  const values = [run.accountId, run.test, run.now(), longSince];
  const { rows } = await database.pool.query(blockedStatement(values));
  const { blocked, long } = rows[0] ?? { blocked: 0, long: 0 };
  counts.blocked += blocked;
  if (long > 0) counts.problems.push({ code: 'outcome_unknown', detail: blockedText(long) });
};

const blockedText = (long: number): string =>
  `${long === 1 ? 'A renewal that is due waits' : `${long} renewals that are due wait`} for an earlier payment whose outcome ` +
  'is unknown for more than a day. Nothing else is charged for it until the payment processor says how it ended: ' +
  'look it up there. GET /api/v1/payments?status=unknown and ?status=sent list such payments.';
