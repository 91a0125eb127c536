import { affiliatePaid } from '@app/contracts/affiliates';
import { orderPaid } from '@app/contracts/orders';
import { listActivity } from '@app/contracts/webhook-deliveries';
import { sendTestWebhook } from '@app/contracts/webhook-tests';
import * as contract from '@app/contracts/webhooks';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { volume } from '@app/testing/long';
import { beforeEach, expect, test } from 'vitest';
import { attempted, changesApplied, finished, stored } from './harness.ts';
import { anOrder, aPayout } from './orders.ts';
import { harness, startService } from './set-up.ts';
import { deliveriesOf } from './stored.ts';

startService();
let account: string;
let receiver: Receiver;
beforeEach(async () => {
  account = harness.account();
  receiver = await startReceiver();
});

/** Resolves when it is stored. */
async function order(): Promise<string> {
  const id = await harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()));
  await stored(id);
  return id;
}
async function payout(): Promise<string> {
  const id = await harness.publish(affiliatePaid, account, aPayout(harness.clock.nowMs()));
  await stored(id);
  return id;
}
/** So many deliveries of the account have arrived, since its beginning. */
const delivered = (times = 1) => attempted({ accountId: account, delivered: true }, times);
const put = (body: object = {}) =>
  harness.request(contract.putWebhookEndpoint, account, { body: { url: receiver.url, ...body } });
const create = (body: object = {}) =>
  harness.request(contract.createWebhookEndpoint, account, { body: { url: receiver.url, ...body } });
const get = () => harness.request(contract.getWebhookEndpoint, account, {});
const list = async () => (await harness.request(contract.listWebhookEndpoints, account, {})).data;
/** Without the order of arrival: requests to a receiver run side by side. */
const received = () => receiver.requests.map(({ headers }) => headers['webhook-id'] as string).toSorted();
const statuses = async () => (await deliveriesOf(harness, account)).map(({ status }) => status);
const areHeld = async (count: number) => expect(await statuses()).toEqual(Array(count).fill('held'));
const summaries = async () => (await harness.request(listActivity, account, {})).data.map(({ summary }) => summary);
const nothingHeld = { count: 0, more: false, oldest_at: null };

test('what happens before a URL is connected is held, and stays held when the first one is, until its seller says otherwise', async () => {
  const early = [await order(), await order()];
  await areHeld(2);
  await expect(get()).rejects.toMatchObject({ code: 'webhook_endpoint_not_found' });
  expect(await list()).toEqual([]);
  harness.clock.advance(60_000);
  const connected = await put();
  expect(connected.held).toEqual({ count: 2, more: false, oldest_at: expect.any(String) });
  expect(Date.parse(connected.held.oldest_at as string)).toBeLessThan(Date.parse(connected.created_at));
  const fresh = await order();
  await delivered();
  expect(received()).toEqual([fresh]);
  const sending = await put({ held: 'send' });
  expect(sending.recovery_id).toMatch(/^rcv_/);
  await finished(sending.recovery_id ?? '');
  await delivered(3);
  expect(received()).toEqual([...early, fresh]);
  expect(await get()).toMatchObject({ held: nothingHeld, recovery_id: null });
});

test('a further URL that is the first one takes over what was held, and sends the orders alone on request', async () => {
  const first = await order();
  const other = await payout();
  const last = await order();
  await areHeld(3);
  const made = await create({ held: 'orders' });
  expect(made).toMatchObject({ role: 'additional', secret: expect.stringMatching(/^whsec_/) });
  await delivered(2);
  expect(received()).toEqual([first, last]);
  await changesApplied(made.id);
  expect(
    (await deliveriesOf(harness, account)).map(({ event_id, status, reason }) => [event_id, status, reason]),
  ).toEqual([
    [first, 'delivered', null],
    [other, 'canceled', 'discarded'],
    [last, 'delivered', null],
  ]);
  await expect(get()).rejects.toMatchObject({ code: 'webhook_endpoint_not_found' });
  // A second URL, of whichever role, is another endpoint.
  expect((await put()).id).not.toBe(made.id);
});

test('Recent activity counts what a choice of orders dropped, and is silent when that was nothing', async () => {
  const { id: endpointId } = await put({ active: false });
  await order();
  await areHeld(1);
  const { recovery_id: recoveryId } = await put({ active: true, held: 'orders' });
  await finished(recoveryId ?? '');
  await delivered();
  expect(receiver.requests).toHaveLength(1);
  await changesApplied(endpointId);
  expect(await get()).toMatchObject({ held: nothingHeld, recovery_id: null });
  expect((await summaries()).filter((summary) => summary.includes('as chosen'))).toEqual([]);
  await put({ active: false });
  for (const publish of [payout, order, payout]) await publish();
  expect((await get()).held.count).toBe(3);
  await put({ active: true, held: 'orders' });
  // Two choices, and the switching off between them.
  await changesApplied(endpointId, 3);
  expect(await summaries()).toContain(
    `For the webhook endpoint ${receiver.url}, 2 deliveries that were held are canceled, as chosen`,
  );
});

test.each(['discard', 'orders'])('what `%s` dropped is shown as it was counted: without test sends', async (held) => {
  receiver.respondWith(() => ({ status: 500 }));
  const { id: endpointId } = await put();
  await harness.request(sendTestWebhook, account, { endpointId, body: { event: 'affiliate.paid' } });
  await attempted({ accountId: account });
  expect(await statuses()).toEqual(['pending']);
  await put({ active: false });
  await payout();
  await areHeld(2);
  expect((await get()).held.count).toBe(1);
  const { recovery_id: recoveryId } = await put({ active: true, held });
  await changesApplied(endpointId, 2);
  if (recoveryId !== null) await finished(recoveryId);
  expect(await statuses()).toEqual(['canceled', 'canceled']);
  expect((await summaries()).filter((summary) => summary.includes('as chosen'))).toEqual([
    `For the webhook endpoint ${receiver.url}, 1 delivery that was held is canceled, as chosen`,
  ]);
});

test('switching on sends what was held, unless it says discard', async () => {
  const { id: endpointId } = await put({ active: false });
  const held = [await order(), await payout(), await order()].toSorted();
  await areHeld(3);
  expect((await get()).held.count).toBe(3);
  await put({ active: true });
  await delivered(3);
  expect(received()).toEqual(held);

  await put({ active: false });
  await order();
  expect((await get()).held.count).toBe(1);
  expect(await put({ active: true, held: 'discard' })).toMatchObject({ recovery_id: null });
  await changesApplied(endpointId, 2);
  expect(await get()).toMatchObject({ held: nothingHeld, active: true });
  const after = await order();
  await delivered(4);
  expect(received()).toEqual([...held, after]);
  const reasons = (await deliveriesOf(harness, account)).map(({ reason }) => reason);
  expect(reasons).toEqual([null, null, null, 'discarded', null]);
  expect(await summaries()).toContain(
    `For the webhook endpoint ${receiver.url}, 1 delivery that was held is canceled, as chosen`,
  );
});

test('an endpoint that is off takes discard only; what comes later is held again', async () => {
  await put({ active: false });
  await order();
  await areHeld(1);
  for (const held of ['send', 'orders'])
    await expect(put({ held })).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: 'held' }] });
  expect(await put({ held: 'discard' })).toMatchObject({ held: nothingHeld });
  expect(await statuses()).toEqual(['canceled']);
  await order();
  expect(await statuses()).toEqual(['canceled', 'held']);
  expect(receiver.requests).toEqual([]);
});

test('deliveries that wait for their next attempt are dropped with the others when the endpoint was switched off meanwhile', async () => {
  receiver.respondWith(() => ({ status: 500 }));
  await put();
  await order();
  await attempted({ accountId: account });
  expect(await statuses()).toEqual(['pending']);
  await put({ active: false });
  await put({ active: true, held: 'discard' });
  expect(await statuses()).toEqual(['canceled']);
});

test('removing the last URL cancels what waits for it, and later events are held for the next one', async () => {
  const { id: endpointId } = await put({ active: false });
  await order();
  await areHeld(1);
  await harness.request(contract.removeWebhookEndpoint, account, { endpointId });
  expect(await statuses()).toEqual(['canceled']);
  const later = await order();
  expect(await statuses()).toEqual(['canceled', 'held']);
  const next = await put({ held: 'send' });
  expect(next.id).not.toBe(endpointId);
  await delivered();
  expect(received()).toEqual([later]);
  expect((await deliveriesOf(harness, account))[0]?.reason).toBe('removed');
});

test('while another URL is left, nothing is held for the removed one', async () => {
  await put();
  const other = await create({ url: `${receiver.url}/other` });
  await harness.request(contract.deleteWebhookEndpoint, account, {});
  const sent = await order();
  await delivered();
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/other']);
  expect(received()).toEqual([sent]);
  expect((await list()).map(({ id }) => id)).toEqual([other.id]);
});

test('a choice concerns what waited when it was made: what comes after it is under the next one', async () => {
  const { id: endpointId } = await put({ active: false });
  const dropped = await Promise.all(Array.from({ length: 30 }, order));
  await areHeld(30);
  await put({ held: 'discard' });
  const [paid, other] = [await order(), await payout()];
  expect((await statuses()).filter((status) => status === 'held')).toHaveLength(2);
  await put({ active: true, held: 'orders' });
  await delivered();
  expect(received()).toEqual([paid]);
  await changesApplied(endpointId, 2);
  expect((await get()).held).toEqual(nothingHeld);
  const reasons = new Map((await deliveriesOf(harness, account)).map(({ event_id, reason }) => [event_id, reason]));
  for (const id of [...dropped, other]) expect(reasons.get(id)).toBe('discarded');
});

test('switching off and on quickly loses and doubles nothing', async () => {
  await put();
  const [count, switches] = [volume(60, 150), volume(8, 12)];
  const publishing = Promise.all(Array.from({ length: count }, order));
  for (let n = 0; n < switches; n += 1) await put({ active: n % 2 === 1 });
  const ids = await publishing;
  // What was held goes out at once.
  await harness.query('update recoveries set per_second = 10000 where account_id = $1', [account]);
  await delivered(count);
  expect(await statuses()).toEqual(Array(count).fill('delivered'));
  expect(received()).toEqual(ids.toSorted());
});

test('the count of what is held stops at 10,000, and says so', async () => {
  const { id: endpointId } = await put({ active: false });
  const eventId = await order();
  await areHeld(1);
  await harness.query(
    `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, next_attempt_at, created_at)
     select 'dlv_' || substr($1, 5, 18) || lpad(n::text, 8, '0'), $1, $2, $3, 'order.paid', false, 'held', now(), now()
     from generate_series(1, 10000) as n`,
    [eventId, endpointId, account],
  );
  expect((await get()).held).toMatchObject({ count: 10_000, more: true });
  await put({ held: 'discard' });
  await changesApplied(endpointId);
  expect((await get()).held).toEqual(nothingHeld);
});
