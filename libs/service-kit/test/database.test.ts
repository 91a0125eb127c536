import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { releaseBefore } from '@app/contracts/version';
import { createArrivals } from '@app/testing/arrivals';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { lettingNobodyIn, startTcpProxy } from '@app/testing/tcp-proxy';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, type DatabaseOptions, databaseChecks, openDatabase, statement } from '../src/database.ts';
import { openLockSession } from '../src/lock-session.ts';
import {
  isBefore,
  Migration,
  migrateUp,
  oldestVersionOn,
  pendingMigrations,
  refuseLaterData,
  UnusableDataError,
} from '../src/migrations.ts';
import { readiness } from '../src/service.ts';

guardLeaks();

const Book = defineEntity({
  name: 'Book',
  tableName: 'book',
  properties: {
    id: p.string().primary(),
    priceMinor: p.bigint('number').name('price_minor'),
    stampedAt: p.datetime().name('stamped_at').columnType('timestamptz'),
    note: p.string().nullable(),
  },
});
type BookRow = InferEntity<typeof Book>;

class CreateBook extends Migration {
  override up(): void {
    this.addSql(`create table book (id text primary key, price_minor bigint not null unique,
      stamped_at timestamptz not null, note text)`);
  }
}

class AddDay extends Migration {
  override up(): void {
    this.addSql('alter table book add column day date');
  }
}

class Broken extends Migration {
  override up(): void {
    this.addSql('create table half_done (id int)');
    this.addSql('this is no SQL');
  }
}

const first = { name: '0001-create-book', class: CreateBook };
const second = { name: '0002-add-day', class: AddDay };

let server: TestDatabase;
let database: Database;
let options: DatabaseOptions;

beforeAll(async () => {
  server = await createTestDatabase();
  options = { url: server.url, applicationName: 'books', entities: [Book], migrations: [first, second], poolMax: 3 };
  await migrateUp(options);
  database = await openDatabase(options);
});

afterAll(async () => {
  await database?.close();
  await server?.close();
});

/** For a server that says nothing any more. */
const limits = { statementMs: 2_500, silenceMs: 500 };

const insert = statement('test-insert', 'insert into book (id, price_minor, stamped_at) values ($1, $2, now())');
const count = async (id: string) => (await database.pool.query('select count(*) from book where id = $1', [id])).rows;

test('replicas that migrate at once apply each migration once', async () => {
  const fresh = await createTestDatabase();
  const replica = { ...options, url: fresh.url };
  const applied = await Promise.all([migrateUp(replica), migrateUp(replica), migrateUp(replica)]);
  expect(applied.flat()).toEqual([first.name, second.name]);
  expect(await migrateUp(replica)).toEqual([]);
  await fresh.close();
});

test('a migration waits for a server that takes longer to let it in than a service waits', async () => {
  const proxy = await startTcpProxy(server.url);
  proxy.pace(lettingNobodyIn);
  const migrated = migrateUp({ ...options, url: proxy.url });
  migrated.catch(() => undefined);
  const opened = await openDatabase({ ...options, url: proxy.url });
  await expect(opened.pool.query('select 1')).rejects.toThrow('connection timeout');
  proxy.pace(Number.POSITIVE_INFINITY);
  expect(await migrated).toEqual([]);
  await opened.close();
  await proxy.close();
});

test('a failed migration leaves nothing of itself, and what went before stays', async () => {
  const fresh = await createTestDatabase();
  const failing = { ...options, url: fresh.url, migrations: [first, { name: '0002-broken', class: Broken }, second] };
  await expect(migrateUp(failing)).rejects.toThrow('syntax');
  const opened = await openDatabase({ ...options, url: fresh.url });
  const { rows } = await opened.pool.query("select to_regclass('book') as book, to_regclass('half_done') as half");
  expect(rows).toEqual([{ book: 'book', half: null }]);
  expect(await pendingMigrations(opened.pool, opened.migrations)).toEqual([second]);
  await opened.close();
  expect(await migrateUp({ ...options, url: fresh.url })).toEqual([second.name]);
  await fresh.close();
});

describe('a database that a later version migrated further', () => {
  const third = { name: '0003-later', class: AddDay };
  const further = async (compatibleFrom?: string) => {
    const fresh = await createTestDatabase();
    const later = { ...third, ...(compatibleFrom !== undefined && { compatibleFrom }) };
    await migrateUp({ ...options, url: fresh.url, migrations: [first, later] });
    return { fresh, own: { ...options, url: fresh.url, migrations: [first] } };
  };

  test('is taken where it says that this version works on it, and keeps what it has', async () => {
    const { fresh, own } = await further();
    expect(await migrateUp(own)).toEqual([]);
    const opened = await openDatabase(own);
    expect(await readiness(databaseChecks(opened))).toEqual({ ready: true, missing: [] });
    expect(await oldestVersionOn(opened.pool)).toBe(releaseBefore);
    await opened.close();
    await fresh.close();
  });

  test.each([
    ['says that only later ones do', '99.0.0', 'only versions from 99.0.0 on work on it'],
    ['says nothing', null, 'does not say which versions work on it'],
  ])('is refused before anything is changed where it %s, and readiness names the migration', async (_, from, why) => {
    const { fresh, own } = await further('99.0.0');
    if (from === null) await query(fresh.url, 'update migrations set compatible_from = null');
    await expect(migrateUp({ ...own, migrations: [first, second] })).rejects.toThrow(UnusableDataError);
    await expect(migrateUp(own)).rejects.toThrow(why);
    const opened = await openDatabase(own);
    await expect(refuseLaterData(opened.pool, opened.migrations)).rejects.toThrow('0003-later');
    const missing = ['migrations (0003-later is of a later version)'];
    expect(await readiness(databaseChecks(opened))).toEqual({ ready: false, missing });
    expect(await oldestVersionOn(opened.pool)).toBe(from ?? '0.2.0');
    expect(await query(fresh.url, 'select name from migrations order by id')).toEqual([
      { name: first.name },
      { name: third.name },
    ]);
    await opened.close();
    await fresh.close();
  });
});

test.each([
  ['0.3.0', '0.10.0', true],
  ['0.10.0', '0.3.0', false],
  ['0.3.0', '0.3.0', false],
  ['0.3.1', '1.0.0', true],
])('%s is before %s: %s', (version, other, before) => {
  expect(isBefore(version, other)).toBe(before);
});

test('a service is not ready before its migrations ran, and the check changes nothing', async () => {
  const fresh = await createTestDatabase();
  const opened = await openDatabase({ ...options, url: fresh.url });
  const [reached, migrated] = await Promise.allSettled(databaseChecks(opened).map(({ check }) => check()));
  expect(reached).toMatchObject({ status: 'fulfilled' });
  expect(migrated).toMatchObject({ reason: new Error(`migrations are missing: ${first.name}, ${second.name}`) });
  const { rows } = await opened.pool.query("select tablename from pg_tables where schemaname = 'public'");
  expect(rows).toEqual([]);
  await opened.close();
  await fresh.close();
});

test('checking that the database and its migrations are there is one statement', async () => {
  const requested = vi.spyOn(database.pool, 'query');
  await Promise.all(databaseChecks(database).map(({ check }) => check()));
  expect(requested).toHaveBeenCalledTimes(1);
  requested.mockRestore();
});

test('a server that goes silent costs one statement its limit, and not one for each connection', async () => {
  const proxy = await startTcpProxy(server.url);
  const opened = await openDatabase({ ...options, url: proxy.url, limits });
  const three = () => Promise.all([1, 2, 3].map((n) => opened.pool.query('select $1::int as n, pg_sleep(0.05)', [n])));
  await three();
  expect(opened.pool.totalCount).toBe(3);
  proxy.silence();
  await expect(opened.pool.query('select 1')).rejects.toThrow('Query read timeout');
  expect((await three()).map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3]);
  await opened.close();
  await proxy.close();
});

test('a transaction on a server that went silent waits for its limit once, and keeps no connection', async () => {
  const proxy = await startTcpProxy(server.url);
  const opened = await openDatabase({ ...options, url: proxy.url, limits });
  const sent: unknown[] = [];
  const cut = opened.transaction(async (client) => {
    sent.push(vi.spyOn(client, 'query').mock.calls);
    await client.query('select 1');
    proxy.silence();
    await client.query('select 2');
  });
  await expect(cut).rejects.toThrow('Query read timeout');
  // No rollback, which would wait for the silent server as long again.
  expect(sent).toEqual([[['select 1'], ['select 2']]]);
  expect(opened.pool.totalCount).toBe(0);
  await opened.close();
  await proxy.close();
});

test('a process that is stopped in the middle of a transaction keeps its locks for seconds, and goes on afterwards', async () => {
  await database.pool.query(insert(['frozen', 77]));
  const said = createArrivals<unknown>();
  const child = fork(fileURLToPath(new URL('frozen-writer.ts', import.meta.url)), {
    env: { DATABASE_URL: server.url },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.on('message', (message) => said.push(message));
  const ended = once(child, 'exit');
  await said.wait(1);
  // It waits for the row that the other process has locked, within the limit of every statement.
  const written = await database.pool.query(`update book set note = 'meanwhile' where id = 'frozen' and note is null`);
  expect(written.rowCount).toBe(1);
  child.kill('SIGCONT');
  expect(await ended).toEqual([0, null]);
  expect(said.list).toEqual(['locked', 'rolled back', 'written']);
  expect(await query(server.url, `select note from book where id = 'frozen'`)).toEqual([{ note: 'after' }]);
});

test('PostgreSQL detects a node that froze or lost its network within half a minute', async () => {
  const names = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout'];
  const more = 'idle_in_transaction_session_timeout';
  const { rows } = await database.pool.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [[...names, more, 'idle_session_timeout']],
  );
  const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
  expect(settings).toEqual({
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 25_000,
    idle_in_transaction_session_timeout: 5_000,
    idle_session_timeout: 0,
  });
  const session = await openLockSession({ connectionString: server.url });
  expect((await session.client.query('show idle_session_timeout')).rows).toEqual([{ idle_session_timeout: '20s' }]);
  await session.close();
});

test('what a start waits for may pause in a transaction for longer: it reads its own code meanwhile, on a busy machine', async () => {
  const setting = 'show idle_in_transaction_session_timeout';
  const session = await openLockSession({ connectionString: server.url });
  const { rows: ofLock } = await session.client.query(setting);
  await session.close();
  let ofMigration: unknown[] = [];
  class Pausing extends Migration {
    override async up(): Promise<void> {
      ofMigration = await this.execute(setting);
    }
  }
  const fresh = await createTestDatabase();
  onTestFinished(() => fresh.close());
  await migrateUp({ ...options, url: fresh.url, migrations: [{ name: '0001-pausing', class: Pausing }] });
  const patient = [{ idle_in_transaction_session_timeout: '12s' }];
  expect([ofLock, ofMigration]).toEqual([patient, patient]);
});

test('a step that another process has done meanwhile is not done twice: one that froze and lost the lock fails at its record', async () => {
  class Late extends Migration {
    override up(): void {
      // The other process, whose record is committed before ours.
      this.addSql(`insert into migrations (name, compatible_from) values ('0001-late', '0.2.0')`);
      this.addSql('create table done_twice (id int)');
    }
  }
  const fresh = await createTestDatabase();
  onTestFinished(() => fresh.close());
  const late = { ...options, url: fresh.url, migrations: [{ name: '0001-late', class: Late }] };
  await expect(migrateUp(late)).rejects.toThrow('migrations_name');
  expect(await query(fresh.url, `select to_regclass('done_twice') as made`)).toEqual([{ made: null }]);
});

test('a lock session reports that its lock is gone', async () => {
  const lost = createArrivals<true>();
  const session = await openLockSession({ connectionString: server.url }, () => lost.push(true));
  const { rows } = await session.client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await lost.wait(1);
  expect(session.lost()).toBe(true);
  await session.close();
  expect(lost.list).toHaveLength(1);
});

test('a lock session whose statement takes long has one waiting sign and not more', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const session = await openLockSession({ connectionString: server.url });
  const query = vi.spyOn(session.client, 'query');
  const long = session.client.query('select pg_sleep(0.2)');
  vi.advanceTimersByTime(20_000);
  expect(query).toHaveBeenCalledTimes(2);
  await long;
  await session.close();
  vi.useRealTimers();
});

test('bigint is a number, timestamptz a Date and date a text, whatever the time zone of the machine', async () => {
  const { rows } =
    await database.pool.query(`select 9007199254740991::bigint as money, array[1, null]::bigint[] as several,
    '2030-01-02 03:04:05.678+02'::timestamptz as at, '2030-01-02'::date as day, count(*) from generate_series(1, 3)`);
  expect(rows).toEqual([
    {
      money: Number.MAX_SAFE_INTEGER,
      several: [1, null],
      at: new Date('2030-01-02T01:04:05.678Z'),
      day: '2030-01-02',
      count: 3,
    },
  ]);
});

test('a bigint beyond the safe range fails its query and leaves the pool usable', async () => {
  await expect(database.pool.query('select 9007199254740992::bigint as money')).rejects.toThrow('9007199254740992');
  await database.pool.query('select 1');
});

test('the ORM shares the pool, its numbers and its dates, and writes only what changed', async () => {
  const stampedAt = new Date('2030-01-02T03:04:05.678Z');
  await database.orm.em.fork().insert(Book, { id: 'orm', priceMinor: 123, stampedAt, note: null });
  const em = database.fork();
  const row: BookRow = await em.findOneOrFail(Book, { id: 'orm' });
  expect(row).toMatchObject({ priceMinor: 123, stampedAt });
  em.getUnitOfWork().computeChangeSets();
  expect(em.getUnitOfWork().getChangeSets()).toEqual([]);
  row.priceMinor = Number.MAX_SAFE_INTEGER;
  await em.flush();
  const { rows } = await database.pool.query("select price_minor, stamped_at from book where id = 'orm'");
  expect(rows).toEqual([{ price_minor: Number.MAX_SAFE_INTEGER, stamped_at: stampedAt }]);
  expect(await database.orm.em.getConnection().getNativeClient()).toBe(database.pool);
});

test('the process is configured to pass an entity manager, never to share one', () => {
  expect(() => database.orm.em.persist(database.orm.em.create(Book, {} as never))).toThrow(/global/i);
});

test('a transaction commits its work, or none of it when the work throws', async () => {
  expect(await database.transaction(async (client) => (await client.query(insert(['kept', 1]))).rowCount)).toBe(1);
  const fault = new Error('changed my mind');
  const failing = database.transaction(async (client) => {
    await client.query(insert(['lost', 2]));
    throw fault;
  });
  await expect(failing).rejects.toBe(fault);
  expect(await count('kept')).toEqual([{ count: 1 }]);
  expect(await count('lost')).toEqual([{ count: 0 }]);
});

test('a transaction whose failed statement was swallowed is not reported as committed', async () => {
  const swallowing = database.transaction(async (client) => {
    await client.query(insert(['swallowed', 3]));
    await client.query('select 1 / 0').catch(() => {});
  });
  await expect(swallowing).rejects.toThrow('rolled back');
  expect(await count('swallowed')).toEqual([{ count: 0 }]);
});

test('a connection the server ends fails its transaction, is thrown away, and the next one works', async () => {
  const ended = database.transaction(async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    await database.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await client.query('select 1');
  });
  await expect(ended).rejects.toThrow();
  for (let turn = 0; turn < 4; turn++) await database.transaction((client) => client.query('select 1'));
});

test('a refused row costs its statement, not its connection', async () => {
  const failing = database.transaction(async (client) => client.query(insert(['twice', 1])));
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  const total = database.pool.totalCount;
  await database.transaction((client) => client.query('select 1'));
  expect(database.pool.totalCount).toBe(total);
});

test('a statement is prepared once per connection', async () => {
  const read = statement('test-read', 'select $1::int + 1 as next');
  const names = await database.transaction(async (client) => {
    expect((await client.query(read([1]))).rows).toEqual([{ next: 2 }]);
    expect((await client.query(read([2]))).rows).toEqual([{ next: 3 }]);
    return (await client.query("select name from pg_prepared_statements where name = 'test-read'")).rows;
  });
  expect(names).toEqual([{ name: 'test-read' }]);
});

test('connections say whose they are and limit their statements', async () => {
  const { rows } = await database.pool.query(
    "select current_setting('application_name') as name, current_setting('statement_timeout') as limit",
  );
  expect(rows).toEqual([{ name: 'books', limit: '15s' }]);
});

test('a service without entities works, and a closed database leaves no connection, used or not', async () => {
  const opened = await openDatabase({ ...options, applicationName: 'nameless', entities: [], migrations: [] });
  expect(await pendingMigrations(opened.pool, opened.migrations)).toEqual([]);
  await opened.close();
  expect(opened.pool.ended).toBe(true);
  expect(opened.pool.totalCount).toBe(0);
});

test('a connection that ends inside an ORM transaction gives its slot in the pool back', async () => {
  const single = await openDatabase({ ...options, poolMax: 1 });
  const ended = single.fork().transactional((tx) => tx.execute('select pg_terminate_backend(pg_backend_pid())'));
  await expect(ended).rejects.toThrow();
  // With a single slot in the pool this would wait for ever.
  expect((await single.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await single.close();
});
