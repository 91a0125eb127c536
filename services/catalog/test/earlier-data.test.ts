import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';

guardLeaks();

test('the migrations refuse data of version 0.1.0: one error, exit code 1, and nothing is changed', async () => {
  const old = await createTestDatabase();
  const relations = () =>
    query(old.url, `select oid, relname from pg_class where relnamespace = 'public'::regnamespace`);
  try {
    await query(old.url, 'create table migrations (id serial primary key, name text not null)');
    await query(old.url, `insert into migrations (name) values ('0001-initial'), ('0004-announce-products')`);
    const before = await relations();
    const env = { ...process.env, DATABASE_URL: old.url };
    const migrating = spawn(process.execPath, [join(import.meta.dirname, '../src/db/migrate.ts')], { env });
    const [said, [code]] = await Promise.all([text(migrating.stderr), once(migrating, 'close')]);
    expect(code).toBe(1);
    expect(said).toMatch(
      /^catalog: The database \w+ has data of version 0\.1\.0, which later versions cannot use\. .*\n$/,
    );
    expect(said).toContain('Start on an empty database');
    expect(await relations()).toEqual(before);
    expect(await query(old.url, 'select name from migrations order by id')).toEqual([
      { name: '0001-initial' },
      { name: '0004-announce-products' },
    ]);
  } finally {
    await old.close();
  }
});
