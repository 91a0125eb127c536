import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { createMigratedDatabase } from '@app/testing/postgres';
import { refusedStatements } from '@app/testing/sql';
import { beforeAll, expect, test } from 'vitest';

/** Guarantee: every hand-written statement fits the schema that the migrations make, also where no journey comes by. */
let statements: Record<ServiceName, readonly { readonly name: string; readonly text: string }[]>;

beforeAll(async () => {
  const list = [join(import.meta.dirname, 'support/list-statements.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, list, { maxBuffer: 16 * 1024 * 1024 });
  statements = JSON.parse(stdout);
});

test.each(serviceNames)('PostgreSQL prepares every statement of %s on its migrated schema', async (service) => {
  const { migrate } = await import(join(import.meta.dirname, '../services', service, 'src/db/migrate.ts'));
  const database = await createMigratedDatabase(service, migrate);
  expect(await refusedStatements(database.url, statements[service])).toEqual([]);
  await database.close();
});

test('a name stands for one statement within a service', () => {
  for (const service of serviceNames) {
    const texts = new Map<string, string>();
    for (const { name, text } of statements[service]) expect(texts.get(name) ?? text, `${service}: ${name}`).toBe(text);
    for (const { name, text } of statements[service]) texts.set(name, text);
  }
});
