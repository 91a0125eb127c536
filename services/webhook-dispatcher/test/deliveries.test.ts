import { createHmac } from 'node:crypto';
import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import { funnelEmailSynced } from '@app/contracts/funnels';
import { orderPaid } from '@app/contracts/orders';
import { listActivity } from '@app/contracts/webhook-deliveries';
import { orderPaidPayload } from '@app/contracts/webhook-payloads';
import { deleteWebhookEndpoint } from '@app/contracts/webhooks';
import type { ReceivedRequest } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { changesApplied, handled, stored } from './harness.ts';
import { anEmail, anOrder, connectedAccount } from './orders.ts';
import { harness, shortenAttempts, startService } from './set-up.ts';

startService();

/** An account with an endpoint and access to its Recent activity. */
async function connectedSeller() {
  const connected = await connectedAccount(harness);
  const { account } = connected;
  const activity = async (page = {}) => await harness.request(listActivity, account, page);
  /** Its Recent activity after so many attempts. */
  const entries = async (attempts: number) => {
    await connected.tried(attempts);
    return (await activity()).data;
  };
  return { ...connected, activity, entries };
}

/** Moves the clock and makes the service poll at once; otherwise it polls every second. */
function letPass(ms: number): void {
  harness.clock.advance(ms);
  harness.wake();
}

function expectSigned(request: ReceivedRequest, secret: string): void {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  expect(signature).toBe(
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${request.body}`).digest('base64')}`,
  );
  expect(Math.abs(Number(timestamp) * 1_000 - Date.now())).toBeLessThan(30_000);
}

test('an order arrives once, signed, with the published payload and headers, and is in Recent activity', async () => {
  const seller = await connectedSeller();
  const order = anOrder(harness.clock.nowMs());
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const eventId = await harness.publish(orderPaid, seller.account, order, traceparent);
  const [entry] = await seller.entries(1);
  expect(seller.receiver.requests).toHaveLength(1);
  const [request] = seller.receiver.requests as [ReceivedRequest];
  expect(request).toMatchObject({ method: 'POST', path: '/hook?from=us' });
  expect(request.headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': 'order.paid',
    'webhook-id': eventId,
    traceparent,
  });
  expect(request.headers).not.toHaveProperty('x-service-test');
  expectSigned(request, seller.secret);
  const payload = orderPaidPayload.parse(JSON.parse(request.body));
  expect(payload).toMatchObject({
    orderId: order.orderId,
    total: '€49.00',
    country: '',
    sentAt: harness.clock.now().toISOString(),
  });
  expect(listActivity.output.parse({ data: [entry] }).data[0]).toEqual(entry);
  expect(entry).toMatchObject({
    kind: 'webhook_attempt',
    status: 'delivered',
    status_code: 200,
    attempt: 1,
    event_id: eventId,
  });
  expect(entry).toMatchObject({ order_id: order.orderId, next_attempt_at: null, url: seller.url, test: false });
  expect(entry?.summary).toMatch(/^order\.paid delivered to http.* \(200 in \d+ ms\)$/);
});

test('a test order is marked, and a pushed email arrives under its own event name', async () => {
  const seller = await connectedSeller();
  await harness.publish(orderPaid, seller.account, anOrder(harness.clock.nowMs(), { test: true }));
  await harness.publish(funnelEmailSynced, seller.account, anEmail('prd_1'));
  const entries = await seller.entries(2);
  const byName = new Map(seller.receiver.requests.map((request) => [request.headers['x-service-event'], request]));
  expect(byName.get('order.paid')?.headers['x-service-test']).toBe('1');
  expect(byName.get('funnel.email.sync')?.headers['x-service-test']).toBeUndefined();
  expect(entries.map((entry) => entry.test).sort()).toEqual([false, true]);
});

test('a test order is marked on every attempt', async () => {
  const seller = await connectedSeller();
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 200 }));
  await harness.publish(orderPaid, seller.account, anOrder(harness.clock.nowMs(), { test: true }));
  await seller.entries(1);
  letPass(6_001);
  expect((await seller.entries(2)).map((entry) => entry.test)).toEqual([true, true]);
  expect(seller.receiver.requests.map((request) => request.headers['x-service-test'])).toEqual(['1', '1']);
});

test('a failed attempt is repeated when it is due, under the same id, with the same bytes, until it succeeds', async () => {
  const seller = await connectedSeller();
  seller.receiver.respondWith((_, n) => (n === 1 ? { status: 500, body: 'no \u0000\n' } : { status: 204 }));
  await seller.publish();
  const [failed] = await seller.entries(1);
  expect(failed).toMatchObject({ status: 'failed', status_code: 500, response_excerpt: 'no \n', attempt: 1 });
  const waitMs = Date.parse(failed?.next_attempt_at as string) - harness.clock.nowMs();
  expect(waitMs).toBeGreaterThanOrEqual(4_000);
  expect(waitMs).toBeLessThanOrEqual(6_000);
  expect(seller.receiver.requests).toHaveLength(1);
  letPass(6_001);
  const [delivered] = await seller.entries(2);
  expect(delivered).toMatchObject({
    status: 'delivered',
    status_code: 204,
    attempt: 2,
    delivery_id: failed?.delivery_id,
  });
  const [first, second] = seller.receiver.requests as [ReceivedRequest, ReceivedRequest];
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.body).toBe(first.body);
  expectSigned(second, seller.secret);
});

test('Retry-After is honoured, and redirects are failures that are not followed', async () => {
  const seller = await connectedSeller();
  seller.receiver.respondWith((_, n) =>
    n === 1 ? { status: 302, headers: { location: seller.url, 'retry-after': '3600' } } : { status: 200 },
  );
  await seller.publish();
  const [failed] = await seller.entries(1);
  expect(failed).toMatchObject({ status: 'failed', status_code: 302 });
  expect(Date.parse(failed?.next_attempt_at as string) - harness.clock.nowMs()).toBe(3_600_000);
  expect(seller.receiver.requests).toHaveLength(1);
});

test('after twelve attempts a delivery is given up, shown as such, and held while nothing reaches its endpoint', async () => {
  const seller = await connectedSeller();
  seller.receiver.respondWith(() => ({ status: 503 }));
  await seller.publish();
  const attempts = async (count: number) =>
    (await seller.entries(count)).filter(({ kind }) => kind === 'webhook_attempt');
  for (let made = 1; made < 12; made += 1) {
    await attempts(made);
    letPass(30 * 3_600_000);
  }
  const [last] = await attempts(12);
  expect(last).toMatchObject({ attempt: 12, status: 'failed', next_attempt_at: null });
  expect(last?.summary).toContain('given up after 12 attempts');
  expect(await seller.statuses()).toEqual(['held']);
});

test('Recent activity says in plain words that a response was late or a connection was refused', async () => {
  await shortenAttempts(harness);
  const seller = await connectedSeller();
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 60_000 }));
  await seller.publish();
  const [late] = await seller.entries(1);
  expect(late).toMatchObject({ status: 'failed', status_code: null, error: 'no complete answer in time' });
  expect(late?.duration_ms).toBeLessThan(15_000);
  await seller.receiver.close();
  letPass(6_001);
  const [refused] = await seller.entries(2);
  expect(refused).toMatchObject({ status: 'failed', error: 'the connection was refused' });
});

test('only the beginning of a huge response is read and stored', async () => {
  const seller = await connectedSeller();
  seller.receiver.respondWith(() => ({ status: 200, body: '☃'.repeat(1_000_000) }));
  await seller.publish();
  const [entry] = await seller.entries(1);
  expect(entry).toMatchObject({ status: 'delivered', status_code: 200, error: null });
  expect(await harness.query('select response from attempt_responses where attempt_id = $1', [entry?.id])).toEqual([
    { response: '☃'.repeat(Math.floor(8_192 / 3)) },
  ]);
});

test('events made while the endpoint is off are held, and released oldest first', async () => {
  const seller = await connectedSeller();
  await seller.put({ active: false });
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await seller.publish());
  for (const id of ids) await stored(id);
  expect(await seller.statuses()).toEqual(Array(5).fill('held'));
  expect(seller.receiver.requests).toHaveLength(0);
  // Of what was held, a new endpoint gets one request at a time; after its first success it gets several at once.
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 50 }));
  await seller.put({ active: true });
  await seller.entries(5);
  expect(seller.received().slice(0, 1)).toEqual(ids.slice(0, 1));
  expect(seller.received().toSorted()).toEqual(ids);
});

test('a retry that comes due while the endpoint is off is held, not lost', async () => {
  const seller = await connectedSeller();
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 200 }));
  await seller.publish();
  await seller.entries(1);
  await seller.put({ active: false });
  expect(await seller.statuses()).toEqual(['held']);
  harness.clock.advance(60_000);
  await seller.put({ active: true });
  const [entry] = await seller.entries(2);
  expect(entry).toMatchObject({ status: 'delivered', attempt: 2 });
});

test('removing the endpoint cancels its waiting deliveries, and Recent activity says so', async () => {
  const seller = await connectedSeller();
  seller.receiver.respondWith(() => ({ status: 500 }));
  await seller.publish();
  await seller.entries(1);
  await harness.request(deleteWebhookEndpoint, seller.account, {});
  await changesApplied(seller.endpointId);
  const [notice] = await seller.entries(1);
  expect(notice).toMatchObject({ kind: 'notice', status: 'notice', url: seller.url });
  expect(notice?.summary).toContain('1 delivery that waited is canceled');
  expect(await seller.statuses()).toEqual(['canceled']);
});

test('an endpoint gets only the kinds of events that it subscribes to', async () => {
  const seller = await connectedSeller();
  await seller.put({ events: ['funnel.email.sync'] });
  await stored(await seller.publish());
  await harness.publish(funnelEmailSynced, seller.account, anEmail('prd_1'));
  const [entry, ...others] = await seller.entries(1);
  expect(entry?.event).toBe('funnel.email.sync');
  expect(others).toEqual([]);
});

test('Recent activity shows an unknown affiliate code, also without an endpoint', async () => {
  const account = harness.account();
  const id = await harness.publish(affiliateCodeUnmatched, account, { orderId: 'ord_1', code: 'UNKNOWN', test: false });
  await handled(id);
  const [notice] = (await harness.request(listActivity, account, {})).data;
  expect(notice).toMatchObject({ kind: 'notice', order_id: 'ord_1', delivery_id: null });
  expect(notice?.summary).toContain('UNKNOWN');
});

test('activity pages back by id without a gap or a repeat, and is an account’s own', async () => {
  const seller = await connectedSeller();
  for (let n = 0; n < 7; n += 1) await seller.publish();
  const id = await harness.publish(affiliateCodeUnmatched, seller.account, {
    orderId: 'ord_1',
    code: 'UNKNOWN',
    test: false,
  });
  await handled(id);
  const all = await seller.entries(7);
  const paged: string[] = [];
  let page = await seller.activity({ limit: 3 });
  while (page.data.length > 0) {
    paged.push(...page.data.map((entry) => entry.id));
    expect(page.has_more).toBe(paged.length < 8);
    page = await seller.activity({ limit: 3, before: paged.at(-1) });
  }
  expect(paged).toEqual(all.map((entry) => entry.id));
  const other = harness.account();
  expect(await harness.request(listActivity, other, {})).toEqual({ data: [] });
  const foreign = harness.request(listActivity, other, { before: paged[0] });
  await expect(foreign).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: 'before' }] });
  await expect(seller.activity({ before: 'nonsense' })).rejects.toMatchObject({ code: 'validation_failed' });
});
