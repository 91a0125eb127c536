import { join } from 'node:path';
import { newId } from '@app/contracts/ids';
import { getDelivery, listActivity, listRecoveries, recover, redeliver } from '@app/contracts/webhook-deliveries';
import { sendTestWebhook } from '@app/contracts/webhook-tests';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { spawnNode } from '@app/testing/child-service';
import { beforeEach, expect, test } from 'vitest';
import { releaseHeld } from '../src/repair/release-held.ts';
import { attempted, stored } from './harness.ts';
import { connectedAccount } from './orders.ts';
import { actAs, endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { deliveriesOf } from './stored.ts';

startService({}, { releaseIntervalMs: 0 });
sellerForEachTest();
const main = join(import.meta.dirname, '../src/main.ts');
beforeEach(async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
});

const releases = async () =>
  (await harness.request(listRecoveries, seller.account, {})).data.filter(({ kind }) => kind === 'held');
const failures = async () =>
  (await harness.request(listActivity, seller.account, { status: 'failed' })).data.map(({ summary }) => summary);

/** The attempts of what waits for its next one end as if 71 hours had passed: the next attempt is the twelfth. */
async function endAttempts(): Promise<void> {
  const at = [seller.account, harness.clock.now()];
  const text = `update deliveries set attempts = 11, next_attempt_at = $2
    where status = 'pending' and not due and attempts < 11 and account_id = $1 returning id`;
  const ended = await harness.query<{ id: string }>(text, at);
  expect(ended).toHaveLength(1);
  harness.wake();
  await attempted({ deliveryId: ended[0]?.id as string, number: 12 });
}

/** An event whose attempts have ended, to an endpoint to which nothing was delivered. */
async function heldEvent(): Promise<string> {
  const id = await seller.publish();
  const [delivery] = (await stored(id)).deliveries;
  await attempted({ deliveryId: delivery?.id as string });
  await endAttempts();
  const held = (await deliveriesOf(harness, seller.account)).find(({ event_id: eventId }) => eventId === id);
  expect(held?.status).toBe('held');
  return id;
}

/** Wakes the search for what can be released now. */
const release = () => harness.wake();

test('what ends its attempts while nothing reaches its endpoint is held, shown as given up, and sent after the first success, oldest first', async () => {
  const ids = [await heldEvent(), await heldEvent()];
  const [{ id: deliveryId } = { id: '' }] = await deliveriesOf(harness, seller.account);
  const { reason, attempt_count: attempts } = await harness.request(getDelivery, seller.account, { deliveryId });
  expect(attempts).toBe(12);
  expect(reason).toMatch(
    /^Given up after 12 attempts, because nothing has reached the endpoint since .*: it is sent again/,
  );
  expect(reason).toContain('It is held for 30 days. The last attempt failed:');
  expect((await failures()).filter((text) => text.includes('given up after 12 attempts, and held'))).toHaveLength(2);
  expect((await harness.request(getWebhookEndpoint, seller.account, {})).held).toMatchObject({ count: 2 });
  seller.receiver.respondWith(() => ({ status: 200 }));
  const before = seller.receiver.requests.length;
  const fresh = await seller.publish();
  await seller.delivered();
  release();
  await seller.delivered(3);
  expect(seller.received().slice(before)).toEqual([fresh, ...ids]);
  expect((await releases())[0]).toMatchObject({ which: 'failed', status: 'done', delivered: 2 });
});

test('a delivery to an endpoint that takes others is given up', async () => {
  const id = await seller.publish();
  await seller.tried(1);
  seller.receiver.respondWith((request) => ({ status: request.headers['webhook-id'] === id ? 500 : 200 }));
  await seller.publish();
  await seller.tried(2);
  expect(await seller.statuses()).toEqual(['pending', 'delivered']);
  await endAttempts();
  expect(await seller.statuses()).toEqual(['failed', 'delivered']);
  expect((await failures())[0]).toMatch(/; given up after 12 attempts(\.|$)/);
});

test('a delivery whose first attempt failed beside the last success of its endpoint is held, too', async () => {
  await seller.publish();
  await seller.tried(1);
  // The failure that counts came later, because the batch of the first one had a success, too.
  const later = `update failing_endpoints set since = since + interval '6 seconds' where account_id = $1 returning since`;
  expect(await harness.query(later, [seller.account])).toHaveLength(1);
  await endAttempts();
  expect(await seller.statuses()).toEqual(['held']);
});

test('a delivery that is sent again is judged by its new attempts', async () => {
  await heldEvent();
  const [{ id: deliveryId } = { id: '' }] = await deliveriesOf(harness, seller.account);
  await harness.request(redeliver, seller.account, { deliveryId });
  await attempted({ deliveryId, number: 13 });
  const at = [seller.account, harness.clock.now()];
  await harness.query('update deliveries set attempts = 23, next_attempt_at = $2 where account_id = $1', at);
  harness.wake();
  await attempted({ deliveryId, number: 24 });
  expect(await deliveriesOf(harness, seller.account)).toMatchObject([{ attempts: 24, status: 'held' }]);
});

test('switched off it stays held, and is sent when the endpoint is on again', async () => {
  const id = await heldEvent();
  await seller.put({ active: false });
  const [{ id: deliveryId } = { id: '' }] = await deliveriesOf(harness, seller.account);
  const read = () => harness.request(getDelivery, seller.account, { deliveryId });
  expect(await read()).toMatchObject({ status: 'held', reason: expect.stringContaining('the endpoint is off') });
  seller.receiver.respondWith(() => ({ status: 200 }));
  await seller.put({ active: true });
  await seller.delivered();
  expect(seller.received().at(-1)).toBe(id);
});

test('a new URL begins anew: what was held is sent to it', async () => {
  const id = await heldEvent();
  seller.receiver.respondWith(({ path }) => ({ status: path.endsWith('new') ? 200 : 500 }));
  await seller.put({ url: `${seller.url}&new` });
  release();
  await seller.delivered();
  expect(seller.received().at(-1)).toBe(id);
});

/** As `cancelRecovery` leaves it; the release itself would be over too soon to be canceled. */
const cancelRelease = (which: 'failed' | 'all' = 'failed') =>
  harness.query(
    `insert into recoveries (id, account_id, endpoint_id, kind, which, until, per_second, status, created_at, finished_at)
     select $3, account_id, id, 'held', $4, $2, 10, 'canceled', $2, $2 from endpoints
     where account_id = $1 and role = 'primary'`,
    [seller.account, harness.clock.now(), newId('recovery', harness.clock.nowMs()), which],
  );

test.each(['failed', 'all'] as const)(
  'a release (%s) that was canceled is begun again once the attempts of a later delivery have ended',
  async (which) => {
    await heldEvent();
    harness.clock.advance(60_000);
    await cancelRelease(which);
    const [canceling, other] = [seller, await connectedAccount(harness)];
    actAs(other);
    seller.receiver.respondWith(() => ({ status: 500 }));
    await heldEvent();
    for (const each of [canceling, other]) {
      actAs(each);
      seller.receiver.respondWith(() => ({ status: 200 }));
      await seller.publish();
      await seller.delivered();
    }
    release();
    await seller.delivered(2);
    actAs(canceling);
    expect(await seller.statuses()).toEqual(['held', 'delivered']);
    const [{ id: deliveryId } = { id: '' }] = await deliveriesOf(harness, seller.account);
    const { reason } = await harness.request(getDelivery, seller.account, { deliveryId });
    expect(reason).toContain('if you canceled that one, redeliver it or start another');
    seller.receiver.respondWith(() => ({ status: 500 }));
    harness.clock.advance(60_000);
    await heldEvent();
    seller.receiver.respondWith(() => ({ status: 200 }));
    await seller.publish();
    await seller.delivered(2);
    release();
    await seller.delivered(4);
    expect(await seller.statuses()).toEqual(Array(4).fill('delivered'));
  },
);

test('a release that was canceled is not begun again because a test send has ended its attempts', async () => {
  await heldEvent();
  harness.clock.advance(60_000);
  await cancelRelease();
  harness.clock.advance(60_000);
  const body = { event: 'order.paid' } as const;
  const { id: deliveryId } = await harness.request(sendTestWebhook, seller.account, { endpointId, body });
  await attempted({ deliveryId });
  await endAttempts();
  expect(await seller.statuses()).toEqual(['held', 'held']);
  seller.receiver.respondWith(() => ({ status: 200 }));
  await seller.publish();
  await seller.delivered();
  await releaseHeld(harness);
  expect(await releases()).toMatchObject([{ status: 'canceled' }]);
});

test('a recovery of what failed sends it without waiting for a success', async () => {
  const id = await heldEvent();
  const { id: endpointId } = await harness.request(getWebhookEndpoint, seller.account, {});
  seller.receiver.respondWith(() => ({ status: 200 }));
  const since = new Date(harness.clock.nowMs() - 60_000).toISOString();
  await harness.request(recover, seller.account, { endpointId, body: { since, which: 'failed' } });
  await seller.delivered();
  expect(seller.received().at(-1)).toBe(id);
  expect(await releases()).toEqual([]);
});

test('kill -9 after the last attempt was recorded, and between the success and the release, loses nothing', async () => {
  harness.clock.set(new Date());
  await harness.running.service.close();
  const first = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  const held = await heldEvent();
  await first.kill('SIGKILL');
  const second = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  const before = seller.receiver.requests.length;
  const fresh = await seller.publish();
  await seller.receiver.received(before + 1);
  await harness.transaction(async (client) => {
    // The release waits for this lock, so that the kill falls between.
    await client.query('select from endpoints where account_id = $1 for update', [seller.account]);
    gate.resolve();
    await seller.delivered();
    expect(await seller.statuses()).toEqual(['held', 'delivered']);
    await second.kill('SIGKILL');
  });
  expect(await harness.query('select from recoveries where account_id = $1', [seller.account])).toEqual([]);
  harness.clock.set(new Date());
  harness.running.service = await harness.start();
  await seller.delivered(2);
  expect(seller.received().slice(before)).toEqual([fresh, held]);
  expect(await harness.query('select from conservation_gaps', [])).toEqual([]);
});
