import { statement } from '@app/service-kit/database';
import type { PoolClient } from 'pg';

/**
 * How often an event was begun without taking effect, kept in the database so that replicas and restarts count
 * together. A first attempt is written only when it fails, so that it costs nothing; later attempts are written before they
 * begin, so that an event that ends the process is counted too.
 */
interface Queryable {
  query: PoolClient['query'];
}

/** An event that was tried with others so often is tried alone from then on: it may be the one that fails them all. */
const attemptsTogetherMax = 3;

const addStatement = (name: string, condition: string) =>
  statement<{ event_id: string; attempts: number }>(
    name,
    `insert into event_attempts as t (event_id, attempts) select distinct unnest($1::text[]) as id, 1 order by id
           on conflict (event_id) do update set attempts = t.attempts + 1, attempted_at = now() ${condition}
           returning event_id, attempts`,
    { event_id: 'text', attempts: 'int4' },
  );
const addUnlessSuspectStatement = addStatement(
  'event-attempts-add-unless-suspect',
  `where t.attempts < ${attemptsTogetherMax}`,
);
const addOneStatement = addStatement('event-attempts-add', '');
const forgetStatement = statement(
  'event-attempts-forget',
  'delete from event_attempts where event_id = any($1::text[])',
);

/**
 * Counts one attempt more for each event, but leaves those at `attemptsTogetherMax` alone: they are counted when they begin.
 * @returns the attempts of each, this one included; events that are to be tried alone are missing
 */
export async function addAttemptUnlessSuspect(
  database: Queryable,
  eventIds: readonly string[],
): Promise<Map<string, number>> {
  return await addAttempts(database, addUnlessSuspectStatement, eventIds);
}

/**
 * Counts one attempt more for each event.
 * @returns the attempts of each, this one included
 */
export async function addAttempt(database: Queryable, eventIds: readonly string[]): Promise<Map<string, number>> {
  return await addAttempts(database, addOneStatement, eventIds);
}

async function addAttempts(
  database: Queryable,
  add: ReturnType<typeof addStatement>,
  eventIds: readonly string[],
): Promise<Map<string, number>> {
  if (eventIds.length === 0) return new Map();
  const { rows } = await database.query(add([eventIds]));
  return new Map(rows.map((row) => [row.event_id, row.attempts]));
}

/** They took effect, were given up, or failed by no fault of their own. */
export async function forgetAttempts(database: Queryable, eventIds: readonly string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await database.query(forgetStatement([eventIds]));
}
