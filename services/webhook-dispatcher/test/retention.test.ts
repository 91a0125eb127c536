import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import { dayMs } from '@app/contracts/durations';
import { idFloor, newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { listActivity } from '@app/contracts/webhook-deliveries';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { silentLogger } from '@app/service-kit/logger';
import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { dueStatement, markDueStatement } from '../src/deliveries/claim-deliveries.ts';
import { applyRetention } from '../src/retention/apply-retention.ts';
import { giveUpStatement } from '../src/retention/give-up-waiting.ts';
import { bodyKeepDays, deliveryKeepDays, recordKeepDays } from '../src/storage/partition.rules.ts';
import { handled, stored } from './harness.ts';
import { anOrder } from './orders.ts';
import { harness, seller, sellerForEachTest, startService, unansweredOrder } from './set-up.ts';

startService();
sellerForEachTest();

const retain = () => applyRetention({ ...harness, logger: silentLogger() });
const of = async <Row>(table: string) =>
  await harness.query<Row>(`select * from ${table} where account_id = $1`, [seller.account]);
const activity = async (filter: { endpointId?: string } = {}) =>
  (await harness.request(listActivity, seller.account, filter)).data;
const monthDays = 31;

test('bodies and responses are dropped after 30 days, all other records with their month after 13 months', async () => {
  seller.receiver.respondWith(() => ({ status: 200, body: 'thanks' }));
  await seller.publish();
  const unmatched = { orderId: 'ord_1', code: 'UNKNOWN', test: false };
  await handled(await harness.publish(affiliateCodeUnmatched, seller.account, unmatched));
  await seller.tried(1);
  expect(await activity()).toHaveLength(2);
  harness.clock.advance(bodyKeepDays * dayMs);
  await retain();
  expect(await of('event_bodies')).toMatchObject([{ body: expect.stringContaining('order.paid') }]);
  expect(await of('attempt_responses')).toMatchObject([{ response: 'thanks' }]);
  harness.clock.advance(dayMs);
  await retain();
  for (const table of ['event_bodies', 'attempt_responses']) expect(await of(table)).toEqual([]);
  expect(await of('attempts')).toMatchObject([{ outcome: 'delivered' }]);
  expect(await activity()).toHaveLength(2);
  harness.clock.advance((recordKeepDays - bodyKeepDays - 1) * dayMs);
  await retain();
  expect(await activity()).toHaveLength(2);
  harness.clock.advance(monthDays * dayMs);
  await retain();
  expect(await activity()).toEqual([]);
  expect(await of('finished_deliveries')).toHaveLength(1);
  harness.clock.advance((deliveryKeepDays - recordKeepDays) * dayMs);
  await retain();
  for (const table of ['events', 'finished_deliveries', 'attempts', 'notices']) expect(await of(table)).toEqual([]);
});

test('a delivery that still waits when its body is dropped is given up, and Recent activity says so', async () => {
  await seller.put({ active: false });
  for (let n = 0; n < 3; n += 1) await stored(await seller.publish());
  expect(await seller.statuses()).toEqual(['held', 'held', 'held']);
  harness.clock.advance((bodyKeepDays + 1) * dayMs);
  await stored(await seller.publish());
  expect(await seller.statuses()).toHaveLength(4);
  await retain();
  expect(await seller.statuses()).toEqual(['failed', 'failed', 'failed', 'held']);
  expect(await of('finished_deliveries')).toMatchObject(Array(3).fill({ status: 'failed', reason: 'expired' }));
  expect(await of('event_bodies')).toHaveLength(1);
  const { id: endpointId } = await harness.request(getWebhookEndpoint, seller.account, {});
  expect((await activity({ endpointId })).map((entry) => entry.summary)).toEqual([
    expect.stringMatching(/^3 deliveries to http.*, made from .* to .*, are given up after waiting for 30 days$/),
  ]);
  await seller.put({ active: true });
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['failed', 'failed', 'failed', 'delivered']);
  expect(seller.receiver.requests).toHaveLength(1);
});

test('what waited for 30 days for a URL that was never connected is given up without a notice', async () => {
  const account = harness.account();
  await stored(await harness.publish(orderPaid, account, anOrder(harness.clock.nowMs())));
  const status = async (table: string) =>
    (await harness.query<{ status: string }>(`select status from ${table} where account_id = $1`, [account]))[0]
      ?.status;
  expect(await status('deliveries')).toBe('held');
  harness.clock.advance((bodyKeepDays + 1) * dayMs);
  await retain();
  expect(await status('finished_deliveries')).toBe('failed');
  expect(await harness.request(listActivity, account, {})).toEqual({ data: [] });
});

test('a delivery in flight keeps its body until it is recorded', async () => {
  const { answer } = await unansweredOrder();
  harness.clock.advance((bodyKeepDays + 1) * dayMs);
  await retain();
  expect(await of('event_bodies')).toMatchObject([{ body: expect.stringContaining('order.paid') }]);
  answer();
  await seller.delivered();
  await retain();
  expect(await of('event_bodies')).toEqual([]);
});

test('a delivery whose body is gone is given up, and nothing empty is sent', async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  await seller.publish();
  await seller.tried(1);
  expect(await seller.statuses()).toEqual(['pending']);
  await harness.query('delete from event_bodies where account_id = $1', [seller.account]);
  harness.clock.advance(6_001);
  await harness.afterRound('deliveries');
  expect(await seller.statuses()).toEqual(['failed']);
  expect(await of('finished_deliveries')).toMatchObject([{ reason: 'expired', attempts: 1 }]);
  expect(seller.receiver.requests).toHaveLength(1);
});

test('ids sort at the floor of their time', () => {
  const nowMs = Date.parse('2031-05-06T07:08:09.123Z');
  expect(newId('attempt', nowMs) > idFloor('attempt', nowMs)).toBe(true);
  expect(newId('attempt', nowMs - 2_000) < idFloor('attempt', nowMs)).toBe(true);
});

/** How many pages a statement reads; its changes are rolled back. */
async function pagesRead(text: string, values: unknown[]): Promise<number> {
  const client = await harness.database.pool.connect();
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

/** Fills thousands of pages with deliveries whose retries are not due, each of an endpoint of its own. */
async function addManyWaiting(): Promise<void> {
  await harness.query(
    `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, next_attempt_at, due, created_at)
     select $1::text || lpad(n::text, 8, '0'), 'evt_none', 'whe_' || n, $2, 'order.paid', false, 'pending', '2099-01-01',
       false, now()
     from generate_series(1, $3::int) as n`,
    [newId('delivery', harness.clock.nowMs()).slice(0, -8), seller.account, volume(10_000, 50_000)],
  );
  await harness.query('analyze deliveries');
}

test('beside thousands of retries that are not due, searching for due deliveries and for expired ones reads few pages', async () => {
  await addManyWaiting();
  const now = harness.clock.now();
  const before = idFloor('delivery', now.getTime() - bodyKeepDays * dayMs);
  for (const query of [
    markDueStatement([now, 1_000]),
    dueStatement(['', -1, now, 1_000]),
    giveUpStatement([before, now, 1_000]),
  ])
    expect(await pagesRead(query.text, query.values ?? [])).toBeLessThan(60);
});
