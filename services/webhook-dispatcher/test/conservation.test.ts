import { join } from 'node:path';
import { deleteWebhookEndpoint, putWebhookEndpoint } from '@app/contracts/webhooks';
import { silentLogger } from '@app/service-kit/logger';
import { metricsPage } from '@app/service-kit/metrics';
import { startTelemetry, type Telemetry } from '@app/service-kit/telemetry';
import { spawnNode } from '@app/testing/child-service';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Harness, startHarness } from './harness.ts';
import { connectedAccount } from './orders.ts';
import type { Seller } from './set-up.ts';

guardLeaks();
vi.setConfig({ testTimeout: 120_000 });
let telemetry: Telemetry;
let harness: Harness;
let seller: Seller;
beforeAll(async () => {
  telemetry = await startTelemetry({ version: '1', metricsPage: true, logger: silentLogger() });
  harness = await startHarness({ CONSERVATION_SECONDS: '1' });
});
beforeEach(async () => {
  seller = await connectedAccount(harness);
});
afterAll(async () => {
  await harness.close();
  await telemetry.shutdown();
});

const within = { withinMs: 20_000 };
const of = async <Row>(table: string) =>
  await harness.query<Row>(`select * from ${table} where account_id = $1 order by id`, [seller.account]);
/** Deletes all of the account's rows; triggers and keys know nothing of it. */
const lose = (table: string) => harness.query(`delete from ${table} where account_id = $1`, [seller.account]);
const become = (status: string, count = 1) =>
  eventually(async () => expect(await seller.statuses()).toEqual(Array(count).fill(status)), within);
/** Waits until the new events of the account were proved. */
const proved = () =>
  eventually(async () => {
    const text = `select from account_logs l join proved_accounts p using (account_id)
      where account_id = $1 and p.sequence = l.last_sequence`;
    return (await harness.query(text, [seller.account])).length === 1;
  }, within);
const figure = async (name: string) => {
  const line = new RegExp(`^${name}\\{.*\\} (.*)$`, 'm').exec(await metricsPage());
  return line === null ? undefined : Number(line[1]);
};

test('a lost row of a delivery that waits is made again, and delivered under the same webhook-id', async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  const id = await seller.publish();
  await become('pending');
  const [before] = await of<{ id: string }>('deliveries');
  // It is made again in the run that finds it, and shows for a few runs all the same.
  const shown = eventually(async () => expect(await figure('webhook_conservation_gap')).toBe(1), within);
  await lose('deliveries');
  seller.receiver.respondWith(() => ({ status: 200 }));
  await Promise.all([shown, become('delivered')]);
  expect(seller.received()).toEqual([id, id]);
  expect(await of('finished_deliveries')).toMatchObject([{ id: before?.id, event_id: id, attempts: 2 }]);
  expect(await of('lost_deliveries')).toMatchObject([
    { id: before?.id, became: 'pending', repaired_at: expect.any(Date) },
  ]);
  expect(await of('conservation_gaps')).toMatchObject([{ gap: 1, events: 1, deliveries: 1, pending: 0 }]);
  await eventually(async () => expect(await figure('webhook_conservation_gap')).toBe(0), within);
  await eventually(async () => expect(await figure('webhook_conservation_repaired_total')).toBe(1), within);
  expect(await figure('webhook_conservation_age_seconds')).toBeLessThan(60);
});

test('a lost row of a delivery that was finished long ago is found in the round, and delivered under the same webhook-id', async () => {
  const id = await seller.publish();
  await become('delivered');
  await proved();
  const [before] = await of<{ id: string }>('finished_deliveries');
  await lose('finished_deliveries');
  await become('delivered');
  expect(seller.received()).toEqual([id, id]);
  expect(await of('finished_deliveries')).toMatchObject([{ id: before?.id }]);
});

test.each([
  ['canceled', 'removed', () => harness.ask(deleteWebhookEndpoint, seller.account, {})],
  ['failed', 'expired', () => lose('event_bodies')],
  [
    'filtered',
    'filtered',
    () => harness.ask(putWebhookEndpoint, seller.account, { body: { url: seller.url, events: ['affiliate.paid'] } }),
  ],
])('a lost row becomes %s where nothing can or may be sent any more: %s', async (status, reason, change) => {
  await seller.publish();
  await become('delivered');
  await change();
  await lose('finished_deliveries');
  await become(status);
  expect(await of('finished_deliveries')).toMatchObject([{ status, reason, attempts: 1 }]);
  expect(seller.received()).toHaveLength(1);
});

test('a lost event is a gap in the account’s log: it stays in the metric until somebody has dealt with it', async () => {
  for (let n = 0; n < 3; n += 1) await seller.publish();
  await become('delivered', 3);
  await harness.query('delete from events where account_id = $1 and sequence = 2', [seller.account]);
  const lost = () => harness.query('select sequence from lost_events where account_id = $1', [seller.account]);
  await eventually(async () => expect(await lost()).toEqual([{ sequence: 2 }]), within);
  expect((await of<{ lost_events: number }>('conservation_gaps'))[0]).toMatchObject({ gap: 0, lost_events: 1 });
  await eventually(async () => expect(await figure('webhook_conservation_gap')).toBe(1), within);
  await harness.query('update lost_events set settled_at = now() where account_id = $1', [seller.account]);
  await eventually(async () => expect(await figure('webhook_conservation_gap')).toBe(0), within);
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
  await become('delivered');
  await harness.running.service.close();
  await lose('finished_deliveries');
  await harness.transaction(async (client) => {
    // The process may take longer to start than a session may do nothing.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    await client.query(lock);
    const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
    await eventually(async () => {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and query like $1
        and datname = current_database()`;
      return (await harness.query(text, [`${waiting}%`])).length > 0;
    }, within).finally(() => child.kill('SIGKILL'));
  });
  expect(await of('lost_deliveries')).toHaveLength(found);
  expect(await of('finished_deliveries')).toEqual([]);
  harness.running.service = await harness.start();
  await become('delivered');
  expect(await of('lost_deliveries')).toMatchObject([{ became: 'pending' }]);
  await eventually(() => expect(seller.received()).toEqual([id, id]), within);
});
