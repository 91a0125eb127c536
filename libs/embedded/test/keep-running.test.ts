import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Arrivals, createArrivals } from '@app/testing/arrivals';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepRunning } from '../src/keep-running.ts';
import { findNatsServer, startNatsServer } from '../src/nats-server.ts';
import { portInUse } from '../src/ports.ts';
import { startPostgres } from '../src/postgres.ts';
import { isAlive } from '../src/processes.ts';

let directory: string;
let said: Arrivals<string>;
const say = (line: string) => said.push(line);
const saidSo = (count: number, start = '') => said.wait(count, { matches: (line) => line.startsWith(start) });
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keep-running-'));
  said = createArrivals();
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

test('a killed nats-server is back on its port as often as it is killed, until it is stopped', async () => {
  const binary = await findNatsServer({ env: process.env, install: true, log: () => {} });
  const first = await startNatsServer({ binary, dataDir: directory });
  let pid = first.pid;
  const kept = keepRunning(first, {
    name: 'nats-server',
    restart: async () => {
      const next = await startNatsServer({ binary, dataDir: directory, port: first.port });
      pid = next.pid;
      return next;
    },
    say,
  });
  for (let kills = 1; kills <= 3; kills++) {
    const killed = pid;
    process.kill(killed, 'SIGKILL');
    await saidSo(kills, 'nats-server is back after');
    expect(pid).not.toBe(killed);
  }
  expect(said.list[0]).toBe('nats-server has ended (SIGKILL), starting it again');
  await kept.stop();
  expect(isAlive(pid)).toBe(false);
  expect(await portInUse(first.port)).toBe(false);
  expect(said.list).toHaveLength(6);
});

test('a killed PostgreSQL is back on its port with its rows', async () => {
  const first = await startPostgres({ dataDir: directory, durable: true });
  const restart = () => startPostgres({ dataDir: directory, durable: true, port: first.port });
  const kept = keepRunning(first, { name: 'PostgreSQL', restart, say });
  await query(first.url, 'create table kept (id int); insert into kept values (7)');
  process.kill(first.pid, 'SIGKILL');
  await saidSo(1, 'PostgreSQL is back after');
  expect(await query(first.url, 'select id from kept')).toEqual([{ id: 7 }]);
  await kept.stop();
  expect(await portInUse(first.port)).toBe(false);
});

test('what is in the way is said once, and a stop while it lasts ends the waiting', async () => {
  const ended = Promise.resolve('exit code 1');
  let obstacle: string | undefined = 'the disk is full';
  const starts = createArrivals<true>();
  const restart = async () => {
    starts.push(true);
    throw new Error('no luck');
  };
  const stop = async () => {};
  const kept = keepRunning({ ended, stop }, { name: 'The server', restart, obstacle: () => obstacle, say });
  await saidSo(2);
  obstacle = undefined;
  await starts.wait(2);
  await kept.stop();
  const startsThen = starts.list.length;
  expect(said.list).toEqual([
    'The server has ended (exit code 1), starting it again',
    'The server waits: the disk is full',
    'The server does not start; retrying: no luck',
  ]);
  expect(starts.list).toHaveLength(startsThen);
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
