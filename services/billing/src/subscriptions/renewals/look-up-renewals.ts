import { statement } from '@app/service-kit/database';
import type { DailyStep } from '../../runs/daily-step.ts';

/**
 * Subscriptions are locked in the order of their orders, as claims and records do, so no transaction waits in a
 * circle. $1 account, $2 test, $3 run
 */
const markStatement = statement<{ order_id: string }>(
  'renewals-mark-looked-up',
  `with open as materialized (
     select p.order_id, p.period, s.id
     from (select order_id, period from payments
       where account_id = $1 and next_check_at is not null and step = 'renewal' and test = $2 order by order_id) as p
     cross join lateral (
       select id from subscriptions where account_id = $1 and order_id = p.order_id for no key update) as s
   ), marked as (
     update renewals as r set looked_up_run_id = $3
     from open where r.account_id = $1 and r.subscription_id = open.id and r.period = open.period
   )
   select order_id from open`,
  { order_id: 'text' },
);

const renewedStatement = statement<{ order_id: string }>(
  'renewals-paid-by-look-up',
  `select s.order_id from subscriptions as s
   join renewals as r on r.account_id = s.account_id and r.subscription_id = s.id and r.period = s.period
   where s.account_id = $1 and s.order_id = any ($2) and r.looked_up_run_id = $3`,
  { order_id: 'text' },
);

/**
 * Looks up payments without an outcome, before the run charges anything. A run charges one period of a subscription at most.
 * If the look-up finds that an earlier period was paid, that is the run's period, and it charges no other. If the processor
 * never received the payment, nothing was charged, and the run may charge it.
 */
export function lookUpRenewals(lookUp: DailyStep): DailyStep {
  return async (deps, run, counts) => {
    const { accountId, runId, test } = run;
    const { pool } = deps.database;
    const { rows: open } = await pool.query(markStatement([accountId, test, runId]));
    await lookUp(deps, run, counts);
    if (open.length === 0) return;
    const orders = open.map(({ order_id }) => order_id);
    const { rows } = await pool.query(renewedStatement([accountId, orders, runId]));
    for (const { order_id } of rows) run.notCharged.add(order_id);
  };
}
