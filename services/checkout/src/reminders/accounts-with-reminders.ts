import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { lastActive } from '../checkouts/last-active.ts';
import { leastIdleMinutes, stalledBounds } from './reminder.rules.ts';

/** Accounts with a checkout that may have stalled, with one that was reminded of and is paid by now, or with a reminder to count. */
const accountsStatement = statement<{ account_id: string }>(
  'reminders-accounts',
  `select account_id from (
     select c.account_id, count(*) as stalled from checkouts as c
     where c.status = 'open' and c.email is not null and not c.test and c.created_at > $1 and ${lastActive} <= $2
     group by c.account_id
     union all
     select r.account_id, 0 from reminders as r
     where r.sent_at is not null and r.counted_at is null and exists (
       select from checkouts as c
       where c.account_id = r.account_id and c.id = r.checkout_id and c.status in ('paid', 'refunded'))
     group by r.account_id
     union all
     select r.account_id, 0 from reminders as r where r.uncounted group by r.account_id
   ) as accounts group by account_id order by sum(stalled), account_id`,
  { account_id: 'text' },
);

/** Once each, those with the fewest checkouts first. */
export async function* accountsWithReminders({
  database,
  clock,
}: {
  readonly database: Database;
  readonly clock: Clock;
}): AsyncGenerator<string> {
  const { openedAfter, idleSince } = stalledBounds(clock.nowMs(), leastIdleMinutes);
  const { rows } = await database.pool.query(accountsStatement([openedAfter, idleSince]));
  for (const { account_id } of rows) yield account_id;
}
