import { type Database, statement } from '@app/service-kit/database';

/** Of payloads that say who bought what for how much; texts of emails may be longer, and lists leave them out. */
const bodyMaxBytes = 16 * 1024;

/** Apart from the page: together they would lock more partitions than a statement may. */
const bodiesStatement = statement<{ event_id: string; body: string }>(
  'activity-event-bodies',
  `select b.event_id, b.body from unnest($2::text[]) as wanted (id) cross join lateral (
     select event_id, body from event_bodies
     where account_id = $1 and event_id = wanted.id and octet_length(body) <= ${bodyMaxBytes} limit 1) b`,
  { event_id: 'text', body: 'text' },
);

/** Payloads as JSON, by the ids of their events. */
export async function bodiesOf(
  { pool }: Pick<Database, 'pool'>,
  accountId: string,
  eventIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(eventIds.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const { rows } = await pool.query(bodiesStatement([accountId, wanted]));
  return new Map(rows.map(({ event_id, body }) => [event_id, body]));
}
