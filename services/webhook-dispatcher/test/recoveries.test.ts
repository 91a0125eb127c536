import { idTimeMs } from '@app/contracts/ids';
import {
  cancelRecovery,
  getRecovery,
  listDeliveries,
  listRecoveries,
  recover,
  redeliver,
} from '@app/contracts/webhook-deliveries';
import { deleteWebhookEndpoint } from '@app/contracts/webhooks';
import { volume } from '@app/testing/long';
import { announced } from '@app/testing/points';
import { expect, test } from 'vitest';
import { recoveryEnqueued } from '../src/points/points.ts';
import { failuresMax, inLineMax, recoveryPerSecond } from '../src/repair/batch-size.rules.ts';
import { enqueueStored } from '../src/repair/enqueue-stored.ts';
import { finalizeCounts } from '../src/repair/finalize-counts.ts';
import { spanOf } from '../src/repair/position.rules.ts';
import { finished, stored } from './harness.ts';
import { connectedAccount } from './orders.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { addStored, deliveriesOf } from './stored.ts';

startService();
sellerForEachTest();

const since = () => new Date(harness.clock.nowMs() - 60_000).toISOString();
const start = (which: 'failed' | 'all', more: object = {}) =>
  harness.request(recover, seller.account, { endpointId, body: { since: since(), which, ...more } });
const read = (recoveryId: string) => harness.request(getRecovery, seller.account, { recoveryId });
const failed = (count: number) => addStored(harness, seller.account, Array(count).fill({ endpointId }));
/** Starts a recovery with a rate of its own: while the endpoint is off, nothing is enqueued. */
async function startAt(perSecond: number, which: 'failed' | 'all') {
  const switchTo = (active: boolean) =>
    harness.query('update endpoints set active = $2 where id = $1', [endpointId, active]);
  await switchTo(false);
  const started = await start(which);
  await harness.query('update recoveries set per_second = $2 where id = $1', [started.id, perSecond]);
  await switchTo(true);
  harness.wake();
  return started;
}
/** More than is enqueued at once. */
const atOnce = 10_000;
/** So many batches of the recovery have become due. */
const enqueued = (recoveryId: string, times = 1) =>
  announced(recoveryEnqueued, (one) => one.recoveryId === recoveryId && one.due, times);
/** Everything is enqueued, the account has so many deliveries that arrived since its beginning, and the row says this. */
async function isOver(recoveryId: string, delivered: number, result: object): Promise<void> {
  await finished(recoveryId);
  await seller.delivered(delivered);
  expect(await read(recoveryId)).toMatchObject(result);
}

test('sends what failed or was canceled since a time under the same webhook-ids, and nothing else', async () => {
  const statuses = ['failed', 'delivered', 'canceled', 'filtered'] as const;
  const old = await failed(1);
  harness.clock.advance(3_600_000);
  const ids = await addStored(
    harness,
    seller.account,
    statuses.map((status) => ({ endpointId, status })),
  );
  const started = await start('failed');
  expect(started).toMatchObject({ endpoint_id: endpointId, kind: 'recover', which: 'failed', per_second: 50 });
  await isOver(started.id, 2, { status: 'done', total: 2, queued: 2, delivered: 2, failed: 0 });
  expect(seller.received().sort()).toEqual([ids[0], ids[2]]);
  const after = await deliveriesOf(harness, seller.account);
  expect(after.map(({ event_id, status }) => [event_id, status])).toEqual([
    [old[0], 'failed'],
    ...ids.map((id, position) => [id, position === 3 ? 'filtered' : 'delivered']),
  ]);
});

test('enqueues the oldest first, a second’s worth at once, and no more a second than it says', async () => {
  const ids = await failed(volume(2, 4) * recoveryPerSecond);
  const startedMs = performance.now();
  const { id } = await start('failed');
  const enqueuedStatement = `select event_id from deliveries where recovery_id = $1 union all
    select event_id from finished_deliveries where recovery_id = $1 order by event_id`;
  for (let [batches, count] = [1, 0]; count < ids.length; batches += 1) {
    await enqueued(id, batches);
    const found = (await harness.query<{ event_id: string }>(enqueuedStatement, [id])).map((row) => row.event_id);
    const allowed = recoveryPerSecond * (1 + (performance.now() - startedMs) / 1_000);
    expect(found.length).toBeLessThanOrEqual(allowed);
    expect(found).toEqual(ids.slice(0, found.length));
    count = found.length;
    // However often it is woken.
    for (let wakes = 0; wakes < 5; wakes += 1) await harness.afterRound('recoveries');
  }
  await isOver(id, ids.length, { status: 'done', total: ids.length, delivered: ids.length });
  expect(new Set(seller.received())).toEqual(new Set(ids));
});

test('a receiver that does not answer stops the recovery', async () => {
  const gate = Promise.withResolvers<void>();
  const recovered = new Set(await failed(inLineMax + 10));
  seller.receiver.respondWith(async (request) => {
    if (recovered.has(request.headers['webhook-id'] as string)) await gate.promise;
    return { status: 200 };
  });
  const { id } = await startAt(atOnce, 'failed');
  const inLine = async (): Promise<number> => {
    const text = 'select count(*)::int as count from deliveries where recovery_id = $1';
    return (await harness.query<{ count: number }>(text, [id]))[0]?.count ?? 0;
  };
  await enqueued(id);
  expect(await inLine()).toBe(inLineMax);
  await harness.afterRound('recoveries');
  expect(await inLine()).toBe(inLineMax);
  gate.resolve();
  await seller.delivered(inLineMax);
  harness.wake();
  await isOver(id, recovered.size, { status: 'done', delivered: recovered.size, queued: recovered.size });
});

test('a fresh event goes before the recovered ones that are in line', async () => {
  const recovered = new Set(await failed(inLineMax));
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async (request) => {
    if (recovered.has(request.headers['webhook-id'] as string)) await gate.promise;
    return { status: 200 };
  });
  const { id } = await startAt(atOnce, 'failed');
  await enqueued(id);
  await seller.receiver.received(1);
  const before = seller.receiver.requests.length;
  const fresh = await seller.publish();
  await stored(fresh);
  // One that hangs for a second stops its endpoint.
  gate.resolve();
  await seller.receiver.received(1, ({ headers }) => headers['webhook-id'] === fresh);
  // Two rounds of the requests that an endpoint may have in flight.
  expect(seller.received().indexOf(fresh)).toBeLessThanOrEqual(before + 32);
  await isOver(id, recovered.size + 1, { delivered: recovered.size });
});

test('a receiver that is down gets a few, and the rest once it is back', async () => {
  let isDown = true;
  seller.receiver.respondWith(() => ({ status: isDown ? 503 : 200 }));
  const ids = await failed(recoveryPerSecond + 10);
  // So slowly that its failures are known long before the rest could be enqueued.
  const { id } = await startAt(failuresMax, 'failed');
  await seller.tried(failuresMax);
  await harness.afterRound('recoveries');
  const { queued } = await read(id);
  expect(queued).toBeLessThan(ids.length);
  await harness.afterRound('recoveries');
  expect(await read(id)).toMatchObject({ status: 'running', queued });
  await seller.tried(queued);
  isDown = false;
  harness.clock.advance(6_001);
  await harness.query('update recoveries set per_second = $2 where id = $1', [id, atOnce]);
  harness.wake();
  await seller.delivered(queued);
  harness.wake();
  await isOver(id, ids.length, { status: 'done', total: ids.length, delivered: ids.length });
});

test('everything: also what was delivered, filtered or is older than the endpoint, if its filter takes it now', async () => {
  const ids = await addStored(harness, seller.account, [
    { endpointId: null },
    { endpointId: null, event: 'affiliate.paid' },
    { endpointId, status: 'delivered' },
    { endpointId, status: 'filtered' },
    { endpointId, status: 'failed', event: 'affiliate.paid' },
  ]);
  await seller.put({ events: ['order.paid'] });
  const { id } = await start('all');
  await isOver(id, 3, { status: 'done', total: 3, queued: 3, delivered: 3 });
  expect(seller.received().sort()).toEqual([ids[0], ids[2], ids[3]]);
  const text = `select e.id, e.delivery_ids, e.endpoint_ids, f.id as delivery_id from events e
    join finished_deliveries f on f.event_id = e.id where e.account_id = $1 and e.id = $2`;
  const [made] = await harness.query<{ delivery_id: string; delivery_ids: string[]; endpoint_ids: string[] }>(text, [
    ...[seller.account, ids[0]],
  ]);
  // The event names the delivery that was made for it, which stands in lists where the event does.
  expect(made).toMatchObject({ delivery_ids: [made?.delivery_id], endpoint_ids: [endpointId] });
  expect(idTimeMs(made?.delivery_id ?? '')).toBe(idTimeMs(ids[0] ?? ''));
  const second = await start('all');
  await isOver(second.id, 6, { status: 'done', total: 3, delivered: 3 });
  expect(seller.receiver.requests).toHaveLength(6);
});

test('events of one millisecond that lack a delivery get theirs in the order of the log, whichever batch they are in', async () => {
  const ids = await addStored(
    harness,
    seller.account,
    Array(recoveryPerSecond + volume(10, 250)).fill({ endpointId: null }),
  );
  const { id } = await start('all');
  await enqueued(id, 2);
  await isOver(id, ids.length, { status: 'done', total: ids.length, delivered: ids.length });
  expect((await deliveriesOf(harness, seller.account)).map(({ event_id }) => event_id)).toEqual(ids);
});

test('what waits for its next attempt is sent now, and results are counted for each recovery', async () => {
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 200 }));
  const ids = [await seller.publish()];
  await seller.tried(1);
  expect(await seller.statuses()).toEqual(['pending']);
  ids.push(...(await failed(2)));
  const first = await start('failed');
  await isOver(first.id, 3, { status: 'done', total: 3, queued: 3, delivered: 3 });
  const second = await start('all');
  await isOver(second.id, 6, { status: 'done', total: 3, delivered: 3 });
  // A delivery that was sent again still counts for the recovery that sent it before.
  const [delivery] = await deliveriesOf(harness, seller.account);
  await harness.request(redeliver, seller.account, { deliveryId: delivery?.id ?? '' });
  await seller.delivered(7);
  expect(seller.receiver.requests).toHaveLength(8);
  expect(await seller.statuses()).toEqual(Array(3).fill('delivered'));
  expect(await read(first.id)).toMatchObject({ delivered: 3, failed: 0 });
  expect(await read(second.id)).toMatchObject({ delivered: 3, failed: 0 });
  const { data } = await harness.request(listRecoveries, seller.account, { endpointId });
  expect(data.map(({ id }) => id)).toEqual([second.id, first.id]);
});

test('results are final when nothing of a recovery is left to send, and outlive its deliveries', async () => {
  await failed(3);
  const first = await start('failed');
  await isOver(first.id, 3, { status: 'done', delivered: 3 });
  const finalized = async (id: string) => {
    await finalizeCounts(harness.database);
    return await harness.query('select counts_final, delivered, failed from recoveries where id = $1', [id]);
  };
  expect(await finalized(first.id)).toEqual([{ counts_final: true, delivered: 3, failed: 0 }]);
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  const second = await start('all');
  await finished(second.id);
  expect(await read(second.id)).toMatchObject({ status: 'done', queued: 3 });
  expect(await finalized(second.id)).toEqual([{ counts_final: false, delivered: 0, failed: 0 }]);
  gate.resolve();
  await isOver(second.id, 6, { delivered: 3 });
  expect(await finalized(second.id)).toEqual([{ counts_final: true, delivered: 3, failed: 0 }]);
  await harness.query('delete from finished_deliveries where account_id = $1', [seller.account]);
  for (const { id } of [first, second]) expect(await read(id)).toMatchObject({ delivered: 3, failed: 0 });
});

test('what a recovery has in line shows no time for its next attempt: when it was due first is long past', async () => {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  const count = 20;
  const [eventId] = await failed(count);
  const { id } = await start('failed');
  await finished(id);
  const waiting = await harness.request(listDeliveries, seller.account, { status: 'pending', limit: 1 });
  expect(waiting.data).toMatchObject([{ next_attempt_at: null, reason: expect.stringContaining('Is queued') }]);
  gate.resolve();
  await isOver(id, count, { status: 'done', delivered: count });
  expect(seller.received()).toContain(eventId);
});

test('a canceled recovery enqueues nothing more, and its rest stays as it was', async () => {
  // Far more than are enqueued before the cancellation comes.
  const ids = await failed(recoveryPerSecond + 10);
  const { id } = await startAt(1, 'failed');
  await enqueued(id);
  const canceled = await harness.request(cancelRecovery, seller.account, { recoveryId: id });
  expect(canceled.status).toBe('canceled');
  await harness.afterRound('recoveries');
  await seller.delivered(canceled.queued);
  expect(await read(id)).toMatchObject({ status: 'canceled', delivered: canceled.queued, queued: canceled.queued });
  const left = (await seller.statuses()).filter((status) => status === 'failed');
  expect(left).toHaveLength(ids.length - canceled.queued);
  await expect(harness.request(cancelRecovery, seller.account, { recoveryId: id })).resolves.toMatchObject({
    status: 'canceled',
  });
  const next = await startAt(atOnce, 'failed');
  await isOver(next.id, ids.length, { status: 'done', total: left.length });
  await expect(harness.request(cancelRecovery, seller.account, { recoveryId: next.id })).rejects.toMatchObject({
    code: 'invalid_transition',
  });
});

test('one recovery at a time, which waits while its endpoint is off and ends with it', async () => {
  await seller.put({ active: false });
  const ids = await failed(1);
  const { id } = await start('failed');
  await expect(start('all')).rejects.toMatchObject({ code: 'invalid_transition' });
  await harness.afterRound('recoveries');
  expect(await read(id)).toMatchObject({ status: 'running', total: 1, queued: 0 });
  await seller.put({ active: true });
  await isOver(id, 1, { status: 'done', delivered: 1 });
  expect(seller.received()).toEqual(ids);
  await seller.put({ active: false });
  const second = await start('all');
  await harness.request(deleteWebhookEndpoint, seller.account, {});
  await finished(second.id);
  expect(await read(second.id)).toMatchObject({ status: 'canceled', queued: 0 });
});

test('refuses times that make no sense or that are older than the bodies, and endpoints of other accounts', async () => {
  const at = (ms: number) => new Date(harness.clock.nowMs() + ms).toISOString();
  const day = 24 * 60 * 60 * 1000;
  const refused = (body: object) => expect(start('all', body)).rejects;
  await refused({ since: at(-30 * day - 1) }).toMatchObject({
    code: 'validation_failed',
    errors: [{ field: 'since' }],
  });
  await refused({ since: at(1) }).toMatchObject({ errors: [{ field: 'since' }] });
  await refused({ since: at(-10), until: at(-20) }).toMatchObject({ errors: [{ field: 'until' }] });
  const other = await connectedAccount(harness);
  const body = { since: since(), which: 'all' as const };
  await expect(harness.request(recover, other.account, { endpointId, body })).rejects.toMatchObject({
    code: 'webhook_endpoint_not_found',
  });
  const { id: recoveryId } = await start('all');
  for (const request of [getRecovery, cancelRecovery])
    await expect(harness.request(request, other.account, { recoveryId })).rejects.toMatchObject({
      code: 'recovery_not_found',
    });
  expect((await harness.request(listRecoveries, other.account, {})).data).toEqual([]);
});

test('beside thousands of delivered ones, a batch of what failed reads little more than itself', async () => {
  for (let n = 0; n < 2; n += 1) {
    await addStored(harness, seller.account, Array(volume(10_000, 20_000)).fill({ endpointId, status: 'delivered' }));
    await failed(recoveryPerSecond);
  }
  await harness.query('analyze finished_deliveries, events, event_bodies');
  const batch = {
    ...{ accountId: seller.account, endpointId, recoveryId: 'rcv_none', after: '', names: null },
    ...{ count: recoveryPerSecond, now: harness.clock.now() },
    span: spanOf(new Date(since()), harness.clock.now()),
  };
  const read = await harness.transaction(async (client) => {
    expect(await enqueueStored(client, 'failed', batch)).toMatchObject({ count: recoveryPerSecond, isLast: false });
    const { rows } = await client.query<{ rows: number }>(
      'select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables',
    );
    return rows[0]?.rows;
  });
  // Each is found, looked up with its event and its body, locked, moved and inserted.
  expect(read).toBeGreaterThan(recoveryPerSecond);
  expect(read).toBeLessThan(10 * recoveryPerSecond);
});
