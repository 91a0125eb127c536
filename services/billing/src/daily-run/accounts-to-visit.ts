import { type Database, statement } from '@app/service-kit/database';
import { holdIsDue, holdWaitsSince } from '../holds/holds-due.ts';
import { isDueEvenIfOpen } from '../subscriptions/renewals/due-subscriptions.ts';

/** What a run finds something to do in: the rows it may read, and when one of them is due at `$2` (always unless given). */
interface Source {
  readonly table: string;
  readonly rows: string;
  readonly due?: string;
}

const subscriptions: Source = {
  table: 'subscriptions',
  rows: 'next_charge_at is not null',
  due: isDueEvenIfOpen('$2'),
};
const holds: Source = { table: 'holds', rows: `status in ('held', 'settling')`, due: holdIsDue('t', '$2') };

const sources: readonly Source[] = [
  subscriptions,
  holds,
  { table: 'payments', rows: 'next_check_at is not null' },
  { table: 'payments', rows: `step = 'refund' and status = 'succeeded'` },
  // Renewals that ended since the last run are counted.
  { table: 'renewal_counts', rows: 'counted_run_id is null and not test' },
  // Books are compared for as long as money moves, and a month longer: what a processor takes without us is found as well.
  { table: 'charges', rows: 'not test', due: `not test and charged_at >= $2::timestamptz - interval '35 days'` },
  // A bank may dispute a payment, and a seller refund it at the processor, long after the last charge.
  { table: 'processor_keys', rows: 'not test' },
];

/** Accounts that one statement passes. */
const pageMax = 2_000;

/** An account that has more due than this waits until those with less were visited: as many as one batch of charges. */
const littleMax = 256;

/** What the run calls the processor for: renewals, holds and payments to look up. Counting ends at the threshold. */
const hasMuch = `(select count(*) from (${sources
  .slice(0, 3)
  .map(
    ({ table, rows, due = rows }) =>
      `(select 1 from ${table} as t where t.account_id = w.account_id and ${rows} and ${due} limit ${littleMax + 1})`,
  )
  .join(' union all ')} limit ${littleMax + 1}) as counted) > ${littleMax}`;

/**
 * From one account to the next by index, and one check for what is due in each: what an account has that is not due costs
 * nothing, and an account without anything due is not visited. How much is due is counted where anything is.
 */
const walk = ({ table, rows, due = rows }: Source, name: number | string) =>
  statement<Page>(
    `daily-runs-accounts-${name}`,
    `with recursive walked (account_id, position) as (
       (select account_id, 1 from ${table} where account_id > $1 and ${rows} order by account_id limit 1)
       union all
       select (
         select t.account_id from ${table} as t where t.account_id > w.account_id and ${rows} order by t.account_id limit 1
       ), position + 1
       from walked as w where w.account_id is not null and position < ${pageMax}
     ), checked (account_id, due) as materialized (
       select account_id, exists (select from ${table} as t where t.account_id = w.account_id and ${due} and $2::timestamptz is not null)
       from walked as w where account_id is not null
     ), sized as materialized (
       select account_id, due, case when due then ${hasMuch} else false end as much from checked as w
     )
     select count(*)::int as passed, max(account_id) as last, array_agg(account_id) filter (where due and not much) as little,
       array_agg(account_id) filter (where much) as much
     from sized`,
    { passed: 'int4', last: 'text', little: 'text[]', much: 'text[]' },
  );
const walks = sources.map(walk);
/** Subscriptions and holds: what waits for the run alone, and since when. A hold is due as soon as it is decided on. */
const walksOfWhatWaits = [
  walk(subscriptions, 'waiting-subscriptions'),
  walk({ ...holds, due: holdWaitsSince('t', '$2') }, 'waiting-holds'),
];

interface Page {
  readonly passed: number;
  readonly last: string | null;
  /** What is due in them is little. */
  readonly little: readonly string[] | null;
  readonly much: readonly string[] | null;
}

/**
 * Every account that has anything due, once: those with much due after all with little, so that no account's few renewals wait
 * for the whole list of another account.
 */
export async function* accountsToVisit(database: Database, now: Date): AsyncGenerator<string> {
  const visited = new Set<string>();
  let left = false;
  for await (const { little, much } of readPages(database, now, walks)) {
    left ||= much !== null;
    yield* onlyNew(little, visited);
  }
  // Those with much are checked once more: what is due in them may have changed by then.
  if (left) yield* dueIn(database, now, walks, visited);
}

/** Every account whose subscriptions or holds, without rehearsals, had something due by then that is due still, once. */
export const accountsDueSince = (database: Database, by: Date): AsyncGenerator<string> =>
  dueIn(database, by, walksOfWhatWaits, new Set());

async function* dueIn(
  database: Database,
  now: Date,
  statements: typeof walks,
  visited: Set<string>,
): AsyncGenerator<string> {
  for await (const { little, much } of readPages(database, now, statements)) {
    yield* onlyNew(little, visited);
    yield* onlyNew(much, visited);
  }
}

function* onlyNew(accounts: readonly string[] | null, visited: Set<string>): Generator<string> {
  for (const account of accounts ?? []) {
    if (visited.has(account)) continue;
    visited.add(account);
    yield account;
  }
}

async function* readPages(database: Database, now: Date, statements: typeof walks): AsyncGenerator<Page> {
  for (const walkStatement of statements) {
    let page: Page | undefined;
    do {
      const { rows } = await database.pool.query(walkStatement([page?.last ?? '', now]));
      page = rows[0] as Page;
      yield page;
    } while (page.passed === pageMax);
  }
}
