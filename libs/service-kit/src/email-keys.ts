import { emailKey } from '@app/contracts/email-key';
import type pg from 'pg';
import { type BackgroundLoop, startLoop } from './background-loop.ts';
import { type Client, type Database, statement, unnamed } from './database.ts';
import type { Logger } from './logger.ts';
import { pendingMigrations } from './migrations.ts';
import { definePoint } from './points.ts';
import type { Check } from './service.ts';

/** A batch of rows has got its keys, and is committed. */
export const emailKeysMade = definePoint<{ readonly table: string; readonly rows: number }>(
  'service-kit.email-keys-made',
);

/** A table whose rows have the key of an email address in `email_key`, or nothing in it yet. */
export interface KeyedEmails {
  readonly table: string;
  /** Makes the keys of some rows after `from`, in the order of their ids. @returns what they end with; null after the last one */
  readonly fill: (client: Client, from: string) => Promise<{ readonly last: string; readonly rows: number } | null>;
}

/** Small enough that no row is locked for long. */
const batchMax = 5_000;

export interface EmailRow {
  readonly id: string;
  readonly account_id: string;
  readonly email: string;
}

/** The rows without a key, which the index of `withoutKeyIndex` has. `$1` after which id, `$2` how many. */
export const readRowsWithoutKey = (table: string, email: string, id: string) =>
  statement<EmailRow>(
    `email-keys-${table}-read`,
    `select ${id} as id, account_id, ${email} as email from ${table}
     where email_key is null and ${email} is not null and ${id} > $1 order by ${id} limit $2 for update`,
    { id: 'text', account_id: 'text', email: 'text' },
  );

/** For a migration: the rows that have no key yet, which are few or none once the keys are made. */
export const withoutKeyIndex = (table: string, email: string, id = 'id'): string =>
  `create index ${table}_without_key on ${table} (${id}) where email_key is null and ${email} is not null`;

/**
 * @param table has the columns `account_id` and `email_key`
 * @param columns the address, and what names a row within its account
 * @param keyed what else is written of the rows of a batch, in its transaction
 */
export function keyedEmails(
  table: string,
  { email = 'email', id = 'id' } = {},
  keyed?: (client: Client, rows: readonly EmailRow[]) => Promise<void>,
): KeyedEmails {
  const read = readRowsWithoutKey(table, email, id);
  const write = statement(
    `email-keys-${table}-write`,
    `update ${table} as t set email_key = k.email_key
     from unnest($1::text[], $2::text[], $3::text[]) as k(account_id, id, email_key)
     where t.account_id = k.account_id and t.${id} = k.id and t.email_key is null`,
  );
  return {
    table,
    fill: async (client, from) => {
      // Planned for what is there now: rows without a key are all of a table once, and then none.
      const { rows } = await client.query(unnamed(read([from, batchMax])));
      const last = rows.at(-1);
      if (last === undefined) return null;
      const columns = [rows.map((row) => row.account_id), rows.map((row) => row.id)];
      await client.query(unnamed<pg.QueryConfig>(write([...columns, rows.map((row) => emailKey(row.email))])));
      await keyed?.(client, rows);
      return { last: last.id, rows: rows.length };
    },
  };
}

/** A release that makes no keys writes rows beside this one while it is replaced: they get theirs so soon. */
const againAfterMs = 10_000;

/**
 * Makes the keys that are missing, before anything is read by them, and goes on with those of rows that the release before
 * writes. Each batch is a transaction: a process that dies leaves the rest to the next one. Several replicas take turns.
 * Where the database is away or migrations are missing the service is not ready, and the keys are made once they are there.
 */
export async function keepEmailKeys(
  database: Database,
  logger: Logger,
  tables: readonly KeyedEmails[],
): Promise<BackgroundLoop & { readonly check: Check }> {
  let isComplete = false;
  const round = async (isClosing: () => boolean): Promise<void> => {
    if (!isComplete && (await pendingMigrations(database.pool, database.migrations)).length > 0) return;
    for (const table of tables) await fillTable(database, logger, table, isClosing);
    isComplete = !isClosing();
  };
  const report = (err: unknown): void =>
    logger.warn({ err }, 'keys of email addresses could not be made; trying again in 10 seconds');
  await round(() => false).catch(report);
  const loop = startLoop({
    name: 'email-keys',
    firstAfterMs: againAfterMs,
    round,
    pauseMs: () => againAfterMs,
    onFailure: report,
  });
  const check = async (): Promise<void> => {
    if (!isComplete) throw new Error('keys of email addresses are being made');
  };
  return { ...loop, check: { name: 'email keys', check } };
}

/** Until a whole pass finds nothing: ids that several accounts have may be split between two batches. */
async function fillTable(
  database: Database,
  logger: Logger,
  { table, fill }: KeyedEmails,
  isClosing: () => boolean,
): Promise<void> {
  const startedMs = performance.now();
  let made = 0;
  let from = '';
  while (!isClosing()) {
    const batch = await database.transaction((client) => fill(client, from));
    if (batch === null && from === '') break;
    from = batch?.last ?? '';
    if (batch === null) continue;
    made += batch.rows;
    emailKeysMade.announce(() => ({ table, rows: batch.rows }));
  }
  const durationMs = Math.round(performance.now() - startedMs);
  if (made > 0) logger.info({ table, rows: made, durationMs }, 'keys of email addresses were made');
}
