import { funnelEmailSynced } from '@app/contracts/funnels';
import { getRecovery, listDeliveries, listRecoveries } from '@app/contracts/webhook-deliveries';
import { sendTestWebhook } from '@app/contracts/webhook-tests';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { eventually } from '@app/testing/eventually';
import { expect, test, vi } from 'vitest';
import { inLineMax, recoveryPerSecond } from '../src/repair/feed.rules.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { deliveriesOf } from './stored.ts';

startService();
sellerForEachTest();
vi.setConfig({ testTimeout: 60_000 });
const withinMs = 30_000;

const publishMany = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await seller.publish());
  await eventually(async () => expect(await deliveriesOf(harness, seller.account)).toHaveLength(count), { withinMs });
  return ids;
};
const newest = async () => {
  const { data } = await harness.ask(listRecoveries, seller.account, {});
  return data[0] as (typeof data)[number];
};

test('a few held events are sent at once, and the endpoint says that they are', async () => {
  await seller.put({ active: false });
  const ids = await publishMany(recoveryPerSecond);
  expect(seller.received()).toEqual([]);
  const on = await seller.put({ active: true });
  const recovery = await newest();
  expect(on.recovery_id).toBe(recovery.id);
  expect(recovery).toMatchObject({ endpoint_id: on.id, kind: 'held', which: 'all', since: null });
  // One batch, so it does not wait for the next second.
  const all = { total: ids.length, queued: ids.length, delivered: ids.length };
  await eventually(async () =>
    expect(await harness.ask(getRecovery, seller.account, { recoveryId: recovery.id })).toMatchObject(all),
  );
  expect(new Set(seller.received())).toEqual(new Set(ids));
  await eventually(async () => expect((await newest()).status).toBe('done'));
  expect((await harness.ask(getWebhookEndpoint, seller.account, {})).recovery_id).toBeNull();
});

test('switched off in the middle, the rest stays held, and switched on again everything is sent once', async () => {
  await seller.put({ active: false });
  const ids = await publishMany(3 * recoveryPerSecond);
  await seller.put({ active: true });
  // After the first batch it goes on so slowly that it is not over, however late the next change comes.
  await harness.query('update recoveries set per_second = 1 where account_id = $1', [seller.account]);
  const first = await newest();
  await eventually(() => seller.received().length > 0);
  await seller.put({ active: false });
  await eventually(async () => expect(new Set(await seller.statuses())).toEqual(new Set(['delivered', 'held'])));
  expect(await newest()).toMatchObject({ id: first.id, status: 'canceled' });
  await seller.put({ active: true });
  await eventually(async () => expect(await seller.statuses()).toEqual(ids.map(() => 'delivered')), { withinMs });
  expect(seller.received().sort()).toEqual(ids.toSorted());
});

test('of what is held, `orders` sends the events of orders, and the others are dropped', async () => {
  await seller.put({ active: false });
  const email = {
    productId: 'prd_1',
    productSlug: 'a',
    productName: 'A',
    position: 1,
    sendDay: 0,
    subject: 'x',
    body: '',
  };
  await harness.publish(funnelEmailSynced, seller.account, email);
  const id = await seller.publish();
  await eventually(async () => expect(await seller.statuses()).toEqual(['held', 'held']));
  await seller.put({ active: true, held: 'orders' });
  await eventually(async () => expect((await seller.statuses()).toSorted()).toEqual(['canceled', 'delivered']));
  expect(seller.received()).toEqual([id]);
  expect(await newest()).toMatchObject({ kind: 'held', which: 'orders', total: 1, delivered: 1 });
  const [dropped] = (await deliveriesOf(harness, seller.account)).filter(({ status }) => status === 'canceled');
  expect(dropped?.reason).toBe('discarded');
});

test.each(['send', 'orders'] as const)(
  'a test send that failed before the endpoint went off is no part of what is held (%s)',
  async (held) => {
    seller.receiver.respondWith(() => ({ status: 500 }));
    const body = { event: 'order.refunded' as const };
    const { event_id: tested } = await harness.ask(sendTestWebhook, seller.account, { endpointId, body });
    await eventually(async () => expect(await seller.statuses()).toEqual(['pending']));
    await seller.put({ active: false });
    const ids = [await seller.publish({ test: true }), await seller.publish()];
    await eventually(async () => expect(await seller.statuses()).toEqual(['held', 'held', 'held']));
    const [, first] = await harness.ask(listDeliveries, seller.account, {}).then(({ data }) => data);
    expect((await harness.ask(getWebhookEndpoint, seller.account, {})).held).toEqual({
      ...{ count: 2, more: false, oldest_at: first?.created_at },
    });
    seller.receiver.respondWith(() => ({ status: 200 }));
    await seller.put({ active: true, held });
    await eventually(async () => expect(await seller.statuses()).toEqual(['canceled', 'delivered', 'delivered']));
    expect(seller.received()).toEqual([tested, ...ids]);
    await eventually(async () =>
      expect(await newest()).toMatchObject({ status: 'done', total: 2, queued: 2, delivered: 2 }),
    );
    const { data } = await harness.ask(listDeliveries, seller.account, { eventId: tested });
    expect(data).toMatchObject([{ status: 'canceled', reason: expect.stringContaining('test sends are not') }]);
  },
);

test('while held events are released to a slow receiver, a fresh one goes before those in line', async () => {
  await seller.put({ active: false });
  const held = new Set(await publishMany(inLineMax));
  seller.receiver.respondWith((request) => ({
    status: 200,
    delayMs: held.has(request.headers['webhook-id'] as string) ? 400 : 0,
  }));
  await seller.put({ active: true });
  await harness.query('update recoveries set per_second = 10000 where account_id = $1', [seller.account]);
  await eventually(async () => (await newest()).queued === inLineMax, { withinMs });
  const fresh = await seller.publish();
  await eventually(() => expect(seller.received()).toContain(fresh), { withinMs });
  expect(seller.received().indexOf(fresh)).toBeLessThan(inLineMax / 2);
  seller.receiver.respondWith(() => ({ status: 200 }));
  await eventually(async () => expect((await newest()).delivered).toBe(inLineMax), { withinMs });
});
