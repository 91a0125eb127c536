import { join } from 'node:path';
import { deleteWebhookEndpoint, putWebhookEndpoint } from '@app/contracts/webhooks';
import { silentLogger } from '@app/service-kit/logger';
import { metricsPage } from '@app/service-kit/metrics';
import { startTelemetry, type Telemetry } from '@app/service-kit/telemetry';
import { spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { listen } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { conservationProved } from '../src/points/points.ts';
import { proveConservation } from '../src/repair/prove-conservation.ts';
import { type Harness, startHarness } from './harness.ts';
import { connectedAccount } from './orders.ts';
import type { Seller } from './set-up.ts';

guardLeaks();
vi.setConfig({ testTimeout: 120_000 });
/** Of the service: each test says itself when a run is due. */
const intervalSeconds = 3_600;
let telemetry: Telemetry;
let harness: Harness;
let seller: Seller;
beforeAll(async () => {
  telemetry = await startTelemetry({ version: '1', metricsPage: true, logger: silentLogger() });
  harness = await startHarness({ CONSERVATION_SECONDS: String(intervalSeconds) });
});
beforeEach(async () => {
  seller = await connectedAccount(harness);
});
afterAll(async () => {
  await harness.close();
  await telemetry.shutdown();
});

const of = async <Row>(table: string) =>
  await harness.query<Row>(`select * from ${table} where account_id = $1 order by id`, [seller.account]);
/** Deletes all of the account's rows; triggers and keys know nothing of it. */
const lose = (table: string) => harness.query(`delete from ${table} where account_id = $1`, [seller.account]);
const makeRunDue = () => harness.query('update conservation set next_run_at = now()');
/** A run: proves all new events, and all older ones. */
async function prove(): Promise<void> {
  await makeRunDue();
  const { database, partitions, clock } = harness;
  const deps = { database, partitions, clock, logger: silentLogger(), intervalSeconds };
  expect(await proveConservation(deps, () => false)).toBe(true);
}
async function restart(): Promise<void> {
  await harness.running.service.close();
  harness.running.service = await harness.start();
}
/** A new process reads its figures anew; a running one remembers them for a while. */
async function figures() {
  await restart();
  const page = await metricsPage();
  const figure = (name: string) => {
    const line = new RegExp(`^webhook_conservation_${name}\\{.*\\} (.*)$`, 'm').exec(page);
    return line === null ? undefined : Number(line[1]);
  };
  return { gap: figure('gap'), repaired: figure('repaired_total'), age: figure('age_seconds') };
}
/** The runs pass for which a delivery that was made again is shown. */
const letRunsPass = () =>
  harness.query('update lost_deliveries set repaired_at = repaired_at - make_interval(secs => $1)', [
    5 * intervalSeconds,
  ]);

test('a lost row of a delivery that waits is made again, and delivered under the same webhook-id', async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  const id = await seller.publish();
  await seller.tried(1);
  const [before] = await of<{ id: string }>('deliveries');
  await lose('deliveries');
  seller.receiver.respondWith(() => ({ status: 200 }));
  await prove();
  harness.wake();
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['delivered']);
  expect(seller.received()).toEqual([id, id]);
  expect(await of('finished_deliveries')).toMatchObject([{ id: before?.id, event_id: id, attempts: 2 }]);
  expect(await of('lost_deliveries')).toMatchObject([
    { id: before?.id, became: 'pending', repaired_at: expect.any(Date) },
  ]);
  expect(await of('conservation_gaps')).toMatchObject([{ gap: 1, events: 1, deliveries: 1, pending: 0 }]);
  // It was made again in the run that found it, and shows for a few runs all the same.
  expect(await figures()).toEqual({ gap: 1, repaired: 1, age: expect.toSatisfy((seconds) => seconds < 60) });
  await letRunsPass();
  expect(await figures()).toMatchObject({ gap: 0, repaired: 1 });
});

test('a lost row of a delivery that was finished long ago is found in the round, and delivered under the same webhook-id', async () => {
  const id = await seller.publish();
  await seller.delivered();
  await prove();
  const [before] = await of<{ id: string }>('finished_deliveries');
  await lose('finished_deliveries');
  await prove();
  harness.wake();
  await seller.delivered(2);
  expect(await seller.statuses()).toEqual(['delivered']);
  expect(seller.received()).toEqual([id, id]);
  expect(await of('finished_deliveries')).toMatchObject([{ id: before?.id }]);
});

test.each([
  ['canceled', 'removed', () => harness.request(deleteWebhookEndpoint, seller.account, {})],
  ['failed', 'expired', () => lose('event_bodies')],
  [
    'filtered',
    'filtered',
    () =>
      harness.request(putWebhookEndpoint, seller.account, { body: { url: seller.url, events: ['affiliate.paid'] } }),
  ],
])('a lost row becomes %s where nothing can or may be sent any more: %s', async (status, reason, change) => {
  await seller.publish();
  await seller.delivered();
  await change();
  await lose('finished_deliveries');
  await prove();
  expect(await seller.statuses()).toEqual([status]);
  expect(await of('finished_deliveries')).toMatchObject([{ status, reason, attempts: 1 }]);
  expect(seller.received()).toHaveLength(1);
});

test('a lost event is a gap in the account’s log: it stays in the metric until it is marked as dealt with', async () => {
  for (let n = 0; n < 3; n += 1) await seller.publish();
  await seller.delivered(3);
  await harness.query('delete from events where account_id = $1 and sequence = 2', [seller.account]);
  await prove();
  expect(await harness.query('select sequence from lost_events where account_id = $1', [seller.account])).toEqual([
    { sequence: 2 },
  ]);
  expect((await of<{ lost_events: number }>('conservation_gaps'))[0]).toMatchObject({ gap: 0, lost_events: 1 });
  await letRunsPass();
  expect((await figures()).gap).toBe(1);
  await harness.query('update lost_events set explained_at = now() where account_id = $1', [seller.account]);
  expect((await figures()).gap).toBe(0);
});

const main = join(import.meta.dirname, '../src/main.ts');
test.each([
  // The process has proved, and its transaction waits to write what is lost.
  ['in the middle of a proof', 'lock table lost_deliveries in exclusive mode', 'with gap as', 0],
  // What is lost is written, and the row waits to be made again.
  ['between finding and making again', 'lock table deliveries in share mode', 'with remade as', 1],
])('a lost row is made again once, though the process is killed %s', async (_, lock, waiting, found) => {
  // The child runs in real time.
  harness.clock.set(new Date());
  const id = await seller.publish();
  await seller.delivered();
  await harness.running.service.close();
  await lose('finished_deliveries');
  await makeRunDue();
  await harness.transaction(async (client) => {
    await client.query(lock);
    const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
    await pollSystem('the statement that waits for the lock', async () => {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and query like $1
        and datname = current_database()`;
      return (await harness.query(text, [`${waiting}%`])).length > 0;
    }).finally(() => child.kill('SIGKILL'));
  });
  expect(await of('lost_deliveries')).toHaveLength(found);
  expect(await of('finished_deliveries')).toEqual([]);
  await makeRunDue();
  const { announced } = listen();
  harness.running.service = await harness.start();
  await announced(conservationProved, ({ isComplete }) => isComplete);
  expect(await of('lost_deliveries')).toMatchObject([{ became: 'pending' }]);
  harness.wake();
  await seller.delivered(2);
  expect(await seller.statuses()).toEqual(['delivered']);
  expect(seller.received()).toEqual([id, id]);
});
