import { affiliatePaid } from '@app/contracts/affiliates';
import { newId } from '@app/contracts/ids';
import { getDelivery, getRecovery, listDeliveries, listRecoveries, redeliver } from '@app/contracts/webhook-deliveries';
import { sendTestWebhook } from '@app/contracts/webhook-tests';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { silentLogger } from '@app/service-kit/logger';
import { volume } from '@app/testing/long';
import { announced, sofar } from '@app/testing/points';
import { expect, test } from 'vitest';
import { recoveryEnqueued, recoveryFinished } from '../src/points/points.ts';
import { recoveryPerSecond } from '../src/repair/batch-size.rules.ts';
import { enqueueHeld } from '../src/repair/enqueue-stored.ts';
import { proveConservation } from '../src/repair/prove-conservation.ts';
import { attempted, changesApplied, finished, stored } from './harness.ts';
import { aPayout } from './orders.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { addStored, deliveriesOf } from './stored.ts';

startService({}, { releaseIntervalMs: 0 });
sellerForEachTest();

/** The next event is stored after it. */
async function order(): Promise<string> {
  const id = await seller.publish();
  await stored(id);
  return id;
}
async function payout(): Promise<string> {
  const id = await harness.publish(affiliatePaid, seller.account, aPayout(harness.clock.nowMs()));
  await stored(id);
  return id;
}
const sendTest = () =>
  harness.request(sendTestWebhook, seller.account, { endpointId, body: { event: 'order.refunded' as const } });
const are = async (...statuses: string[]) => expect(await seller.statuses()).toEqual(statuses);
const recoveries = async () => (await harness.request(listRecoveries, seller.account, {})).data;
const reasons = async () => (await deliveriesOf(harness, seller.account)).map(({ reason }) => reason);
/** Wakes the search for what can be released now, and resolves when what it found is enqueued. */
async function released(): Promise<void> {
  harness.wake();
  await announced(recoveryFinished, (one) => one.endpointId === endpointId);
}
/** It began because something was held, found that nothing of it is sent, and is in no list. */
async function foundNothing(recoveryId: string | null): Promise<void> {
  await finished(recoveryId ?? '');
  expect(await harness.request(getRecovery, seller.account, { recoveryId: recoveryId ?? '' })).toMatchObject({
    ...{ status: 'done', total: 0, queued: 0 },
  });
  expect(await recoveries()).toEqual([]);
}
const held = async () => (await harness.request(getWebhookEndpoint, seller.account, {})).held;
/** All events of the account are proved, and nothing is missing. */
async function nothingIsMissing(): Promise<void> {
  await harness.query('update conservation set next_run_at = now()');
  const proving = { ...harness, logger: silentLogger(), intervalSeconds: 60 };
  expect(await proveConservation(proving, () => false)).toBe(true);
  const proved = `select from account_logs l join proved_accounts p using (account_id)
    where account_id = $1 and p.sequence = l.last_sequence`;
  expect(await harness.query(proved, [seller.account])).toHaveLength(1);
  expect(await harness.query('select * from conservation_gaps where account_id = $1', [seller.account])).toEqual([]);
}

/** Holds stored events of these names for the endpoint, which is off. */
async function hold(events: readonly string[]): Promise<void> {
  await addStored(
    harness,
    seller.account,
    events.map((event) => ({ endpointId, event })),
  );
  await harness.query(
    `with moved as (delete from finished_deliveries where account_id = $1 returning *)
     insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, created_at, next_attempt_at, status)
     select id, event_id, endpoint_id, account_id, event_name, test, created_at, created_at, 'held' from moved`,
    [seller.account],
  );
}

/** A test send whose first attempt failed, before its endpoint was switched off. */
async function holdTest(): Promise<{ deliveryId: string }> {
  seller.receiver.respondWith(() => ({ status: 500 }));
  const { id: deliveryId } = await sendTest();
  await attempted({ deliveryId });
  await are('pending');
  await seller.put({ active: false });
  await are('held');
  seller.receiver.respondWith(() => ({ status: 200 }));
  return { deliveryId };
}

test.each([{}, { held: 'send' }, { held: 'orders' }])(
  'switching on (%j) while test sends alone are held cancels them, and lists no recovery',
  async (choice) => {
    const { deliveryId } = await holdTest();
    const read = async () => (await harness.request(getDelivery, seller.account, { deliveryId })).reason;
    expect(await read()).toMatch(/^Sent no further: the endpoint is off since .* Test sends are not sent again: /);
    const { recovery_id: recoveryId } = await seller.put({ active: true, ...choice });
    await foundNothing(recoveryId);
    await are('canceled');
    expect(await reasons()).toEqual(['test_send']);
    expect(seller.receiver.requests).toHaveLength(1);
  },
);

test('a test send alone whose attempts have ended is canceled after the first success, and no recovery is listed', async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  const { id: deliveryId } = await sendTest();
  await attempted({ deliveryId });
  await are('pending');
  const last = `update deliveries set attempts = 11, next_attempt_at = $2 where not due and account_id = $1 returning id`;
  expect(await harness.query(last, [seller.account, harness.clock.now()])).toHaveLength(1);
  harness.wake();
  await attempted({ deliveryId, number: 12 });
  await are('held');
  const { reason } = await harness.request(getDelivery, seller.account, { deliveryId });
  expect(reason).toMatch(/^Given up after 12 attempts, because nothing has reached the receiver since /);
  expect(reason).not.toContain('it is sent again');
  seller.receiver.respondWith(() => ({ status: 200 }));
  await seller.publish();
  await seller.delivered();
  await released();
  await are('canceled', 'delivered');
  expect(await reasons()).toEqual(['test_send', null]);
  expect(await recoveries()).toEqual([]);
});

test('what is held goes out as the filter is that is set with it: what it does not take is filtered', async () => {
  await seller.put({ active: false });
  await order();
  const wanted = await payout();
  const unwanted = await order();
  await are('held', 'held', 'held');
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'], held: 'send' });
  await finished(recoveryId ?? '');
  await seller.delivered();
  await are('filtered', 'delivered', 'filtered');
  expect(seller.received()).toEqual([wanted]);
  expect(await reasons()).toEqual(['filtered', null, 'filtered']);
  expect(await recoveries()).toMatchObject([{ status: 'done', total: 1, queued: 1, delivered: 1 }]);
  const { data } = await harness.request(listDeliveries, seller.account, { eventId: unwanted });
  expect(data[0]?.reason).toMatch(/^Not sent: the endpoint was not set to take order\.paid/);
  await nothingIsMissing();
});

test('of what is held, `orders` sends those that the filter takes', async () => {
  await seller.put({ active: false });
  await order();
  await payout();
  await are('held', 'held');
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'], held: 'orders' });
  await foundNothing(recoveryId);
  await changesApplied(endpointId, 2);
  await are('filtered', 'canceled');
  expect(await reasons()).toEqual(['filtered', 'discarded']);
});

test('where the filter takes nothing of what is held, nothing stays held, and no recovery is listed', async () => {
  await seller.put({ active: false });
  const count = 2 * recoveryPerSecond;
  await hold(Array(count).fill('order.paid'));
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'] });
  await foundNothing(recoveryId);
  await are(...Array(count).fill('filtered'));
  expect(seller.receiver.requests).toEqual([]);
  await nothingIsMissing();
});

test('a filter that changes while what was held goes out is the filter of the rest', async () => {
  await seller.put({ active: false });
  await hold(Array(2 * recoveryPerSecond).fill('order.paid'));
  const { recovery_id: recoveryId } = await seller.put({ active: true });
  // After the first batch few go out before the filter changes, however late that comes.
  const enqueueAt = (perSecond: number) =>
    harness.query('update recoveries set per_second = $2 where account_id = $1', [seller.account, perSecond]);
  await enqueueAt(1);
  await seller.receiver.received(1);
  await seller.put({ events: ['affiliate.paid'] });
  await enqueueAt(recoveryPerSecond);
  await finished(recoveryId ?? '');
  const [{ queued: sent } = { queued: 0 }] = await recoveries();
  await seller.delivered(sent);
  expect(new Set(await seller.statuses())).toEqual(new Set(['delivered', 'filtered']));
  expect(seller.received()).toHaveLength(sent);
  expect(await recoveries()).toMatchObject([{ status: 'done', total: sent, queued: sent, delivered: sent }]);
  expect((await held()).count).toBe(0);
  await nothingIsMissing();
});

test('what is released after the first success goes out as the filter is by then', async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  await seller.publish();
  await seller.tried(1);
  await are('pending');
  await harness.query(
    `update deliveries set status = 'held', held_reason = 'endpoint_failing', attempts = 12 where account_id = $1`,
    [seller.account],
  );
  await seller.put({ events: ['affiliate.paid'] });
  seller.receiver.respondWith(() => ({ status: 200 }));
  await payout();
  await seller.delivered();
  await released();
  await are('filtered', 'delivered');
  expect(await recoveries()).toEqual([]);
  await nothingIsMissing();
});

test('what is held only after the choice was made is released, too', async () => {
  await seller.put({ active: false });
  const wanted = [await order(), await order()];
  await payout();
  await are('held', 'held', 'held');
  // So they are before the change that switched it off is applied to them.
  await harness.query(
    `update deliveries set status = 'pending', due = false, next_attempt_at = now() + interval '1 day'
     where account_id = $1 and event_name = 'order.paid'`,
    [seller.account],
  );
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['order.paid'], held: 'orders' });
  expect(recoveryId).toEqual(expect.any(String));
  await finished(recoveryId ?? '');
  await seller.delivered(2);
  await changesApplied(endpointId, 2);
  await are('delivered', 'delivered', 'canceled');
  expect(seller.received().toSorted()).toEqual(wanted);
});

test('of thousands that are held, those are sent that a filter set by mistake has not passed when it is mended', async () => {
  await seller.put({ active: false });
  const [batch, left] = [1_000, 10];
  await hold(Array(batch + left).fill('order.paid'));
  // The process enqueues nothing before the filter is mended: its recovery has no rate yet.
  const id = newId('recovery', harness.clock.nowMs());
  await harness.query(
    `insert into recoveries (id, account_id, endpoint_id, kind, which, until, per_second, created_at)
     values ($1, $2, $3, 'held', 'all', $4, 0, $4)`,
    [id, seller.account, endpointId, harness.clock.now()],
  );
  const mistaken = ['affiliate.paid'];
  expect(await seller.put({ active: true, events: mistaken })).toMatchObject({ recovery_id: id });
  const of = { accountId: seller.account, endpointId, recoveryId: id, now: harness.clock.now() };
  const next = { after: '', names: null, count: recoveryPerSecond };
  const enqueued = await harness.transaction((client) => enqueueHeld(client, 'all', { ...of, ...next }, mistaken));
  expect(enqueued).toMatchObject({ count: 0, isLast: false });
  expect(await seller.put({ events: null })).toMatchObject({ recovery_id: id });
  await harness.query('update recoveries set per_second = $2 where id = $1', [id, recoveryPerSecond]);
  harness.wake();
  await finished(id);
  await seller.delivered(left);
  await are(...Array(batch).fill('filtered'), ...Array(left).fill('delivered'));
});

test('what the filter leaves out costs none of the rate: one of twenty that is sent does not wait for the others', async () => {
  await seller.put({ active: false });
  const count = recoveryPerSecond + 10;
  await hold(Array.from({ length: 20 * count }, (_, n) => (n % 20 === 0 ? 'affiliate.paid' : 'order.paid')));
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'] });
  await finished(recoveryId ?? '');
  await seller.delivered(count);
  expect(seller.receiver.requests).toHaveLength(count);
  expect(await recoveries()).toMatchObject([{ status: 'done', total: count, queued: count, delivered: count }]);
  // If those that are left out counted, there would be one for each second's worth of all: 24.
  const batches = sofar(recoveryEnqueued).filter((one) => one.recoveryId === recoveryId && one.due);
  expect(batches.length).toBeLessThan(12);
  await nothingIsMissing();
});

test('thousands that are left out go at once also while the receiver is down, which is sent one at a time', async () => {
  await seller.put({ active: false });
  await hold(Array(volume(2_500, 6_000)).fill('order.paid'));
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'] });
  await harness.query(
    `insert into failing_endpoints (endpoint_id, account_id, since, last_at, attempts, events)
     values ($1, $2, now(), now(), 10, 10)`,
    [endpointId, seller.account],
  );
  await foundNothing(recoveryId);
  expect((await held()).count).toBe(0);
});

test('what was redelivered despite the filter is sent also when it was held before its next attempt', async () => {
  await seller.put({ events: ['affiliate.paid'] });
  await order();
  await are('filtered');
  const [{ id: deliveryId } = { id: '' }] = await deliveriesOf(harness, seller.account);
  seller.receiver.respondWith(() => ({ status: 500 }));
  await harness.request(redeliver, seller.account, { deliveryId });
  await seller.tried(1);
  await are('pending');
  await seller.put({ active: false });
  await are('held');
  seller.receiver.respondWith(() => ({ status: 200 }));
  await seller.put({ active: true });
  await seller.delivered();
  expect(seller.receiver.requests).toHaveLength(2);
});
