import type { RequestInput } from '@app/contracts/define';
import { type getRetention as contract, type Retention, retentionMonths } from '@app/contracts/retention';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { assembleRetention, monthsOfStart, type StartedInMonth } from './retention.rules.ts';

/**
 * What became of the subscriptions that were started since `$2`, month by month. Subscriptions change only after their start, so
 * facts since then are read, by an index that has the changes of active subscriptions alone. A renewal's key has the number of its
 * period after the subscription.
 */
export const startedSince = statement<StartedInMonth>(
  'retention-started-since',
  `select to_char(s.occurred_at at time zone 'UTC', 'YYYY-MM') as started_in,
     to_char(c.occurred_at at time zone 'UTC', 'YYYY-MM') as month,
     count(*) filter (where c.kind = 'subscription_started') as started, sum(c.active_delta)::bigint as active_delta
   from facts as s join facts as c on split_part(c.fact_key, '/', 1) = s.fact_key
   where s.account_id = $1 and s.occurred_at >= $2 and s.kind = 'subscription_started' and s.active_delta <> 0 and not s.test
     and c.account_id = $1 and c.occurred_at >= $2 and c.active_delta <> 0 and not c.test
   group by 1, 2`,
  { started_in: 'text', month: 'text', started: 'int8', active_delta: 'int8' },
);

/** The cost grows with the subscriptions that were started in these months, and never with orders and renewals. */
export async function getRetention(
  { database, clock }: { database: Database; clock: Clock },
  accountId: string,
  { months: count = retentionMonths.usual }: RequestInput<typeof contract>,
): Promise<Retention> {
  const months = monthsOfStart(clock.now().toISOString().slice(0, 7), count);
  const { rows } = await database.pool.query(startedSince([accountId, `${months[0]}-01T00:00:00.000Z`]));
  return assembleRetention(rows, months);
}
