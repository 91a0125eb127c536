import { type Database, openDatabase } from '@app/service-kit/database';
import { deleteExpired } from '@app/service-kit/retention';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { retention } from '../src/db/retention.ts';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let harness: Harness;
let database: Database;
let url: string;

beforeAll(async () => {
  harness = await createHarness();
  ({ url } = await harness.start());
  database = await openDatabase(databaseOptions(harness.database.url));
});
afterAll(async () => {
  await database.close();
  await harness.close();
});

const run = (sql: string, values: unknown[] = []) => query<Record<string, unknown>>(harness.database.url, sql, values);
const housekeep = () => deleteExpired(database, retention(harness.clock));

type Filled = [table: string, column: string, fill: (rows: number, agedDays: number) => Promise<unknown>];

/** A table with many rows, of which some are due; the sessions and keys belong to a seller. */
const tables: Filled[] = [
  [
    'idempotency_records',
    'created_at',
    (rows, agedDays) =>
      run(
        `insert into idempotency_records (account_id, key, fingerprint, command_id, lease_until, status, response, created_at)
         select 'acc', $2 || '-' || n, sha256('x'), 'cmd', now(), 200, sha256('x'), now() - make_interval(days => $2::int)
         from generate_series(1, $1::int) n`,
        [rows, agedDays],
      ),
  ],
  [
    'sessions',
    'expires_at',
    (rows, agedDays) =>
      run(
        `insert into sessions (id, hash, user_id, created_at, expires_at)
         select 'ses' || $2 || '-' || n, sha256(($2 || '-' || n)::bytea), (select min(id) from users), now(),
           now() + interval '20 days' - make_interval(days => $2::int)
         from generate_series(1, $1::int) n`,
        [rows, agedDays],
      ),
  ],
  [
    'known_origins',
    'last_at',
    (rows, agedDays) =>
      run(
        `insert into known_origins (user_id, origin, last_at)
         select (select min(id) from users), sha256(($2 || '-' || n)::bytea), now() - make_interval(days => $2::int)
         from generate_series(1, $1::int) n`,
        [rows, agedDays],
      ),
  ],
  [
    'api_keys',
    'revoked_at',
    (rows, agedDays) =>
      run(
        `insert into api_keys (id, account_id, name, hash, prefix, last_four, scopes, created_at, revoked_at)
         select 'key' || $2 || '-' || n, (select min(id) from accounts), 'k', sha256(($2 || '-' || n)::bytea), '', '', '{}',
           now(), now() - make_interval(days => $2::int)
         from generate_series(1, $1::int) n`,
        [rows, agedDays],
      ),
  ],
  ...['portal_links', 'portal_sessions'].map(
    (table): Filled => [
      table,
      'expires_at',
      (rows, agedDays) =>
        run(
          `insert into ${table} (${table === 'portal_links' ? 'token_hash' : 'hash'}, account_id, email, created_at, expires_at)
         select sha256(($2 || '-' || n)::bytea), (select min(id) from accounts), '', now(),
           now() - make_interval(days => $2::int)
         from generate_series(1, $1::int) n`,
          [rows, agedDays],
        ),
    ],
  ),
  [
    'rate_windows',
    'ends_at',
    (rows, agedDays) =>
      run(
        `insert into rate_windows (caller, ends_at, taken)
         select $2 || '-' || n, now() + interval '20 days' - make_interval(days => $2::int), 1
         from generate_series(1, $1::int) n`,
        [rows, agedDays],
      ),
  ],
];

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

test.each(tables)(
  '%s: what is past its time goes, and a check with nothing due reads few pages',
  async (table, column, fill) => {
    await createSeller(url);
    const due = volume(5_000, 25_000);
    await fill(volume(6_000, 30_000), 5);
    await fill(due, 120);
    await run(`vacuum analyze ${table}`);
    const count = async () => Number((await run(`select count(*) as rows from ${table}`))[0]?.rows);
    const before = await count();
    await housekeep();
    expect(before - (await count())).toBe(due);
    // The statistics are still those of before.
    await run(`vacuum ${table}`);
    const rule = retention(harness.clock).find(({ statement }) => statement().text.includes(`from ${table} `));
    if (rule === undefined) throw new Error(`${table} has no retention`);
    const [explained] = await query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      harness.database.url,
      `explain (analyze, buffers, format json) ${rule.statement().text}`,
      [rule.limit(), 20_000],
    );
    if (explained === undefined) throw new Error('no plan');
    const plan = explained['QUERY PLAN'][0].Plan;
    const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    expect(pages, `${table} by ${column}`).toBeLessThan(20);
  },
);

test('a key is listed for 90 days after its end, and then forgotten', async () => {
  const { key, keyId, session } = await createSeller(url);
  const make = async (body: object) =>
    (await send(url, 'POST', '/api/v1/api-keys', { session, body: { name: 'k', ...body } })).json.id as string;
  const dayMs = 86_400_000;
  const inDays = (days: number) => new Date(harness.clock.nowMs() + days * dayMs).toISOString();
  const [revoked, expired, expiring] = [
    await make({}),
    await make({ expiresAt: inDays(1) }),
    await make({ expiresAt: inDays(3) }),
  ];
  await send(url, 'DELETE', `/api/v1/api-keys/${revoked}`, { key });
  const listed = async () => {
    const { json } = await send(url, 'GET', '/api/v1/api-keys', { key });
    return json.data.map(({ id }: { id: string }) => id);
  };
  harness.clock.advance(89 * dayMs);
  await housekeep();
  expect(await listed()).toEqual([expiring, expired, revoked, keyId]);
  harness.clock.advance(2 * dayMs + 1_000);
  await housekeep();
  expect(await listed()).toEqual([expiring, keyId]);
  harness.clock.reset();
});
