import { type Database, statement } from '@app/service-kit/database';
import { isHeld, isHeldForFailing } from '../deliveries/held-for-failing.rules.ts';
import { isTestSend } from '../deliveries/test-send.rules.ts';
import { concerned } from './enqueue-stored.ts';
import { sentNames } from './held-recovery.ts';
import { firstPosition, idsSince, type RecoveryRef, type Span, spanOf } from './position.rules.ts';

const recoveryStatement = statement<Counted>(
  'recovery-to-count',
  `select r.kind, r.which, r.since, r.until, e.events, coalesce(e.created_at, r.created_at) as endpoint_made_at
   from recoveries r left join endpoints e on e.id = r.endpoint_id and e.account_id = r.account_id
   where r.id = $1 and r.account_id = $2 and r.status = 'running' and r.phase = 'count'`,
  {
    kind: 'text',
    which: 'text',
    since: 'timestamptz',
    until: 'timestamptz',
    events: 'text[]',
    endpoint_made_at: 'timestamptz',
  },
);

const countTypes = { count: 'int4' } as const;
const heldText = (which: string): string => `select count(*)::int as count from deliveries d
   where ${which} and endpoint_id = $2 and account_id = $1 and ($3::text[] is null or event_name = any ($3))
     and not ${isTestSend('d')}`;
const heldStatement = statement<{ count: number }>('recovery-count-held', heldText(isHeld), countTypes);
const heldForFailingStatement = statement<{ count: number }>(
  'recovery-count-held-for-failing',
  heldText(isHeldForFailing),
  countTypes,
);

/**
 * Of most deliveries their ids say that they belong to the span. Only near its ends, and for those of test orders, which
 * test sends look like, the event is looked up.
 */
const inSpan = `endpoint_id = $2 and account_id = $1 and d.id > $4 and event_id < $5
  and ($3::text[] is null or event_name = any ($3))
  and case when not test and event_id > $6 and d.id < $7 then true else (
    select e.sequence is not null and e.occurred_at >= $8 and e.occurred_at < $9
    from events e where e.account_id = $1 and e.id = d.event_id limit 1) end`;
const countText = (which: 'failed' | 'all'): string =>
  concerned[which]
    .map(([table, condition]) => `(select count(*)::int from ${table} d where ${condition} and ${inSpan})`)
    .join(' + ');

const failedStatement = statement<{ count: number }>(
  'recovery-count-failed',
  `select ${countText('failed')} as count`,
  countTypes,
);
const allStatement = statement<{ count: number }>(
  'recovery-count-all',
  `select ${countText('all')}
     + (select count(*)::int from events
        where account_id = $1 and id > $10 and id < $5 and id < $11 and sequence is not null
          and occurred_at >= $8 and occurred_at < $9 and $2 <> all (endpoint_ids)
          and ($3::text[] is null or name = any ($3))) as count`,
  countTypes,
);

const countedStatement = statement(
  'recovery-counted',
  `update recoveries set total = $3, phase = $4, cursor = $5
   where id = $1 and account_id = $2 and status = 'running' and phase = 'count'`,
);

interface Counted {
  readonly kind: 'recover' | 'held';
  readonly which: 'failed' | 'all' | 'orders';
  readonly since: Date | null;
  readonly until: Date;
  readonly events: readonly string[] | null;
  readonly endpoint_made_at: Date;
}

/**
 * Counts what a recovery concerns, before it begins: about a second for a million deliveries, and under no lock. What
 * becomes part of it meanwhile is added when it is enqueued.
 */
export async function countRecovery(database: Database, ref: RecoveryRef): Promise<void> {
  const { rows } = await database.pool.query(recoveryStatement([ref.id, ref.account_id]));
  const [recovery] = rows;
  if (recovery === undefined) return;
  const { which, since, until, endpoint_made_at: madeAt } = recovery;
  const span = since === null ? null : spanOf(since, until);
  const total = await count(database, ref, recovery, span);
  const { phase, cursor } = firstPosition(which, span, madeAt);
  await database.pool.query(countedStatement([ref.id, ref.account_id, total, phase, cursor]));
}

async function count(database: Database, ref: RecoveryRef, recovery: Counted, span: Span | null): Promise<number> {
  const { kind, which, events, endpoint_made_at: madeAt } = recovery;
  const of = [ref.account_id, ref.endpoint_id];
  const read = async (query: typeof heldStatement, values: unknown[]): Promise<number> =>
    (await database.pool.query(query(values))).rows[0]?.count ?? 0;
  const held = which === 'failed' ? heldForFailingStatement : heldStatement;
  if (kind === 'held' || span === null) return await read(held, [...of, sentNames(which, events)]);
  const { since, before, eventIds, deliveriesAfter, surely } = span;
  const ids = [deliveriesAfter, eventIds[1], surely.eventsAfter, surely.deliveriesBefore];
  const values = [...of, events, ...ids, since, before];
  if (which === 'failed') return await read(failedStatement, values);
  return await read(allStatement, [...values, eventIds[0], idsSince(madeAt)]);
}
