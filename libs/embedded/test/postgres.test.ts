import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createArrivals } from '@app/testing/arrivals';
import { pollSystem } from '@app/testing/poll-system';
import { query } from '@app/testing/sql';
import { startTcpProxy } from '@app/testing/tcp-proxy';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { databaseUrl, ensureDatabases } from '../src/databases.ts';
import { findNatsServer, startNatsServer } from '../src/nats-server.ts';
import { type RunningPostgres, startPostgres } from '../src/postgres.ts';
import { DataDirInUseError } from '../src/postgres-lock.ts';
import { isAlive } from '../src/processes.ts';

/** A cluster to copy: to make one takes a second. The tests that are about its making make their own. */
let made: string;
beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'embedded-cluster-'));
  const server = await startPostgres({ dataDir: join(made, 'data'), durable: false });
  await server.stop();
});
afterAll(() => rm(made, { recursive: true, force: true }));

let directory: string;
let running: RunningPostgres[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** Owner and modes as they are. */
function copyCluster(name = 'data'): string {
  const dataDir = join(directory, name);
  execFileSync('cp', ['-a', join(made, 'data'), dataDir]);
  return dataDir;
}

async function start(dataDir = join(directory, 'data'), durable = true): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir, durable });
  running.push(server);
  return server;
}

describe('startPostgres', () => {
  test('data survives a stop and a start, and the password is readable by its owner only', async () => {
    const first = await start(copyCluster());
    await query(first.url, 'create table kept (id int); insert into kept values (7)');
    await first.stop();
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'select id from kept')).toEqual([{ id: 7 }]);
    const password = join(directory, 'data', 'superuser-password');
    expect((await stat(password)).mode & 0o777).toBe(0o600);
    const wrong = databaseUrl(second.url, 'postgres', 'postgres', 'wrong');
    await expect(query(wrong, 'select 1')).rejects.toThrow('password authentication failed');
  });

  test('committed rows survive a kill -9 of the server, and a stale pid file that names another process', async () => {
    const first = await start(copyCluster());
    await query(first.url, 'create table kept (id int); insert into kept values (7)');
    process.kill(first.pid, 'SIGKILL');
    const second = await start();
    expect(await query(second.url, 'select id from kept')).toEqual([{ id: 7 }]);
    const pidFile = join(directory, 'data', 'cluster', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    process.kill(second.pid, 'SIGKILL');
    await second.stop();
    await writeFile(pidFile, text.replace(String(second.pid), String(process.ppid)));
    const third = await start();
    expect(await query(third.url, 'select id from kept')).toEqual([{ id: 7 }]);
  });

  test('where nothing ends the servers of a killed process, the next start stops them first', async () => {
    const binary = await findNatsServer({ env: process.env, install: true, log: () => {} });
    const dataDir = copyCluster();
    await chmod(directory, 0o755);
    // Without PATH there is no setpriv, as on macOS and Windows.
    const { child, url, pid, natsPid = 0 } = await runStarter(dataDir, { args: [binary], env: { PATH: '/none' } });
    await query(url, 'create table kept (id int)');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect([pid, natsPid].map(isAlive)).toEqual([true, true]);
    const next = await start(dataDir);
    const nats = await startNatsServer({ binary, dataDir: join(dataDir, 'nats') });
    expect([pid, natsPid].map(isAlive)).toEqual([false, false]);
    expect(await query(next.url, 'select id from kept')).toEqual([]);
    await nats.stop();
  });

  test('a directory with a living server is refused by name', async () => {
    await start(copyCluster());
    await expect(start()).rejects.toThrow(DataDirInUseError);
    await expect(runStarter(join(directory, 'data'))).rejects.toThrow('is in use by process');
  });

  test('the server of a killed process ends or is replaced, and its data is there', async () => {
    const dataDir = copyCluster();
    const { child, url, pid } = await runStarter(dataDir);
    await query(url, 'create table kept (id int)');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const next = await start(dataDir);
    expect(await query(next.url, 'select id from kept')).toEqual([]);
    expect(isAlive(pid)).toBe(false);
  });

  test('its log holds what the server says of itself, and no values of refused statements', async () => {
    const log = createArrivals<string>();
    const server = await startPostgres({ dataDir: copyCluster(), durable: false, serverLog: log.push });
    running.push(server);
    await query(server.url, 'create table users (email text primary key, hash text)');
    const insert = `insert into users values ('ann@example.com', 'scrypt$hash')`;
    await query(server.url, insert);
    await expect(query(server.url, insert)).rejects.toThrow('duplicate key');
    await expect(query(server.url, `select 'ann@example.com'::int`)).rejects.toThrow('invalid input syntax');
    await expect(query(databaseUrl(server.url, 'postgres', 'postgres', 'wrong'), 'select 1')).rejects.toThrow();
    await server.stop();
    await log.wait(1, { matches: (text) => text.includes('database system is shut down') });
    const text = log.list.join('');
    expect(text).toContain('password authentication failed');
    expect(text).not.toMatch(/ann@example\.com|scrypt/);
  });

  test('an initdb that was cut off is done again', async () => {
    await mkdir(join(directory, 'data', 'cluster.new', 'base'), { recursive: true });
    const server = await start();
    expect(await query(server.url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
  });

  test('it listens on loopback only, durable by default', async () => {
    const show = `select current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as sockets,
      current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`;
    const durable = await start(copyCluster());
    expect(await query(durable.url, show)).toEqual([{ listen: '127.0.0.1', sockets: '', fsync: 'on', commit: 'on' }]);
    const throwaway = await start(copyCluster('other'), false);
    expect((await query(throwaway.url, show))[0]).toMatchObject({ fsync: 'off', commit: 'off' });
  });

  test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'root may keep its data below a directory that is closed to everyone else',
    async () => {
      const closed = join(directory, 'closed');
      await mkdir(closed, { mode: 0o700 });
      const server = await start(join(closed, 'deep', 'data'));
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect((await stat(closed)).mode & 0o777).toBe(0o700);
    },
  );

  test.runIf(process.platform === 'linux' && process.getuid?.() === 0)('an ordinary user can start it', async () => {
    const uid = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
    await chmod(directory, 0o755);
    await mkdir(join(directory, 'home'));
    await chown(join(directory, 'home'), uid, uid);
    const { child, url } = await runStarter(join(directory, 'home', 'data'), { uid });
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
});

describe('ensureDatabases', () => {
  test('roles own their database alone, however often and by how many it is called', async () => {
    const { url } = await start(copyCluster(), false);
    const owners = ['one', 'two'].map((name) => ({ database: name, user: name, password: `p'"w ${name}` }));
    const readyFor: string[][] = [[], [], []];
    const ensured = (call: number) => ensureDatabases(url, owners, (name) => void readyFor[call]?.push(name));
    await Promise.all([ensured(0), ensured(1)]);
    await ensured(2);
    expect(readyFor).toEqual(Array(3).fill(['one', 'two']));
    // Each connection pays for each iteration, the superuser's too.
    const stretched = `select rolname from pg_authid where rolpassword not like 'SCRAM-SHA-256$1:%'`;
    expect(await query(url, stretched)).toEqual([]);
    const own = databaseUrl(url, 'one', 'one', `p'"w one`);
    await query(own, 'create table mine (id int)');
    await expect(query(databaseUrl(url, 'two', 'one', `p'"w one`), 'select 1')).rejects.toThrow('permission denied');
  });

  test('a user who may create roles and databases, and nothing else, makes them', async () => {
    const { url } = await start(copyCluster(), false);
    await query(url, `create role limited login createrole createdb password 'limited'`);
    const limited = databaseUrl(url, 'postgres', 'limited', 'limited');
    const owners = ['one', 'two'].map((name) => ({ database: name, user: name, password: name }));
    await ensureDatabases(limited, owners);
    await ensureDatabases(limited, owners);
    await query(databaseUrl(url, 'one', 'one', 'one'), 'create table mine (id int)');
    await expect(query(databaseUrl(url, 'two', 'one', 'one'), 'select 1')).rejects.toThrow('permission denied');
  });

  test('a call right after the kill of a process whose session still creates a database finds that database', async () => {
    const { url } = await start(copyCluster(), false);
    const owners = [{ database: 'one', user: 'one', password: 'one' }];
    // PostgreSQL waits a while for sessions of the template before it copies it.
    const template = new pg.Client({ connectionString: databaseUrl(url, 'template1') });
    await template.connect();
    const sessions = (what: string) =>
      query(url, `select from pg_stat_activity where datname = 'postgres' and ${what}`);
    const proxy = await startTcpProxy(url);
    const killed = expect(ensureDatabases(proxy.url, owners)).rejects.toThrow('terminated');
    await pollSystem(
      'a session that creates',
      async () => (await sessions(`query like 'create database%'`)).length === 1,
    );
    proxy.fail('refuse');
    await killed;
    const ensured = ensureDatabases(url, owners);
    ensured.catch(() => undefined);
    const active = `state = 'active' and query ~ '^(create database|select pg_advisory_lock)'`;
    await pollSystem('both', async () => (await sessions(active)).length === 2);
    await template.end();
    await ensured;
    await query(databaseUrl(url, 'one', 'one', 'one'), 'create table mine (id int)');
    await proxy.close();
  });

  test('a server that accepts the connection and never answers is given up after half a minute', async () => {
    const proxy = await startTcpProxy('postgres://postgres@127.0.0.1:1/postgres');
    proxy.fail('hang');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ensured = ensureDatabases(proxy.url, []);
    vi.advanceTimersByTime(30_000);
    vi.useRealTimers();
    await expect(ensured).rejects.toThrow('timeout expired');
    await proxy.close();
  });
});

/** Another process that starts the server, as `deploy/standalone` would. */
async function runStarter(
  dataDir: string,
  options: { uid?: number; args?: string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<{ child: ChildProcess; url: string; pid: number; natsPid?: number }> {
  const { uid, args = [], env = process.env } = options;
  const entry = fileURLToPath(new URL('starter.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  const answer = JSON.parse(line.toString('utf8')) as { url: string; pid: number; natsPid?: number; error?: string };
  if (answer.error) throw new Error(answer.error);
  return { child, ...answer };
}
