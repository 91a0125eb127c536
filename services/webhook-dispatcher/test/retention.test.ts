import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import { idFloor, newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { listActivity, putWebhookEndpoint } from '@app/contracts/webhooks';
import { type Database, openDatabase } from '@app/service-kit/database';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { dueStatement, markDueStatement } from '../src/deliveries/claim-deliveries.ts';
import { applyRetention } from '../src/retention/apply-retention.ts';
import { bodyKeepDays, cutoffId, deliveryKeepDays, recordKeepDays, steps } from '../src/retention/steps.ts';
import { type Harness, startHarness } from './harness.ts';
import { anOrder, connectedAccount } from './orders.ts';

guardLeaks();
vi.setConfig({ testTimeout: 60_000 });
const dayMs = 24 * 60 * 60 * 1000;
let harness: Harness;
let database: Database;
let seller: Awaited<ReturnType<typeof connectedAccount>>;
beforeAll(async () => {
  harness = await startHarness();
  database = await openDatabase(databaseOptions(harness.env.DATABASE_URL));
});
beforeEach(async () => {
  seller = await connectedAccount(harness);
});
afterEach(() => seller.receiver.close());
afterAll(async () => {
  await database.close();
  await harness.close();
});

const retain = () => applyRetention(database, harness.clock);
const of = async <Row>(table: string) =>
  await harness.query<Row>(`select * from ${table} where account_id = $1 order by id`, [seller.account]);
const activity = async () => (await harness.ask(listActivity, seller.account, {})).data;
const publish = () => harness.publish(orderPaid, seller.account, anOrder(harness.clock.nowMs()));

test('bodies and response excerpts are cleared after 30 days, all other records are deleted after 13 months', async () => {
  seller.receiver.respondWith(() => ({ status: 200, body: 'thanks' }));
  await publish();
  await harness.publish(affiliateCodeUnmatched, seller.account, { orderId: 'ord_1', code: 'NOBODY', test: false });
  await eventually(async () => expect(await activity()).toHaveLength(2));
  harness.clock.advance((bodyKeepDays - 1) * dayMs);
  await retain();
  expect((await of<{ body: string }>('events'))[0]?.body).toContain('order.paid');
  harness.clock.advance(2 * dayMs);
  await retain();
  expect(await of('events')).toMatchObject([{ body: '' }]);
  expect(await of('attempts')).toMatchObject([{ response_excerpt: null, outcome: 'delivered' }]);
  expect(await activity()).toHaveLength(2);
  harness.clock.advance((recordKeepDays - bodyKeepDays) * dayMs);
  await retain();
  expect(await activity()).toEqual([]);
  expect(await of('deliveries')).toHaveLength(1);
  harness.clock.advance((deliveryKeepDays - recordKeepDays) * dayMs);
  await retain();
  for (const table of ['events', 'deliveries', 'attempts', 'notices']) expect(await of(table)).toEqual([]);
});

test('a delivery that still waits when its body is cleared is given up, and Recent activity says so', async () => {
  await harness.ask(putWebhookEndpoint, seller.account, { body: { url: seller.url, active: false } });
  for (let n = 0; n < 3; n += 1) await publish();
  await eventually(async () => expect(await seller.statuses()).toEqual(['held', 'held', 'held']));
  harness.clock.advance((bodyKeepDays + 1) * dayMs);
  await publish();
  await eventually(async () => expect(await seller.statuses()).toHaveLength(4));
  await retain();
  expect(await seller.statuses()).toEqual(['failed', 'failed', 'failed', 'held']);
  expect((await activity()).map((entry) => entry.summary)).toEqual([
    expect.stringMatching(/^3 deliveries to http.*, made from .* to .*, are given up after waiting for 30 days$/),
  ]);
  await harness.ask(putWebhookEndpoint, seller.account, { body: { url: seller.url, active: true } });
  await eventually(async () => expect(await seller.statuses()).toEqual(['failed', 'failed', 'failed', 'delivered']));
  expect(seller.receiver.requests).toHaveLength(1);
});

test('a delivery in flight keeps its body until it is recorded', async () => {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  await publish();
  await eventually(() => expect(seller.receiver.requests).toHaveLength(1));
  harness.clock.advance((bodyKeepDays + 1) * dayMs);
  await retain();
  expect((await of<{ body: string }>('events'))[0]?.body).toContain('order.paid');
  gate.resolve();
  await eventually(async () => expect(await seller.statuses()).toEqual(['delivered']));
  await retain();
  expect(await of('events')).toMatchObject([{ body: '' }]);
});

test('ids sort at the floor of their time', () => {
  const nowMs = Date.parse('2031-05-06T07:08:09.123Z');
  expect(newId('attempt', nowMs) > idFloor('attempt', nowMs)).toBe(true);
  expect(newId('attempt', nowMs - 2_000) < idFloor('attempt', nowMs)).toBe(true);
});

/** How many pages a statement reads; its changes are rolled back. */
async function pagesRead(text: string, values: unknown[]): Promise<number> {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
    const plan = rows[0]['QUERY PLAN'][0].Plan;
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Fills thousands of pages with deliveries that are delivered or pending, each of an endpoint of its own. */
async function addMany(status: 'delivered' | 'pending', count: number): Promise<void> {
  await harness.query(
    `insert into deliveries (id, event_id, endpoint_id, account_id, status, next_attempt_at, due, created_at)
     select $1::text || lpad(n::text, 8, '0'), 'evt_none', 'whe_' || n, $2, $3, '2099-01-01', $3 <> 'pending', now()
     from generate_series(1, $4::int) as n`,
    [newId('delivery', harness.clock.nowMs()), seller.account, status, count],
  );
}

test('a step with nothing to do reads few pages, before its first row and after its last', async () => {
  await addMany('delivered', 50_000);
  await harness.query(
    `insert into attempts (id, account_id, delivery_id, number, created_at, url, duration_ms, response_excerpt)
     select replace(id, 'dlv_', 'att_'), account_id, id, 1, created_at, 'u', 1, 'x' from deliveries where account_id = $1`,
    [seller.account],
  );
  await harness.query('analyze deliveries, attempts, notices, events');
  const expectFew = async (nowMs: number) => {
    for (const step of steps) {
      const [row] = await harness.query<{ done_until: string }>('select done_until from retention where step = $1', [
        step.name,
      ]);
      const pages = await pagesRead(step.text, [row?.done_until, cutoffId(step, nowMs), 1_000]);
      expect({ step: step.name, pages }).toEqual({ step: step.name, pages: expect.toSatisfy((n: number) => n < 60) });
    }
  };
  await expectFew(harness.clock.nowMs());
  harness.clock.advance((bodyKeepDays + 1) * dayMs);
  await retain();
  await expectFew(harness.clock.nowMs());
});

test('the search for due deliveries reads no row of 50,000 endpoints whose retries are not due', async () => {
  await addMany('pending', 50_000);
  await harness.query('analyze deliveries');
  for (const query of [markDueStatement([harness.clock.now(), 1_000]), dueStatement(['', harness.clock.now(), 1_000])])
    expect(await pagesRead(query.text, query.values ?? [])).toBeLessThan(60);
});
