import { affiliatePaid } from '@app/contracts/affiliates';
import { getDelivery, getRecovery, listDeliveries, listRecoveries, redeliver } from '@app/contracts/webhook-deliveries';
import { sendTestWebhook } from '@app/contracts/webhook-tests';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { eventually } from '@app/testing/eventually';
import { expect, test, vi } from 'vitest';
import { recoveryPerSecond } from '../src/repair/feed.rules.ts';
import { aPayout } from './orders.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { addStored, deliveriesOf } from './stored.ts';

startService({ CONSERVATION_SECONDS: '1' });
sellerForEachTest();
vi.setConfig({ testTimeout: 60_000 });
const withinMs = 30_000;

const payout = () => harness.publish(affiliatePaid, seller.account, aPayout(harness.clock.nowMs()));
const sendTest = () =>
  harness.ask(sendTestWebhook, seller.account, { endpointId, body: { event: 'order.refunded' as const } });
const are = (...statuses: string[]) =>
  eventually(async () => expect(await seller.statuses()).toEqual(statuses), { withinMs });
const recoveries = async () => (await harness.ask(listRecoveries, seller.account, {})).data;
const reasons = async () => (await deliveriesOf(harness, seller.account)).map(({ reason }) => reason);
/** It began because something was held, found that nothing of it is sent, and is in no list. */
async function foundNothing(recoveryId: string | null): Promise<void> {
  const nothing = { status: 'done', total: 0, queued: 0 };
  await eventually(
    async () =>
      expect(await harness.ask(getRecovery, seller.account, { recoveryId: recoveryId ?? '' })).toMatchObject(nothing),
    { withinMs },
  );
  expect(await recoveries()).toEqual([]);
}
const held = async () => (await harness.ask(getWebhookEndpoint, seller.account, {})).held;
/** All events of the account were proved, and nothing was missing. */
async function nothingIsMissing(): Promise<void> {
  const proved = `select from account_logs l join proved_accounts p using (account_id)
    where account_id = $1 and p.sequence = l.last_sequence`;
  await eventually(async () => (await harness.query(proved, [seller.account])).length === 1, { withinMs });
  expect(await harness.query('select * from conservation_gaps where account_id = $1', [seller.account])).toEqual([]);
}

/** A test send whose first try failed, before its endpoint was switched off. */
async function holdTest(): Promise<{ deliveryId: string }> {
  seller.receiver.respondWith(() => ({ status: 500 }));
  const { id: deliveryId } = await sendTest();
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
    const read = async () => (await harness.ask(getDelivery, seller.account, { deliveryId })).reason;
    expect(await read()).toMatch(/^Sent no further: the endpoint is off since .* Test sends are not sent again: /);
    const { recovery_id: recoveryId } = await seller.put({ active: true, ...choice });
    await are('canceled');
    expect(await reasons()).toEqual(['test_send']);
    await foundNothing(recoveryId);
    expect(seller.receiver.requests).toHaveLength(1);
  },
);

test('a test send alone whose tries have ended is canceled after the first success, and no recovery is listed', async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  const { id: deliveryId } = await sendTest();
  await are('pending');
  const last = `update deliveries set attempts = 11, next_attempt_at = $2 where not due and account_id = $1 returning id`;
  await eventually(async () => (await harness.query(last, [seller.account, harness.clock.now()])).length > 0);
  await seller.put();
  await are('held');
  const { reason } = await harness.ask(getDelivery, seller.account, { deliveryId });
  expect(reason).toMatch(/^Given up after 12 tries, because nothing has reached the receiver since /);
  expect(reason).not.toContain('it is sent again');
  seller.receiver.respondWith(() => ({ status: 200 }));
  await seller.publish();
  await are('canceled', 'delivered');
  expect(await reasons()).toEqual(['test_send', null]);
  expect(await recoveries()).toEqual([]);
});

test('what is held goes out as the filter is that is set with it: what it does not take is filtered', async () => {
  await seller.put({ active: false });
  await seller.publish();
  await are('held');
  const wanted = await payout();
  await are('held', 'held');
  const unwanted = await seller.publish();
  await are('held', 'held', 'held');
  await seller.put({ active: true, events: ['affiliate.paid'], held: 'send' });
  await are('filtered', 'delivered', 'filtered');
  expect(seller.received()).toEqual([wanted]);
  expect(await reasons()).toEqual(['filtered', null, 'filtered']);
  await eventually(async () =>
    expect(await recoveries()).toMatchObject([{ status: 'done', total: 1, queued: 1, delivered: 1 }]),
  );
  const { data } = await harness.ask(listDeliveries, seller.account, { eventId: unwanted });
  expect(data[0]?.reason).toMatch(/^Not sent: the endpoint was not set to take order\.paid/);
  await nothingIsMissing();
});

test('of what is held, `orders` sends those that the filter takes', async () => {
  await seller.put({ active: false });
  await seller.publish();
  await are('held');
  await payout();
  await are('held', 'held');
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'], held: 'orders' });
  await are('filtered', 'canceled');
  expect(await reasons()).toEqual(['filtered', 'discarded']);
  await foundNothing(recoveryId);
});

test('where the filter takes nothing of what is held, nothing stays held, and no recovery is listed', async () => {
  await seller.put({ active: false });
  const count = 2 * recoveryPerSecond;
  for (let n = 0; n < count; n += 1) await seller.publish();
  await are(...Array(count).fill('held'));
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'] });
  await are(...Array(count).fill('filtered'));
  await foundNothing(recoveryId);
  expect(seller.receiver.requests).toEqual([]);
  await nothingIsMissing();
});

test('a filter that changes while what was held goes out is the filter of the rest', async () => {
  await seller.put({ active: false });
  const count = 3 * recoveryPerSecond;
  for (let n = 0; n < count; n += 1) await seller.publish();
  await are(...Array(count).fill('held'));
  await seller.put({ active: true });
  // Few go out before the filter changes, however late that comes.
  const feed = (perSecond: number) =>
    harness.query('update recoveries set per_second = $2 where account_id = $1', [seller.account, perSecond]);
  await feed(1);
  await eventually(() => seller.received().length > 0);
  await seller.put({ events: ['affiliate.paid'] });
  await feed(recoveryPerSecond);
  await eventually(async () => expect(new Set(await seller.statuses())).toEqual(new Set(['delivered', 'filtered'])), {
    withinMs,
  });
  const sent = seller.received().length;
  expect(sent).toBeLessThanOrEqual(2 * recoveryPerSecond);
  await eventually(async () =>
    expect(await recoveries()).toMatchObject([{ status: 'done', total: sent, queued: sent, delivered: sent }]),
  );
  expect((await held()).count).toBe(0);
  await nothingIsMissing();
});

test('what is released after the first success goes out as the filter is by then', async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  await seller.publish();
  await are('pending');
  await harness.query(
    `update deliveries set status = 'held', held_reason = 'endpoint_failing', attempts = 12 where account_id = $1`,
    [seller.account],
  );
  await seller.put({ events: ['affiliate.paid'] });
  seller.receiver.respondWith(() => ({ status: 200 }));
  await payout();
  await are('filtered', 'delivered');
  expect(await recoveries()).toEqual([]);
  await nothingIsMissing();
});

test('what is held only after the choice was made is released, too', async () => {
  await seller.put({ active: false });
  const wanted = [await seller.publish(), await seller.publish()];
  await are('held', 'held');
  await payout();
  await are('held', 'held', 'held');
  // So they are before the change that switched it off is applied to them.
  await harness.query(
    `update deliveries set status = 'pending', due = false, next_attempt_at = now() + interval '1 day'
     where account_id = $1 and event_name = 'order.paid'`,
    [seller.account],
  );
  expect(await seller.put({ active: true, events: ['order.paid'], held: 'orders' })).toMatchObject({
    recovery_id: expect.any(String),
  });
  await are('delivered', 'delivered', 'canceled');
  expect(seller.received().toSorted()).toEqual(wanted);
});

/** Of one statement: all of them would take longer than a statement may, where much else runs. */
const portion = 1_000;
/** Holds stored events of these names for the endpoint, which is off. */
async function hold(events: readonly string[]): Promise<void> {
  const deliveries = events.map((event) => ({ endpointId, event }));
  for (let from = 0; from < deliveries.length; from += portion) {
    await addStored(harness, seller.account, deliveries.slice(from, from + portion));
    await harness.query(
      `with moved as (delete from finished_deliveries where account_id = $1 returning *)
       insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, created_at, next_attempt_at, status)
       select id, event_id, endpoint_id, account_id, event_name, test, created_at, created_at, 'held' from moved`,
      [seller.account],
    );
  }
}

test('of thousands that are held, those are sent that a filter set by mistake has not passed when it is mended', async () => {
  await seller.put({ active: false });
  await hold(Array(6_000).fill('order.paid'));
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'] });
  await harness.transaction(async (client) => {
    // Nothing more is left out while it is mended.
    await client.query('select from recoveries where id = $1 for update', [recoveryId]);
    expect(await seller.put({ events: null })).toMatchObject({ recovery_id: recoveryId });
  });
  await eventually(() => seller.received().length > 0, { withinMs });
  expect((await held()).count).toBeGreaterThan(0);
  await seller.put({ held: 'discard' });
  await eventually(async () => expect((await held()).count).toBe(0), { withinMs });
});

test('what the filter leaves out costs none of the rate: one of fifty that is sent does not wait for the others', async () => {
  await seller.put({ active: false });
  const count = 80;
  await hold(Array.from({ length: 50 * count }, (_, n) => (n % 50 === 0 ? 'affiliate.paid' : 'order.paid')));
  await seller.put({ active: true, events: ['affiliate.paid'] });
  await eventually(() => expect(seller.receiver.requests).toHaveLength(count), { withinMs });
  await eventually(async () =>
    expect(await recoveries()).toMatchObject([{ status: 'done', total: count, queued: count, delivered: count }]),
  );
  await nothingIsMissing();
});

test('thousands that are left out go at once also while the receiver is down, which is sent one at a time', async () => {
  await seller.put({ active: false });
  await hold(Array(6_000).fill('order.paid'));
  const { recovery_id: recoveryId } = await seller.put({ active: true, events: ['affiliate.paid'] });
  await harness.query(
    `insert into failing_endpoints (endpoint_id, account_id, since, last_at, attempts, events)
     values ($1, $2, now(), now(), 10, 10)`,
    [endpointId, seller.account],
  );
  await foundNothing(recoveryId);
  expect((await held()).count).toBe(0);
});

test('what was redelivered despite the filter is sent also when it was held before its next try', async () => {
  await seller.put({ events: ['affiliate.paid'] });
  await seller.publish();
  await are('filtered');
  const [{ id: deliveryId } = { id: '' }] = await deliveriesOf(harness, seller.account);
  seller.receiver.respondWith(() => ({ status: 500 }));
  await harness.ask(redeliver, seller.account, { deliveryId });
  await eventually(() => expect(seller.receiver.requests).toHaveLength(1));
  await are('pending');
  await seller.put({ active: false });
  await are('held');
  seller.receiver.respondWith(() => ({ status: 200 }));
  await seller.put({ active: true });
  await are('delivered');
  expect(seller.receiver.requests).toHaveLength(2);
});
