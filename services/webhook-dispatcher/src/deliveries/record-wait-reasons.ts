import { type Database, statement } from '@app/service-kit/database';
import type { WaitReason } from './delivery-scheduler.ts';

const recordStatement = statement(
  'waiting-endpoints-record',
  `insert into waiting_endpoints as w (endpoint_id, account_id, reason, per_second, at)
   select e.id, e.account_id, r.reason, $3, now()
   from unnest($1::text[], $2::text[]) as r (id, reason) join endpoints e on e.id = r.id order by e.id
   on conflict (endpoint_id) do update set reason = excluded.reason, per_second = excluded.per_second, at = excluded.at`,
);

/** An endpoint that still waits is written again after a second, so this old the row no longer holds. For SQL. */
export const waitingSince = `now() - interval '5 seconds'`;

/** Writes for readers why what is due to some endpoints waits, in one statement; none where none does. */
export async function recordWaitReasons(
  database: Database,
  reasons: ReadonlyMap<string, WaitReason>,
  webhooksPerSecond: number,
): Promise<void> {
  if (reasons.size === 0) return;
  await database.pool.query(recordStatement([[...reasons.keys()], [...reasons.values()], webhooksPerSecond]));
}
