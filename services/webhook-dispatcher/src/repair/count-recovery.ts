import { idFloor } from '@app/contracts/ids';
import { type Database, statement } from '@app/service-kit/database';
import { isHeldForFailing } from '../deliveries/held-for-failing.rules.ts';
import { namesOf } from './held-recovery.ts';
import { clockSkewMs, firstPlace, lastMsOf, type RecoveryRef } from './place.rules.ts';

const recoveryStatement = statement(
  'recovery-to-count',
  `select r.kind, r.which, r.since, r.until, e.events, coalesce(e.created_at, r.created_at) as endpoint_made_at
   from recoveries r left join endpoints e on e.id = r.endpoint_id and e.account_id = r.account_id
   where r.id = $1 and r.account_id = $2 and r.status = 'running' and r.phase = 'count'`,
);

const heldStatement = statement(
  'recovery-count-held',
  `select count(*)::int as count from deliveries
   where status = 'held' and endpoint_id = $2 and account_id = $1 and ($3::text[] is null or event_name = any ($3))`,
);

const heldForFailingStatement = statement(
  'recovery-count-held-for-failing',
  `select count(*)::int as count from deliveries where ${isHeldForFailing} and endpoint_id = $2 and account_id = $1`,
);

const inSpan = `endpoint_id = $2 and account_id = $1 and id > $4 and id < $5
  and ($3::text[] is null or event_name = any ($3))`;
const countOf = (status: string): string =>
  `(select count(*)::int from finished_deliveries where status = '${status}' and ${inSpan})`;
const failedText = `${countOf('failed')} + ${countOf('canceled')}
  + (select count(*)::int from deliveries where status = 'pending' and not due and ${inSpan})
  + (select count(*)::int from deliveries where ${isHeldForFailing} and ${inSpan})`;

const failedStatement = statement('recovery-count-failed', `select ${failedText} as count`);
const allStatement = statement(
  'recovery-count-all',
  `select ${failedText} + ${countOf('delivered')} + ${countOf('filtered')}
     + (select count(*)::int from deliveries where status = 'held' and held_reason is null and ${inSpan})
     + (select count(*)::int from events
        where account_id = $1 and id > $6 and id < $7 and sequence is not null and $2 <> all (endpoint_ids)
          and ($3::text[] is null or name = any ($3))) as count`,
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
 * becomes part of it meanwhile is added when it is handed over.
 */
export async function countRecovery(database: Database, ref: RecoveryRef): Promise<void> {
  const { rows } = await database.pool.query<Counted>(recoveryStatement([ref.id, ref.account_id]));
  const [recovery] = rows;
  if (recovery === undefined) return;
  const total = await count(database, ref, recovery);
  const { phase, cursor } = firstPlace(recovery.which, recovery.since, recovery.endpoint_made_at);
  await database.pool.query(countedStatement([ref.id, ref.account_id, total, phase, cursor]));
}

async function count(database: Database, ref: RecoveryRef, recovery: Counted): Promise<number> {
  const { kind, which, since, until, events, endpoint_made_at: madeAt } = recovery;
  const of = [ref.account_id, ref.endpoint_id];
  const read = async (query: ReturnType<typeof statement>, values: unknown[]): Promise<number> =>
    (await database.pool.query<{ count: number }>(query(values))).rows[0]?.count ?? 0;
  if (kind === 'held' && which === 'failed') return await read(heldForFailingStatement, of);
  if (kind === 'held' || since === null) return await read(heldStatement, [...of, namesOf(which)]);
  const [sinceMs, untilMs] = [since.getTime(), lastMsOf(until)];
  const values = [...of, events, idFloor('delivery', sinceMs), idFloor('delivery', untilMs)];
  if (which === 'failed') return await read(failedStatement, values);
  const olderThan = Math.min(untilMs, madeAt.getTime() + clockSkewMs);
  return await read(allStatement, [...values, idFloor('event', sinceMs), idFloor('event', olderThan)]);
}
