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
import { eventually } from '@app/testing/eventually';
import { expect, test, vi } from 'vitest';
import { inLineMax, recoveryPerSecond } from '../src/repair/feed.rules.ts';
import { finalizeCounts } from '../src/repair/finalize-counts.ts';
import { handOverStored } from '../src/repair/hand-over.ts';
import { spanOf } from '../src/repair/place.rules.ts';
import { connectedAccount } from './orders.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { addStored, deliveriesOf } from './stored.ts';

startService();
sellerForEachTest();
vi.setConfig({ testTimeout: 60_000 });
const withinMs = 30_000;

const since = () => new Date(harness.clock.nowMs() - 60_000).toISOString();
const start = (which: 'failed' | 'all', more: object = {}) =>
  harness.ask(recover, seller.account, { endpointId, body: { since: since(), which, ...more } });
const read = (recoveryId: string) => harness.ask(getRecovery, seller.account, { recoveryId });
const failed = (count: number) => addStored(harness, seller.account, Array(count).fill({ endpointId }));
/** Tests with many deliveries need not wait for the usual rate. */
const hurry = (recoveryId: string) =>
  harness.query('update recoveries set per_second = 10000 where id = $1', [recoveryId]);
const isOver = (recoveryId: string, result: object) =>
  eventually(async () => expect(await read(recoveryId)).toMatchObject(result), { withinMs });

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
  await isOver(started.id, { status: 'done', total: 2, queued: 2, delivered: 2, failed: 0 });
  expect(seller.received().sort()).toEqual([ids[0], ids[2]]);
  const after = await deliveriesOf(harness, seller.account);
  expect(after.map(({ event_id, status }) => [event_id, status])).toEqual([
    [old[0], 'failed'],
    ...ids.map((id, place) => [id, place === 3 ? 'filtered' : 'delivered']),
  ]);
});

test('hands over the oldest first, a second’s worth at once, and no more a second than it says', async () => {
  const ids = await failed(4 * recoveryPerSecond);
  const startedMs = performance.now();
  const { id } = await start('failed');
  const isHandedOver = `select event_id from deliveries where recovery_id = $1 union all
    select event_id from finished_deliveries where recovery_id = $1 order by event_id`;
  await eventually(
    async () => {
      const handedOver = (await harness.query<{ event_id: string }>(isHandedOver, [id])).map((row) => row.event_id);
      const allowed = recoveryPerSecond * (1 + (performance.now() - startedMs) / 1_000);
      expect(handedOver.length).toBeLessThanOrEqual(allowed);
      expect(handedOver).toEqual(ids.slice(0, handedOver.length));
      return handedOver.length === ids.length;
    },
    { withinMs },
  );
  await isOver(id, { status: 'done', total: ids.length, delivered: ids.length });
  expect(new Set(seller.received())).toEqual(new Set(ids));
});

test('a receiver that does not answer stops the feed', async () => {
  const gate = Promise.withResolvers<void>();
  const recovered = new Set(await failed(inLineMax + 100));
  seller.receiver.respondWith(async (request) => {
    if (recovered.has(request.headers['webhook-id'] as string)) await gate.promise;
    return { status: 200 };
  });
  const { id } = await start('failed');
  await hurry(id);
  const inLine = async (): Promise<number> => {
    const text = 'select count(*)::int as count from deliveries where recovery_id = $1';
    return (await harness.query<{ count: number }>(text, [id]))[0]?.count ?? 0;
  };
  await eventually(async () => (await inLine()) >= inLineMax, { withinMs });
  expect(await inLine()).toBe(inLineMax);
  gate.resolve();
  await isOver(id, { status: 'done', delivered: recovered.size, queued: recovered.size });
});

test('a fresh event goes before the recovered ones that are in line', async () => {
  const recovered = new Set(await failed(inLineMax));
  // Four of them at a time: 32 take five seconds, more than the fresh one is on its way to the service.
  seller.receiver.respondWith((request) => ({
    status: 200,
    delayMs: recovered.has(request.headers['webhook-id'] as string) ? 600 : 0,
  }));
  const { id } = await start('failed');
  await hurry(id);
  await isOver(id, { queued: recovered.size });
  const before = seller.receiver.requests.length;
  const fresh = await seller.publish();
  await eventually(() => expect(seller.received()).toContain(fresh), { withinMs });
  // Two rounds of the requests that an endpoint may have in flight.
  expect(seller.received().indexOf(fresh)).toBeLessThanOrEqual(before + 32);
  seller.receiver.respondWith(() => ({ status: 200 }));
  await isOver(id, { delivered: recovered.size });
});

test('a receiver that is down gets a few, and the rest once it is back', async () => {
  let isDown = true;
  seller.receiver.respondWith(() => ({ status: isDown ? 503 : 200 }));
  const ids = await failed(3 * recoveryPerSecond);
  const { id } = await start('failed');
  await eventually(
    async () => {
      const text = 'select attempts from failing_endpoints where endpoint_id = $1';
      const [failing] = await harness.query<{ attempts: number }>(text, [endpointId]);
      return (failing?.attempts ?? 0) >= recoveryPerSecond;
    },
    { withinMs },
  );
  expect((await read(id)).queued).toBeLessThan(ids.length);
  isDown = false;
  harness.clock.advance(6_001);
  await isOver(id, { status: 'done', total: ids.length, delivered: ids.length });
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
  await isOver(id, { status: 'done', total: 3, queued: 3, delivered: 3 });
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
  await isOver(second.id, { status: 'done', total: 3, delivered: 3 });
  expect(seller.receiver.requests).toHaveLength(6);
});

test('events of one millisecond that lack a delivery get theirs in the order of the log, whichever batch they are in', async () => {
  const ids = await addStored(harness, seller.account, Array(2 * recoveryPerSecond + 200).fill({ endpointId: null }));
  const { id } = await start('all');
  await hurry(id);
  harness.clock.advance(6_001);
  await isOver(id, { status: 'done', total: ids.length, delivered: ids.length });
  expect((await deliveriesOf(harness, seller.account)).map(({ event_id }) => event_id)).toEqual(ids);
});

test('what waits for its next try is tried now, and results are counted for each recovery', async () => {
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 200 }));
  const ids = [await seller.publish()];
  await eventually(async () => expect(await seller.statuses()).toEqual(['pending']));
  ids.push(...(await failed(2)));
  const first = await start('failed');
  await isOver(first.id, { status: 'done', total: 3, queued: 3, delivered: 3 });
  const second = await start('all');
  await isOver(second.id, { status: 'done', total: 3, delivered: 3 });
  // A delivery that was sent again still counts for the recovery that sent it before.
  const [delivery] = await deliveriesOf(harness, seller.account);
  await harness.ask(redeliver, seller.account, { deliveryId: delivery?.id ?? '' });
  await eventually(() => expect(seller.receiver.requests).toHaveLength(8));
  await eventually(async () => expect(await seller.statuses()).toEqual(Array(3).fill('delivered')));
  expect(await read(first.id)).toMatchObject({ delivered: 3, failed: 0 });
  expect(await read(second.id)).toMatchObject({ delivered: 3, failed: 0 });
  const { data } = await harness.ask(listRecoveries, seller.account, { endpointId });
  expect(data.map(({ id }) => id)).toEqual([second.id, first.id]);
});

test('results are final when nothing of a recovery is left to send, and outlive its deliveries', async () => {
  await failed(3);
  const first = await start('failed');
  await isOver(first.id, { status: 'done', delivered: 3 });
  const finalized = async (id: string) => {
    await finalizeCounts(harness.database);
    return await harness.query('select settled, delivered, failed from recoveries where id = $1', [id]);
  };
  expect(await finalized(first.id)).toEqual([{ settled: true, delivered: 3, failed: 0 }]);
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  const second = await start('all');
  await isOver(second.id, { status: 'done', queued: 3 });
  expect(await finalized(second.id)).toEqual([{ settled: false, delivered: 0, failed: 0 }]);
  gate.resolve();
  await isOver(second.id, { delivered: 3 });
  expect(await finalized(second.id)).toEqual([{ settled: true, delivered: 3, failed: 0 }]);
  await harness.query('delete from finished_deliveries where account_id = $1', [seller.account]);
  for (const { id } of [first, second]) expect(await read(id)).toMatchObject({ delivered: 3, failed: 0 });
});

test('what a recovery has in line shows no time for its next try: when it was due first is long past', async () => {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  const [eventId] = await failed(inLineMax);
  const { id } = await start('failed');
  await hurry(id);
  await eventually(async () => expect((await read(id)).queued).toBe(inLineMax), { withinMs });
  const waiting = await harness.ask(listDeliveries, seller.account, { status: 'pending', limit: 1 });
  expect(waiting.data).toMatchObject([
    { next_attempt_at: null, reason: expect.stringContaining('Waits for its turn') },
  ]);
  gate.resolve();
  await isOver(id, { status: 'done', delivered: inLineMax });
  expect(seller.received()).toContain(eventId);
});

test('a canceled recovery hands over nothing more, and its rest stays as it was', async () => {
  // Far more than are handed over before the cancellation comes.
  const ids = await failed(20 * recoveryPerSecond);
  const { id } = await start('failed');
  const canceled = await harness.ask(cancelRecovery, seller.account, { recoveryId: id });
  expect(canceled.status).toBe('canceled');
  await isOver(id, { status: 'canceled', delivered: canceled.queued, queued: canceled.queued });
  const left = (await seller.statuses()).filter((status) => status === 'failed');
  expect(left).toHaveLength(ids.length - canceled.queued);
  await expect(harness.ask(cancelRecovery, seller.account, { recoveryId: id })).resolves.toMatchObject({
    status: 'canceled',
  });
  const next = await start('failed');
  await hurry(next.id);
  await isOver(next.id, { status: 'done', total: left.length });
  await expect(harness.ask(cancelRecovery, seller.account, { recoveryId: next.id })).rejects.toMatchObject({
    code: 'invalid_transition',
  });
});

test('one recovery at a time, which waits while its endpoint is off and ends with it', async () => {
  await seller.put({ active: false });
  const ids = await failed(1);
  const { id } = await start('failed');
  await expect(start('all')).rejects.toMatchObject({ code: 'invalid_transition' });
  await isOver(id, { status: 'running', total: 1, queued: 0 });
  await seller.put({ active: true });
  await isOver(id, { status: 'done', delivered: 1 });
  expect(seller.received()).toEqual(ids);
  await seller.put({ active: false });
  const second = await start('all');
  await harness.ask(deleteWebhookEndpoint, seller.account, {});
  await isOver(second.id, { status: 'canceled', queued: 0 });
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
  await expect(harness.ask(recover, other.account, { endpointId, body })).rejects.toMatchObject({
    code: 'webhook_endpoint_not_found',
  });
  const { id: recoveryId } = await start('all');
  for (const request of [getRecovery, cancelRecovery])
    await expect(harness.ask(request, other.account, { recoveryId })).rejects.toMatchObject({
      code: 'recovery_not_found',
    });
  expect((await harness.ask(listRecoveries, other.account, {})).data).toEqual([]);
});

test('beside 40,000 delivered ones, a batch of what failed reads little more than itself', async () => {
  for (let n = 0; n < 2; n += 1) {
    await addStored(harness, seller.account, Array(20_000).fill({ endpointId, status: 'delivered' }));
    await failed(recoveryPerSecond);
  }
  await harness.query('analyze finished_deliveries, events, event_bodies');
  const batch = {
    ...{ accountId: seller.account, endpointId, recoveryId: 'rcv_none', after: '', names: null },
    ...{ count: recoveryPerSecond, now: harness.clock.now() },
    span: spanOf(new Date(since()), harness.clock.now()),
  };
  const read = await harness.transaction(async (client) => {
    expect(await handOverStored(client, 'failed', batch)).toMatchObject({ count: recoveryPerSecond, isLast: false });
    const { rows } = await client.query<{ rows: number }>(
      'select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables',
    );
    return rows[0]?.rows;
  });
  // Each is found, looked up with its event and its body, locked, moved and inserted.
  expect(read).toBeGreaterThan(recoveryPerSecond);
  expect(read).toBeLessThan(10 * recoveryPerSecond);
});
