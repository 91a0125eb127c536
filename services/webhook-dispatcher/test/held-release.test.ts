import { funnelEmailSynced } from '@app/contracts/funnels';
import { getRecovery, listDeliveries, listRecoveries } from '@app/contracts/webhook-deliveries';
import { sendTestWebhook } from '@app/contracts/webhook-tests';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { announced } from '@app/testing/points';
import { expect, test } from 'vitest';
import { deliveriesReleased } from '../src/points/points.ts';
import { recoveryPerSecond } from '../src/repair/batch-size.rules.ts';
import { changesApplied, finished, stored } from './harness.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { deliveriesOf } from './stored.ts';

startService();
sellerForEachTest();

const publishMany = async (count: number): Promise<string[]> => {
  const ids = await Promise.all(Array.from({ length: count }, () => seller.publish()));
  await Promise.all(ids.map(stored));
  return ids;
};
const newest = async () => {
  const { data } = await harness.request(listRecoveries, seller.account, {});
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
  await seller.delivered(ids.length);
  expect(await harness.request(getRecovery, seller.account, { recoveryId: recovery.id })).toMatchObject(all);
  expect(new Set(seller.received())).toEqual(new Set(ids));
  await finished(recovery.id);
  expect((await newest()).status).toBe('done');
  expect((await harness.request(getWebhookEndpoint, seller.account, {})).recovery_id).toBeNull();
});

test('switched off in the middle, the rest stays held, and switched on again everything is sent once', async () => {
  await seller.put({ active: false });
  const ids = await publishMany(recoveryPerSecond + 10);
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  // With its first batch it becomes so slow that it is not over, however late the next change comes.
  await harness.query(`create function slow_down() returns trigger language plpgsql as
      $$ begin new.per_second := 1; return new; end $$;
    create trigger slow_down before update on recoveries for each row
      when (old.queued = 0 and new.queued > 0) execute function slow_down()`);
  await seller.put({ active: true });
  const first = await newest();
  await seller.receiver.received(1);
  await seller.put({ active: false });
  // What waited in memory is held by the next claim.
  const own = new Set((await deliveriesOf(harness, seller.account)).map(({ id }) => id));
  await announced(deliveriesReleased, ({ deliveryIds }) => deliveryIds.some((id) => own.has(id)));
  await harness.afterRound('deliveries');
  const inFlight = seller.receiver.requests.length;
  gate.resolve();
  await seller.delivered(inFlight);
  // Of what waited in memory some is held by a later claim.
  const isSettled = async () =>
    (await seller.statuses()).every((status) => status === 'delivered' || status === 'held');
  for (let rounds = 0; rounds < 20 && !(await isSettled()); rounds += 1) await harness.afterRound('deliveries');
  expect(new Set(await seller.statuses())).toEqual(new Set(['delivered', 'held']));
  expect(await newest()).toMatchObject({ id: first.id, status: 'canceled' });
  await harness.query('drop function slow_down cascade');
  await seller.put({ active: true });
  await harness.query('update recoveries set per_second = 10000 where account_id = $1', [seller.account]);
  await seller.delivered(ids.length);
  expect(await seller.statuses()).toEqual(ids.map(() => 'delivered'));
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
  await stored(await harness.publish(funnelEmailSynced, seller.account, email));
  const [id] = await publishMany(1);
  expect(await seller.statuses()).toEqual(['held', 'held']);
  await seller.put({ active: true, held: 'orders' });
  await changesApplied(endpointId, 2);
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['canceled', 'delivered']);
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
    const { event_id: tested } = await harness.request(sendTestWebhook, seller.account, { endpointId, body });
    await seller.tried(1);
    expect(await seller.statuses()).toEqual(['pending']);
    await seller.put({ active: false });
    const ids = [await seller.publish({ test: true }), await seller.publish()];
    await Promise.all(ids.map(stored));
    expect(await seller.statuses()).toEqual(['held', 'held', 'held']);
    const [, first] = await harness.request(listDeliveries, seller.account, {}).then(({ data }) => data);
    expect((await harness.request(getWebhookEndpoint, seller.account, {})).held).toEqual({
      ...{ count: 2, more: false, oldest_at: first?.created_at },
    });
    seller.receiver.respondWith(() => ({ status: 200 }));
    const { recovery_id: recoveryId } = await seller.put({ active: true, held });
    await finished(recoveryId ?? '');
    await seller.delivered(2);
    expect(await seller.statuses()).toEqual(['canceled', 'delivered', 'delivered']);
    // Requests run side by side.
    const [before, ...released] = seller.received();
    expect([before, released.toSorted()]).toEqual([tested, ids.toSorted()]);
    expect(await newest()).toMatchObject({ status: 'done', total: 2, queued: 2, delivered: 2 });
    const { data } = await harness.request(listDeliveries, seller.account, { eventId: tested });
    expect(data).toMatchObject([{ status: 'canceled', reason: expect.stringContaining('test sends are not') }]);
  },
);

test('while held events are released to a slow receiver, a fresh one goes before those in line', async () => {
  await seller.put({ active: false });
  const count = recoveryPerSecond;
  const held = new Set(await publishMany(count));
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async ({ headers }) => {
    if (held.has(headers['webhook-id'] as string)) await gate.promise;
    return { status: 200 };
  });
  const { recovery_id: recoveryId } = await seller.put({ active: true });
  await finished(recoveryId ?? '');
  const fresh = await seller.publish();
  await stored(fresh);
  gate.resolve();
  await seller.delivered(count + 1);
  expect(seller.received().indexOf(fresh)).toBeLessThan(count / 2);
  expect((await newest()).delivered).toBe(count);
});
