import { openDatabase } from '@app/service-kit/database';
import { alongIndexes } from '@app/service-kit/planner';
import { plannedScans } from '@app/testing/sql';
import { onTestFinished } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';

interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

type Query = (...args: unknown[]) => unknown;
type Callback = (err: unknown, result: { readonly rows: readonly unknown[] } | undefined) => void;

/** Replaces the function that all statements of this process go through, until the test is over. A spy would keep them all. */
async function replaceQuery(url: string, replacement: (query: Query, config: Partial<NamedStatement>) => Query) {
  const database = await openDatabase(databaseOptions(url));
  const client = await database.pool.connect();
  const prototype = Object.getPrototypeOf(client) as { query: Query };
  client.release();
  await database.close();
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    return replacement(query.bind(this), args[0] as Partial<NamedStatement>)(...args);
  };
  onTestFinished(() => {
    prototype.query = query;
  });
}

/** How often each named statement ran since. @param texts gets their texts */
export async function countStatements(url: string, texts = new Map<string, string>()): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  await replaceQuery(url, (query, { name, text }) => {
    if (name !== undefined && text !== undefined) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      texts.set(name, text);
    }
    return query;
  });
  return counts;
}

/** The most rows that one run of each named statement of a pool brought since. */
export async function countRowsRead(url: string): Promise<Map<string, number>> {
  const most = new Map<string, number>();
  await replaceQuery(url, (query, { name }) => (...args) => {
    const callback = args.at(-1);
    if (name === undefined || typeof callback !== 'function') return query(...args);
    const counting: Callback = (err, result) => {
      most.set(name, Math.max(most.get(name) ?? 0, result?.rows.length ?? 0));
      (callback as Callback)(err, result);
    };
    return query(...args.slice(0, -1), counting);
  });
  return most;
}

/**
 * In the background, for which nothing waits, and that begin whenever their interval is over: young tables may be read from end to end,
 * where an index is there for old ones.
 */
const inBackground = new Set(['checkouts-claim', 'checkouts-claim-waiting', 'outbox-prune']);
/** These read all, in the background; the installation's table has one row. */
const readsWholeTables = new Set(['reminders-accounts-without-run', 'refunds-claim', 'installation-read']);

/**
 * Which of the statements read a table from end to end, as they are planned while the planner knows nothing of their values.
 * Only in a database that never had many rows the planner knows as little of its tables.
 */
export async function wholeReads(url: string, texts: ReadonlyMap<string, string>): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, text] of texts) {
    if (readsWholeTables.has(name)) continue;
    for (const { table, lookUp } of await plannedScans(url, text, inBackground.has(name) ? alongIndexes : {}))
      if (lookUp === undefined) faults.push(`${name} reads ${table}`);
  }
  return faults;
}
