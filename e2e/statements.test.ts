import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { createMigratedDatabase } from '@app/testing/postgres';
import { keepConnections, type ProvedStatement, query, statementFaults } from '@app/testing/sql';
import { beforeAll, expect, test } from 'vitest';

/**
 * Guarantee: every hand-written statement fits the schema that the migrations make, and returns what its code reads, also
 * where no journey comes by.
 */
let statements: Record<ServiceName, readonly ProvedStatement[]>;

beforeAll(async () => {
  const list = [join(import.meta.dirname, 'support/list-statements.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, list, { maxBuffer: 16 * 1024 * 1024 });
  statements = JSON.parse(stdout);
});

test.each(serviceNames)('PostgreSQL prepares every statement of %s, which returns what it says', async (service) => {
  const { migrate } = await import(join(import.meta.dirname, '../services', service, 'src/db/migrate.ts'));
  const database = await createMigratedDatabase(service, migrate);
  expect(await statementFaults(database.url, statements[service])).toEqual([]);
  await database.close();
});

test('a statement that returns other columns than it says is named, and one that does not say which it returns', async () => {
  const { migrate } = await import(join(import.meta.dirname, '../services/metrics/src/db/migrate.ts'));
  const database = await createMigratedDatabase('metrics', migrate);
  const faults = (columns?: Readonly<Record<string, string>>, text = 'select 1 as one') =>
    statementFaults(database.url, [{ name: 'sample', text, ...(columns && { columns }) }]);
  expect(await faults({ one: 'int4' })).toEqual([]);
  expect(await faults({ one: 'text' })).toEqual([
    'sample returns, and does not say so: one int4',
    'sample says that it returns, and does not: one text',
  ]);
  expect(await faults()).toEqual(['sample returns, and does not say so: one int4']);
  expect(await faults(undefined, 'select')).toEqual([]);
  expect(await faults({ one: 'int4' }, 'select one from none')).toEqual(['sample: relation "none" does not exist']);
  await database.close();
});

test('the endpoints of a batch of events are planned once for a connection, and not for each batch', async () => {
  const { migrate } = await import(join(import.meta.dirname, '../services/webhook-dispatcher/src/db/migrate.ts'));
  const database = await createMigratedDatabase('webhook-dispatcher', migrate);
  const read = statements['webhook-dispatcher'].find(({ name }) => name === 'endpoints-of-accounts');
  const close = keepConnections(database.url);
  await query(database.url, `prepare read (text[], text[], boolean) as ${read?.text}`);
  for (let batch = 0; batch < 10; batch++) await query(database.url, `execute read ('{acc_1}', '{order.paid}', true)`);
  const plans = await query(database.url, 'select generic_plans::int, custom_plans::int from pg_prepared_statements');
  await close();
  // PostgreSQL plans with the values five times before it compares.
  expect(plans).toEqual([{ generic_plans: 5, custom_plans: 5 }]);
  await database.close();
});

test('a name stands for one statement within a service', () => {
  for (const service of serviceNames) {
    const texts = new Map<string, string>();
    for (const { name, text } of statements[service]) expect(texts.get(name) ?? text, `${service}: ${name}`).toBe(text);
    for (const { name, text } of statements[service]) texts.set(name, text);
  }
});
