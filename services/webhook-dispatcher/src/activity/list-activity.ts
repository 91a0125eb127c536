import { limits, type PageQuery } from '@app/contracts/common';
import type { RequestOutput } from '@app/contracts/define';
import type * as contract from '@app/contracts/webhooks';
import { type Database, statement } from '@app/service-kit/database';
import { pageOf, unknownBefore } from '@app/service-kit/paging';
import { attemptText, type Outcome } from './activity.rules.ts';

/**
 * Lists the newest attempts and notices together. Both kinds of id are a prefix and a time-sorted unique suffix, so the
 * suffixes order the rows of both tables. Each table is read backwards along its primary key.
 */
const pageStatement = statement(
  'activity-page',
  `select * from (
     (select a.id, a.created_at, null as summary, a.delivery_id, a.number, a.url, a.status_code, a.duration_ms,
        a.error, a.response_excerpt, a.outcome, a.next_attempt_at, d.event_id, v.name as event, v.order_id, v.test
      from (
        select id, created_at, delivery_id, number, url, status_code, duration_ms, error, response_excerpt, outcome,
          next_attempt_at
        from attempts where account_id = $1 and id < 'att_' || $2 order by id desc limit $3
      ) a join deliveries d on d.id = a.delivery_id and d.account_id = $1
        join events v on v.id = d.event_id and v.account_id = $1)
     union all
     (select id, created_at, summary, null, null, url, null, null, null, null, null, null, null, null, order_id, test
      from notices where account_id = $1 and id < 'ntc_' || $2 order by id desc limit $3)
   ) entries order by substr(id, 5) collate "C" desc limit $3`,
);

const knownStatement = statement(
  'activity-known',
  `select from attempts where account_id = $1 and id = $2
   union all select from notices where account_id = $1 and id = $2`,
);

/** Sorts after every suffix. */
const newest = '~';

interface EntryRow {
  readonly id: string;
  readonly created_at: Date;
  readonly summary: string | null;
  readonly delivery_id: string | null;
  readonly number: number | null;
  readonly url: string | null;
  readonly status_code: number | null;
  readonly duration_ms: number | null;
  readonly error: string | null;
  readonly response_excerpt: string | null;
  readonly outcome: Outcome;
  readonly next_attempt_at: Date | null;
  readonly event_id: string | null;
  readonly event: string | null;
  readonly order_id: string | null;
  readonly test: boolean;
}

type ActivityList = RequestOutput<typeof contract.listActivity>;

/**
 * Lists the account's Recent activity, newest first.
 * @throws DomainError validation_failed when `before` is no entry of the account
 */
export async function listActivity(database: Database, accountId: string, page: PageQuery): Promise<ActivityList> {
  const { before, limit = limits.listMax } = page;
  const [{ rows }, known] = await Promise.all([
    database.pool.query<EntryRow>(pageStatement([accountId, before?.slice(-26) ?? newest, limit + 1])),
    before === undefined ? undefined : database.pool.query(knownStatement([accountId, before])),
  ]);
  if (known?.rowCount === 0) throw unknownBefore();
  const { data, ...rest } = pageOf(rows, page);
  return { data: data.map(entryOf), ...rest };
}

function entryOf(row: EntryRow): ActivityList['data'][number] {
  const nextAttemptAt = row.next_attempt_at?.toISOString() ?? null;
  const shared = {
    id: row.id,
    created_at: row.created_at.toISOString(),
    event: row.event,
    event_id: row.event_id,
    delivery_id: row.delivery_id,
    order_id: row.order_id,
    url: row.url,
    attempt: row.number,
    status_code: row.status_code,
    duration_ms: row.duration_ms,
    response_excerpt: row.response_excerpt,
    error: row.error,
    next_attempt_at: nextAttemptAt,
    test: row.test,
  };
  if (row.summary !== null) return { ...shared, kind: 'notice', status: 'notice', summary: row.summary };
  const summary = attemptText({
    event: row.event ?? '',
    url: row.url ?? '',
    number: row.number ?? 0,
    statusCode: row.status_code,
    durationMs: row.duration_ms ?? 0,
    error: row.error,
    outcome: row.outcome,
    nextAttemptAt,
  });
  return { ...shared, kind: 'webhook_attempt', status: row.outcome === 'delivered' ? 'delivered' : 'failed', summary };
}
