import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Database, statement, unnamed } from '@app/service-kit/database';
import { addFactsToRollups, rollupLock, summedColumns } from './rollup-columns.ts';

/** Called after each portion: how many of the account's facts are counted. */
export type Progress = (accountId: string, counted: number) => void | Promise<void>;

/**
 * Facts in one statement, 0.2 s of work. Nothing is held between portions, so memory and locks do not grow with the number
 * of facts.
 */
const usualPortion = 10_000;
/** Each round adds what came during the one before, until so few are left: the account's batches wait for the last. */
const lastRound = 1_000;
const deletePortion = 10_000;
/** First key of the advisory lock that a session holds to rebuild an account: one rebuild at a time. */
const rebuildLock = 9_002;
const pollMs = 200;

/**
 * Computes the roll-ups of one account, or of all, from the facts alone, into a generation of their own:
 *
 *   1. remove what an earlier rebuild left unfinished
 *   2. round by round, portion by portion, add the facts up to a mark to the new generation; meanwhile consumers record new
 *      facts and add them to the old generation, which is read
 *   3. with the account's batches kept out, add what came since the last mark, and switch to the new generation
 *   4. remove the old generation
 *
 * Killed at any point it leaves the old numbers or the new ones. Other accounts never wait.
 *
 * @param portion how many facts one statement adds
 */
export async function rebuildRollups(
  database: Database,
  accountId: string | null,
  progress: Progress = () => undefined,
  portion = usualPortion,
): Promise<void> {
  const rebuild = (client: Client, account: string) => rebuildAccount({ client, portion, progress }, account);
  const client = await database.pool.connect();
  let failure: Error | undefined;
  try {
    if (accountId !== null) return await rebuild(client, accountId);
    for (let next = await accountAfter(client, ''); next !== null; next = await accountAfter(client, next)) {
      await rebuild(client, next);
    }
  } catch (err) {
    failure = err as Error;
    throw err;
  } finally {
    // After an error the session may hold the lock of an account, which ends with the session.
    client.release(failure);
  }
}

const accountAfterStatement = statement<{ account_id: string | null }>(
  'rollups-account-after',
  `select least(
       (select account_id from facts where account_id > $1 order by account_id limit 1),
       (select account_id from product_totals where account_id > $1 order by account_id limit 1)) as account_id`,
  { account_id: 'text' },
);

/** The next account with facts, or with roll-ups alone, whose numbers are wrong. */
async function accountAfter(client: Client, last: string): Promise<string | null> {
  const { rows } = await client.query(unnamed(accountAfterStatement([last])));
  return rows[0]?.account_id ?? null;
}

interface Rebuild {
  readonly client: Client;
  readonly portion: number;
  readonly progress: Progress;
}

const switchStatement = statement(
  'rollups-switch-generation',
  `insert into rollup_generations (account_id, generation) values ($1, $2)
       on conflict (account_id) do update set generation = excluded.generation`,
);
const unlockStatement = statement<{ pg_advisory_unlock: boolean }>(
  'rollups-rebuild-unlock',
  'select pg_advisory_unlock($1, hashtext($2))',
  { pg_advisory_unlock: 'bool' },
);

async function rebuildAccount({ client, portion, progress }: Rebuild, accountId: string): Promise<void> {
  await waitForLock(client, accountId);
  const old = await currentGeneration(client, accountId);
  const target: Target = { accountId, generation: old + 1, portion, done: 0, counted: 0 };
  await removeRows(client, removeOlder, accountId, old);
  await removeRows(client, removeNewer, accountId, old);
  let added: number;
  do {
    const before = target.counted;
    const mark = await lastFact(client, accountId);
    while (await addPortion(client, target, mark)) await progress(accountId, target.counted);
    added = target.counted - before;
  } while (added > lastRound);
  await alone(client, accountId, async () => {
    while (await addPortion(client, target, null));
    await client.query(unnamed(switchStatement([accountId, target.generation])));
  });
  await progress(accountId, target.counted);
  await removeRows(client, removeOlder, accountId, target.generation);
  await client.query(unnamed(unlockStatement([rebuildLock, accountId])));
}

interface Target {
  readonly accountId: string;
  readonly generation: number;
  readonly portion: number;
  /** The last fact added. */
  done: number;
  counted: number;
}

const addStatement = statement<{ done: number | null; added: number }>(
  'rollups-rebuild-add',
  `with target as (
     select $1::text as account_id, $2::integer as generation
   ), new_facts as materialized (
     select seq, account_id, product_id, occurred_at, test, currency, email_key, ${summedColumns}
     from facts where account_id = $1 and seq > $3 and ($4::bigint is null or seq <= $4) order by seq limit $5
   ), ${addFactsToRollups}
   select max(seq) as done, count(*) as added from new_facts`,
  { done: 'int8', added: 'int8' },
);

/** False when no fact was left up to the mark. */
async function addPortion(client: Client, target: Target, mark: number | null): Promise<boolean> {
  const { accountId, generation, done, portion } = target;
  const { rows } = await client.query(unnamed(addStatement([accountId, generation, done, mark, portion])));
  const [row] = rows;
  target.done = row?.done ?? target.done;
  target.counted += row?.added ?? 0;
  return row !== undefined && row.added > 0;
}

const lastFactStatement = statement<{ last: number | null }>(
  'rollups-last-fact',
  'select max(seq) as last from facts where account_id = $1',
  { last: 'int8' },
);

/** The last fact's number, taken while no batch of the account is under way: later facts get higher numbers. */
async function lastFact(client: Client, accountId: string): Promise<number> {
  return await alone(client, accountId, async () => {
    const { rows } = await client.query(unnamed(lastFactStatement([accountId])));
    return rows[0]?.last ?? 0;
  });
}

const withoutBatchesStatement = statement<{ pg_advisory_xact_lock: unknown }>(
  'rollups-without-batches',
  'select pg_advisory_xact_lock($1, hashtext($2))',
  { pg_advisory_xact_lock: 'void' },
);

/** Runs work in a transaction without batches of the account. Statements of the work see all batches before it. */
async function alone<T>(client: Client, accountId: string, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    await client.query(unnamed(withoutBatchesStatement([rollupLock, accountId])));
    const result = await work();
    await client.query('commit');
    return result;
  } catch (err) {
    await client.query('rollback').catch(() => undefined);
    throw err;
  }
}

const lockStatement = statement<{ won: boolean }>(
  'rollups-rebuild-lock',
  'select pg_try_advisory_lock($1, hashtext($2)) as won',
  { won: 'bool' },
);

async function waitForLock(client: Client, accountId: string): Promise<void> {
  while (true) {
    const { rows } = await client.query(unnamed(lockStatement([rebuildLock, accountId])));
    if (rows[0]?.won === true) return;
    await sleep(pollMs);
  }
}

const generationStatement = statement<{ generation: number }>(
  'rollups-current-generation',
  'select generation from rollup_generations where account_id = $1',
  { generation: 'int4' },
);

async function currentGeneration(client: Client, accountId: string): Promise<number> {
  const { rows } = await client.query(unnamed(generationStatement([accountId])));
  return rows[0]?.generation ?? 0;
}

interface Removed {
  readonly most: number;
}

const tables = ['customers', 'product_days', 'product_months', 'product_totals'];
const removeStatement = (name: string, side: '<' | '>') => {
  const removals = tables.map(
    (table) => `${table}_gone as (delete from ${table} where ctid = any (array(
      select ctid from ${table} where account_id = $1 and generation ${side} $2 limit ${deletePortion})) returning 1)`,
  );
  const counts = tables.map((table) => `(select count(*) from ${table}_gone)`);
  const text = `with ${removals.join(', ')} select greatest(${counts.join(', ')}) as most`;
  return statement<Removed>(name, text, { most: 'int8' });
};
const removeOlder = removeStatement('rollups-remove-older', '<');
const removeNewer = removeStatement('rollups-remove-newer', '>');

/** Removes generations that no process reads or writes; each side of the kept one is a range of the primary keys. */
async function removeRows(
  client: Client,
  remove: ReturnType<typeof removeStatement>,
  accountId: string,
  kept: number,
): Promise<void> {
  let most: number | undefined;
  do {
    const { rows } = await client.query(unnamed(remove([accountId, kept])));
    most = rows[0]?.most;
  } while (most === deletePortion);
}
