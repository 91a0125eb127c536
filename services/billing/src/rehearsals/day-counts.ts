import { type Database, statement } from '@app/service-kit/database';

/** What one day's run of a rehearsal did. */
export interface DayCounts {
  readonly charged: number;
  readonly chargedCents: number;
  readonly retried: number;
  readonly canceled: number;
}

const countStatement = statement(
  'rehearsals-count-day',
  `select count(*) filter (where r.status = 'paid') as charged,
     coalesce(sum(r.amount_cents) filter (where r.status = 'paid'), 0)::bigint as "chargedCents",
     count(*) filter (where coalesce(p.try_no, s.failed_tries) > 1) as retried,
     count(*) filter (where r.status = 'failed' and s.status = 'canceled' and s.failed_tries >= 4) as canceled
   from subscriptions as s
   join renewals as r on r.account_id = s.account_id and r.subscription_id = s.id and r.run_id = $2
     and r.period in (s.period, s.period + 1)
   left join payments as p on p.account_id = r.account_id and p.id = r.payment_id
   where s.account_id = $1 and s.test`,
);

/** Of a day that a process began which died: its counts died with it, so they are taken from the rows of its run. */
export async function countDay({ pool }: Database, accountId: string, runId: string): Promise<DayCounts> {
  const { rows } = await pool.query<DayCounts>(countStatement([accountId, runId]));
  return rows[0] as DayCounts;
}
