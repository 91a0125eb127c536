import { dayMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { getRecovery, recover } from '@app/contracts/webhook-deliveries';
import { sendTestWebhook } from '@app/contracts/webhook-tests';
import { createWebhookEndpoint } from '@app/contracts/webhooks';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { beforeEach, expect, test } from 'vitest';
import { finished } from './harness.ts';
import { anOrder, connectedAccount } from './orders.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { addStored } from './stored.ts';

startService();
sellerForEachTest();
let later: Receiver;
beforeEach(async () => {
  later = await startReceiver();
});

const now = () => harness.clock.now().toISOString();
const publish = (id = newId('event', harness.clock.nowMs())) =>
  harness.publish(orderPaid, seller.account, anOrder(harness.clock.nowMs()), undefined, id);
async function areDelivered(count: number): Promise<void> {
  await seller.delivered(count);
  expect(await seller.statuses()).toEqual(Array(count).fill('delivered'));
}
const idsAt = (receiver: Receiver) => receiver.requests.map(({ headers }) => headers['webhook-id']).toSorted();
const connect = async () =>
  (await harness.request(createWebhookEndpoint, seller.account, { body: { url: later.url } })).id;
const start = (endpointId: string, body: { since: string; until?: string; which: 'all' | 'failed' }) =>
  harness.request(recover, seller.account, { endpointId, body });
const read = (recoveryId: string) => harness.request(getRecovery, seller.account, { recoveryId });
/** Everything is enqueued, the account has so many deliveries that arrived since its beginning, and the row says this. */
async function isOver(recoveryId: string, delivered: number, result: object): Promise<void> {
  await finished(recoveryId);
  await seller.delivered(delivered);
  expect(await read(recoveryId)).toMatchObject(result);
}
/** An event of a sale has the id of its order, which was made when the card was held. */
async function salesAround() {
  const heldAt = () => newId('event', harness.clock.nowMs());
  const [early, late] = [heldAt(), heldAt()];
  harness.clock.advance(dayMs);
  await publish(early);
  await areDelivered(1);
  harness.clock.advance(7 * dayMs);
  const since = now();
  harness.clock.advance(5_000);
  await publish(late);
  await areDelivered(2);
  harness.clock.advance(60_000);
  return { early, late, since };
}

test('everything since a time is what happened since then, also a sale whose card was held days before', async () => {
  const { late, since } = await salesAround();
  const { id } = await start(await connect(), { since, which: 'all' });
  await isOver(id, 3, { status: 'done', total: 1, delivered: 1 });
  expect(idsAt(later)).toEqual([late]);
});

test('everything until a time leaves out a sale that was held before and finalized after it', async () => {
  const { early, since: until } = await salesAround();
  const since = new Date(Date.parse(until) - 10 * dayMs).toISOString();
  const { id } = await start(await connect(), { since, until, which: 'all' });
  await isOver(id, 3, { status: 'done', total: 1, delivered: 1 });
  expect(idsAt(later)).toEqual([early]);
});

test('events that were stored long after they happened count by when they happened', async () => {
  const happenedAt = harness.clock.now();
  const outage = newId('event', harness.clock.nowMs());
  await harness.partitions.cover([outage]);
  harness.clock.advance(5 * 60 * 60 * 1000);
  const [stored, fresh] = await addStored(harness, seller.account, Array(2).fill({ endpointId }));
  for (const text of [
    'update events set id = $2, occurred_at = $4 where account_id = $1 and id = $3',
    'update event_bodies set event_id = $2 where account_id = $1 and event_id = $3 and $4::timestamptz is not null',
    'update finished_deliveries set event_id = $2 where account_id = $1 and event_id = $3 and $4::timestamptz is not null',
  ])
    await harness.query(text, [seller.account, outage, stored, happenedAt]);
  const at = (ms: number) => new Date(happenedAt.getTime() + ms).toISOString();
  const then = await start(endpointId, { since: at(-60_000), until: at(60_000), which: 'failed' });
  await isOver(then.id, 1, { status: 'done', total: 1, delivered: 1 });
  expect(seller.received()).toEqual([outage]);
  const since = await start(endpointId, { since: at(60_000), which: 'all' });
  await isOver(since.id, 2, { status: 'done', total: 1, delivered: 1 });
  expect(seller.received()).toEqual([outage, fresh]);
});

test('a recovery right after a URL is connected waits for the events that were being stored without it', async () => {
  const since = now();
  harness.clock.advance(60_000);
  const id = newId('event', harness.clock.nowMs());
  await harness.partitions.cover([id]);
  let recoveryId = '';
  await harness.transaction(async (client) => {
    await client.query(
      `insert into events (id, account_id, sequence, name, test, occurred_at, stored_at, delivery_ids, endpoint_ids)
       values ($1, $2, 1, 'order.paid', false, $3, $3, '{}', '{}')`,
      [id, seller.account, harness.clock.now()],
    );
    await client.query('insert into event_bodies (event_id, account_id, body) values ($1, $2, $3)', [
      ...[id, seller.account, '{}'],
    ]);
    recoveryId = (await start(await connect(), { since, which: 'all' })).id;
    // Rounds of the recovery loop go by meanwhile: another recovery, which began later, is over.
    const other = await connectedAccount(harness);
    const body = { since, which: 'failed' as const };
    const second = await harness.request(recover, other.account, { endpointId: other.endpointId, body });
    await finished(second.id);
    expect(await read(recoveryId)).toMatchObject({ status: 'running', total: 0 });
  });
  harness.wake();
  await isOver(recoveryId, 1, { status: 'done', total: 1, delivered: 1 });
  expect(idsAt(later)).toEqual([id]);
});

test('what it concerns is counted without test sends, which are never recovered', async () => {
  const sent = [await publish(), await publish()];
  await areDelivered(2);
  for (let n = 0; n < 3; n += 1)
    await harness.request(sendTestWebhook, seller.account, { endpointId, body: { event: 'order.paid' } });
  await areDelivered(5);
  const sale = anOrder(harness.clock.nowMs(), { test: true });
  sent.push(await harness.publish(orderPaid, seller.account, sale));
  await areDelivered(6);
  await harness.query('update finished_deliveries set status = $2, reason = $3 where account_id = $1', [
    ...[seller.account, 'failed', 'attempts_used'],
  ]);
  const since = new Date(harness.clock.nowMs() - 60_000).toISOString();
  await harness.query('update endpoints set active = false where account_id = $1', [seller.account]);
  const { id } = await start(endpointId, { since, which: 'failed' });
  await harness.afterRound('recoveries');
  expect(await read(id)).toMatchObject({ status: 'running', total: 3, queued: 0 });
  await harness.query('update endpoints set active = true where account_id = $1', [seller.account]);
  harness.wake();
  await isOver(id, 9, { status: 'done', total: 3, delivered: 3 });
  expect(seller.received().slice(6).toSorted()).toEqual(sent.toSorted());
});
