import { fileURLToPath } from 'node:url';
import { newId } from '@app/contracts/ids';
import { listActivity } from '@app/contracts/webhook-deliveries';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { spawnNode } from '@app/testing/child-service';
import { expect, test, vi } from 'vitest';
import { attempted, judged, stored } from './harness.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();
vi.setConfig({ testTimeout: 60_000 });
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const get = () => harness.request(getWebhookEndpoint, seller.account, {});
const notices = async () =>
  (await harness.request(listActivity, seller.account, {})).data.filter(({ kind }) => kind === 'notice');

test('a URL that answers 410 is switched off at once, with a notice; its delivery and later events are held until it is on again', async () => {
  seller.receiver.respondWith(() => ({ status: 410 }));
  const first = await seller.publish();
  await judged(endpointId);
  expect(await get()).toMatchObject({ active: false, switched_off: { reason: 'gone' } });
  expect(await seller.statuses()).toEqual(['held']);
  const second = await seller.publish();
  await stored(second);
  expect(await seller.statuses()).toEqual(['held', 'held']);
  expect(seller.received()).toEqual([first]);
  const { data } = await harness.request(listActivity, seller.account, { status: 'failed' });
  expect(data).toMatchObject([{ status_code: 410, next_attempt_at: null }]);
  expect(data[0]?.summary).toContain('held, because the endpoint is off');
  expect((await notices()).map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/was switched off: it answered 410.*Events are held/),
  ]);
  const ofEndpoint = await harness.request(listActivity, seller.account, { endpointId });
  expect(ofEndpoint.data.map((entry) => `${entry.kind} ${entry.endpoint_id}`).sort()).toEqual([
    `notice ${endpointId}`,
    `webhook_attempt ${endpointId}`,
  ]);
  const ofNoEndpoint = { endpointId: newId('webhookEndpoint', harness.clock.nowMs()) };
  expect((await harness.request(listActivity, seller.account, ofNoEndpoint)).data).toEqual([]);
  seller.receiver.respondWith(() => ({ status: 200 }));
  const on = await seller.put({ active: true });
  expect(on).toMatchObject({ active: true, switched_off: null, failing_since: null });
  await seller.delivered(2);
  expect(seller.received().toSorted()).toEqual([first, first, second].toSorted());
});

test('410 to the last attempt of a delivery does not give it up', async () => {
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 410 }));
  await seller.publish();
  await seller.tried(1);
  expect(await seller.statuses()).toEqual(['pending']);
  await harness.query('update deliveries set attempts = 11, next_attempt_at = $2 where account_id = $1', [
    seller.account,
    harness.clock.now(),
  ]);
  harness.wake();
  await attempted({ endpointId, number: 12 });
  await judged(endpointId);
  expect(await seller.statuses()).toEqual(['held']);
});

test('410 of a URL that was replaced while it answered does not switch the new one off', async () => {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async ({ path }) => {
    if (path.endsWith('new')) return { status: 200 };
    await gate.promise;
    return { status: 410 };
  });
  await seller.publish();
  await seller.receiver.received(1);
  await seller.put({ url: `${seller.url}&new` });
  gate.resolve();
  await judged(endpointId);
  expect(await seller.statuses()).toEqual(['pending']);
  harness.clock.advance(10_000);
  harness.wake();
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['delivered']);
  expect(await get()).toMatchObject({ active: true });
});

test('after kill -9 between the record of a 410 and the switch, the next attempt switches it off', async () => {
  harness.clock.set(new Date());
  await harness.running.service.close();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 410 };
  });
  await harness.transaction(async (client) => {
    await seller.publish();
    await seller.receiver.received(1);
    // The switch waits for this lock, so that the kill falls between.
    await client.query('select from endpoints where account_id = $1 for update', [seller.account]);
    gate.resolve();
    await seller.tried(1);
    await child.kill('SIGKILL');
  });
  harness.running.service = await harness.start();
  expect(await get()).toMatchObject({ active: true });
  harness.clock.set(new Date(Date.now() + 60_000));
  harness.wake();
  await judged(endpointId);
  expect(await get()).toMatchObject({ switched_off: { reason: 'gone' } });
  expect(await seller.statuses()).toEqual(['held']);
  expect(await notices()).toHaveLength(1);
});

test('a new URL switches an endpoint on again that its former URL switched off, and is sent what was held', async () => {
  seller.receiver.respondWith(({ path }) => ({ status: path.endsWith('new') ? 200 : 410 }));
  const first = await seller.publish();
  await judged(endpointId);
  expect(await seller.statuses()).toEqual(['held']);
  const second = await seller.publish();
  await stored(second);
  expect(await seller.statuses()).toEqual(['held', 'held']);
  expect(await seller.put({ description: 'the same URL' })).toMatchObject({
    active: false,
    switched_off: { reason: 'gone' },
  });
  expect(await seller.put({ url: `${seller.url}&new` })).toMatchObject({ active: true, switched_off: null });
  await seller.delivered(2);
  expect(seller.received().toSorted()).toEqual([first, first, second].toSorted());
});

test('held and active decide about a new URL of such an endpoint; one that its seller switched off stays off', async () => {
  seller.receiver.respondWith(({ path }) => ({ status: path.includes('new') ? 200 : 410 }));
  const first = await seller.publish();
  await judged(endpointId);
  expect(await seller.statuses()).toEqual(['held']);
  const off = await seller.put({ url: `${seller.url}&new1`, active: false });
  expect(off).toMatchObject({ active: false, switched_off: { reason: 'seller' } });
  expect(await seller.put({ url: `${seller.url}&new2` })).toMatchObject({
    active: false,
    switched_off: { reason: 'seller' },
  });
  await harness.query(`update endpoints set switched_off_reason = 'failing' where account_id = $1`, [seller.account]);
  expect(await seller.put({ url: `${seller.url}&new3`, held: 'discard' })).toMatchObject({
    active: true,
    switched_off: null,
  });
  await harness.afterRound('endpoint-changes');
  expect(await seller.statuses()).toEqual(['canceled']);
  expect(seller.received()).toEqual([first]);
});
