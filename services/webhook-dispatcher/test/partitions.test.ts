import { dayMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { guardLeaks } from '@app/testing/leak-guard';
import { pollSystem } from '@app/testing/poll-system';
import { startTcpProxy } from '@app/testing/tcp-proxy';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { bodiesStatement } from '../src/deliveries/claim-deliveries.ts';
import { dropExpiredPartitions } from '../src/storage/drop-partitions.ts';
import { Partitions } from '../src/storage/partitions.ts';
import { type Harness, startHarness } from './harness.ts';
import { anEvent, anOrder, connectedAccount } from './orders.ts';

guardLeaks();
let harness: Harness;
let database: Database;
beforeAll(async () => {
  harness = await startHarness();
  database = await openDatabase(databaseOptions(harness.env.DATABASE_URL));
});
afterAll(async () => {
  await database.close();
  await harness.close();
});

/** A test's own months, so that no test meets partitions of another one. */
let monthsLater = 0;
const laterMs = () => {
  monthsLater += 3;
  return Date.UTC(2030, monthsLater, 15, 12);
};
const attached = async (name: string) =>
  (await harness.query('select from pg_inherits where inhrelid = to_regclass($1)', [name])).length === 1;
const exists = async (name: string) =>
  (await harness.query<{ oid: string | null }>('select to_regclass($1)::text as oid', [name]))[0]?.oid !== null;
const drop = () => dropExpiredPartitions({ database, clock: harness.clock, logger: silentLogger() });
const dayName = (ms: number) => `event_bodies_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;
/** Makes the partitions of a day, with an event in it, and moves the clock until its bodies are expired. */
async function expiredDay(): Promise<{ name: string; eventId: string }> {
  const ms = laterMs();
  harness.clock.set(new Date(ms));
  const eventId = await anEvent(harness, harness.account());
  harness.clock.advance(32 * dayMs);
  return { name: dayName(ms), eventId };
}

test('after the clock has jumped by three months, events are stored, sent and recorded at once', async () => {
  const seller = await connectedAccount(harness);
  for (let n = 0; n < 2; n += 1) {
    harness.clock.set(new Date(laterMs()));
    const id = await seller.publish();
    await seller.delivered(n + 1);
    expect(await seller.statuses()).toEqual(Array(n + 1).fill('delivered'));
    expect(seller.received().at(-1)).toBe(id);
  }
  expect(await harness.query('select from dead_letters')).toEqual([]);
  expect(await harness.query('select from event_attempts')).toEqual([]);
});

test('replicas that need the same partitions at once make them once', async () => {
  const ms = laterMs();
  const ids = [newId('event', ms), newId('attempt', ms), newId('event', ms + 40 * dayMs)];
  const replicas = Array.from({ length: 4 }, () => new Partitions(database, harness.clock));
  await Promise.all(replicas.flatMap((partitions) => [partitions.cover(ids), partitions.cover(ids.toReversed())]));
  for (const time of [ms, ms + 40 * dayMs]) expect(await attached(dayName(time))).toBe(true);
});

test('what makes partitions ahead waits no longer for a silent server than the pool, as others wait for it', async () => {
  const proxy = await startTcpProxy(harness.env.DATABASE_URL);
  const opened = await openDatabase(databaseOptions(proxy.url));
  const partitions = new Partitions(opened, harness.clock);
  harness.clock.set(new Date(laterMs()));
  proxy.fail('hang');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const making = partitions.makeAhead();
  making.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  await expect(making).rejects.toThrow('timeout expired');
  await opened.close();
  await proxy.close();
});

test('a partition that another replica has dropped is made again for an event that comes late', async () => {
  const { name } = await expiredDay();
  const lateMs = harness.clock.nowMs() - 32 * dayMs;
  const seller = await connectedAccount(harness);
  // The service knows the partition of that day, and does not drop it itself.
  const publish = () => harness.publish(orderPaid, seller.account, anOrder(lateMs), undefined, newId('event', lateMs));
  await publish();
  await seller.delivered();
  await drop();
  expect(await exists(name)).toBe(false);
  await publish();
  await seller.delivered(2);
  expect(await seller.statuses()).toEqual(['delivered', 'delivered']);
  expect(await harness.query('select from dead_letters')).toEqual([]);
});

test('a table that a killed process has detached and not dropped is dropped by the next run', async () => {
  const { name } = await expiredDay();
  await harness.query(`alter table event_bodies detach partition ${name} concurrently`);
  expect([await exists(name), await attached(name)]).toEqual([true, false]);
  await drop();
  expect(await exists(name)).toBe(false);
});

test('a partition whose detaching was interrupted is detached and dropped by the next run', async () => {
  const { name, eventId } = await expiredDay();
  // A transaction that reads the table makes the detaching wait; then its session is ended, as by a kill.
  await harness.transaction(async (client) => {
    await client.query('select from event_bodies where event_id = $1', [eventId]);
    const detaching = expect(
      harness.query(`alter table event_bodies detach partition ${name} concurrently`),
    ).rejects.toThrow('terminat');
    const pending = 'select from pg_inherits where inhrelid = to_regclass($1) and inhdetachpending';
    await pollSystem(`${name} being detached`, async () => (await harness.query(pending, [name])).length === 1);
    await harness.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query like 'alter table event_bodies detach%'`,
    );
    await detaching;
  });
  await drop();
  expect(await exists(name)).toBe(false);
});

test('of two replicas that drop at once, both finish and the expired partitions are gone', async () => {
  const { name } = await expiredDay();
  await Promise.all([drop(), drop(), drop()]);
  await drop();
  expect(await exists(name)).toBe(false);
});

test('dropping a partition waits for no writer and makes none wait', async () => {
  const { name } = await expiredDay();
  const account = harness.account();
  await harness.transaction(async (client) => {
    const eventId = newId('event', harness.clock.nowMs());
    await harness.partitions.cover([eventId]);
    await client.query(`insert into event_bodies (event_id, account_id, body) values ($1, $2, '{}')`, [
      eventId,
      account,
    ]);
    const dropping = drop();
    // Others write while the detaching waits for this transaction to end.
    const detaching = `select from pg_stat_activity
      where datname = current_database() and query like 'alter table event_bodies detach%' and wait_event_type = 'Lock'`;
    await pollSystem('the detaching after this transaction', async () => (await harness.query(detaching)).length === 1);
    await anEvent(harness, account);
    await client.query('commit');
    await client.query('begin; set local idle_in_transaction_session_timeout = 0');
    await dropping;
  });
  expect(await exists(name)).toBe(false);
  expect(await harness.query('select from event_bodies where account_id = $1', [account])).toHaveLength(2);
});

test('the bodies of claimed deliveries are read from the partitions of their days alone, by a plan made once', async () => {
  const ms = laterMs();
  const ids = Array.from({ length: 40 }, (_, n) => newId('event', ms + n * dayMs));
  await harness.partitions.cover(ids);
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query('set local plan_cache_mode = force_generic_plan');
    await client.query(`prepare bodies as ${bodiesStatement([]).text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute bodies (array['${ids[3]}', '${ids[4]}'], '${ids[3]}', '${ids[4]}')`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan.match(/Index Scan/g)).toHaveLength(2);
    expect(plan).toMatch(/Subplans Removed: \d\d/);
  } finally {
    await client.query('rollback');
    client.release();
  }
});
