import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@app/testing/eventually';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepRunning } from '../src/keep-running.ts';
import { findNatsServer, startNatsServer } from '../src/nats-server.ts';
import { portInUse } from '../src/ports.ts';
import { startPostgres } from '../src/postgres.ts';
import { isAlive } from '../src/processes.ts';

let directory: string;
let said: string[];
const say = (line: string) => void said.push(line);
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keep-running-'));
  said = [];
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

test('a killed nats-server is back on its port as often as it is killed, until it is told to stop', async () => {
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
    await eventually(() => pid !== killed);
    await eventually(() => said.filter((line) => line.startsWith('nats-server is back after')).length === kills);
  }
  expect(said[0]).toBe('nats-server has ended (SIGKILL), starting it again');
  await kept.stop();
  expect(isAlive(pid)).toBe(false);
  expect(await portInUse(first.port)).toBe(false);
  expect(said).toHaveLength(6);
});

test('a killed PostgreSQL is back on its port with its rows', async () => {
  const first = await startPostgres({ dataDir: directory, durable: true });
  const restart = () => startPostgres({ dataDir: directory, durable: true, port: first.port });
  const kept = keepRunning(first, { name: 'PostgreSQL', restart, say });
  await query(first.url, 'create table kept (id int); insert into kept values (7)');
  process.kill(first.pid, 'SIGKILL');
  await eventually(async () => (await query(first.url, 'select id from kept'))[0]?.id === 7, { withinMs: 30_000 });
  await kept.stop();
  expect(await portInUse(first.port)).toBe(false);
});

test('what is in the way is said once, and a stop while it lasts ends the waiting', async () => {
  const ended = Promise.resolve('exit code 1');
  let obstacle: string | undefined = 'the disk is full';
  let starts = 0;
  const restart = async () => {
    starts += 1;
    throw new Error('no luck');
  };
  const stop = async () => {};
  const kept = keepRunning({ ended, stop }, { name: 'The server', restart, obstacle: () => obstacle, say });
  await eventually(() => said.length === 2);
  obstacle = undefined;
  await eventually(() => starts >= 2);
  await kept.stop();
  const startsThen = starts;
  expect(said).toEqual([
    'The server has ended (exit code 1), starting it again',
    'The server waits: the disk is full',
    'The server does not start, trying again: no luck',
  ]);
  expect(starts).toBe(startsThen);
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
