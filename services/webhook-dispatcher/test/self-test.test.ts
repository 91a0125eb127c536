import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { orderPaid } from '@app/contracts/orders';
import { listActivity, listDeliveries } from '@app/contracts/webhook-deliveries';
import { selfTestWebhook } from '@app/contracts/webhook-tests';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import type { ReceivedRequest, Responder } from '@app/testing/http-receiver';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { stored } from './harness.ts';
import { anOrder, connectedAccount } from './orders.ts';
import { harness, shortenAttempts, startService } from './set-up.ts';

startService();

async function connectedSeller() {
  const seller = await connectedAccount(harness);
  const { account, endpointId } = seller;
  const selfTest = async (commandId?: string) => {
    const result = await harness.request(selfTestWebhook, account, { endpointId }, commandId);
    return selfTestWebhook.output.parse(result);
  };
  return { ...seller, selfTest };
}

const isGenuine = (secret: string, { body, headers }: ReceivedRequest): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

/** A receiver as the developer page describes it. */
function careful(secret: string, seenStatus = 200): Responder {
  const seen = new Set<unknown>();
  return (request) => {
    if (!isGenuine(secret, request)) return { status: 401 };
    const isNew = !seen.has(request.headers['webhook-id']);
    seen.add(request.headers['webhook-id']);
    return { status: isNew ? 200 : seenStatus };
  };
}

test('a careful receiver passes: it got a good, a forged, a stale and a doubled copy, in this order and no further one', async () => {
  const { receiver, secret, selfTest, account, url, endpointId } = await connectedSeller();
  receiver.respondWith(careful(secret));
  const fromSeconds = Math.floor(Date.now() / 1_000);
  const result = await selfTest();
  const toSeconds = Date.now() / 1_000;
  expect(result.ok).toBe(true);
  expect(result.results.map(({ copy, status_code }) => [copy, status_code])).toEqual([
    ['good', 200],
    ['bad_signature', 401],
    ['stale', 401],
    ['doubled', 200],
  ]);
  const [good, forged, stale, doubled] = receiver.requests as [
    ReceivedRequest,
    ReceivedRequest,
    ReceivedRequest,
    ReceivedRequest,
  ];
  expect(receiver.requests).toHaveLength(4);
  expect(doubled.body).toBe(good.body);
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  expect(doubled.headers['webhook-id']).toBe(good.headers['webhook-id']);
  for (const { headers, body } of receiver.requests) {
    expect(headers).toMatchObject({ 'x-service-test': '1', 'x-service-event': 'order.paid' });
    expect(JSON.parse(body)).toMatchObject({ event: 'order.paid', sentAt: harness.clock.now().toISOString() });
  }
  const sentSeconds = (copy: ReceivedRequest) => Number(copy.headers['webhook-timestamp']);
  for (const at of [sentSeconds(good), sentSeconds(forged), sentSeconds(doubled), sentSeconds(stale) + 600]) {
    expect(at).toBeGreaterThanOrEqual(fromSeconds);
    expect(at).toBeLessThanOrEqual(toSeconds);
  }
  // The stale copy is signed for its time, and the forged one is of now: each is wrong in one thing alone.
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = stale.headers as Record<string, string>;
  const signed = new Webhook(secret).sign(String(id), new Date(Number(timestamp) * 1_000), stale.body);
  expect(stale.headers['webhook-signature']).toBe(signed);
  const { data } = await harness.request(listActivity, account, {});
  const summary = `Self-test of ${url}: ${result.summary}`;
  expect(data).toMatchObject([{ kind: 'notice', url, endpoint_id: endpointId, test: true, summary }]);
});

test('the result of a receiver that accepts everything says what that means', async () => {
  const { selfTest } = await connectedSeller();
  const { ok, results, summary } = await selfTest();
  expect([ok, results.map((each) => each.ok)]).toEqual([false, [true, false, false, true]]);
  expect(summary).toContain('anyone who knows the URL could fake a sale');
});

test('the result of a receiver that refuses what it has seen says that it would get it again', async () => {
  const { receiver, secret, selfTest } = await connectedSeller();
  receiver.respondWith(careful(secret, 409));
  const { ok, results } = await selfTest();
  expect([ok, results.map((each) => each.ok)]).toEqual([false, [true, true, true, false]]);
  expect(results[3]).toMatchObject({ status_code: 409, explanation: expect.stringContaining('answer 2xx') });
});

test('a redirect is not followed, and a receiver that hangs takes the time of an attempt for each copy', async () => {
  const { receiver, selfTest } = await connectedSeller();
  receiver.respondWith(() => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } }));
  expect(await selfTest()).toMatchObject({ ok: false, results: [{ status_code: 302, error: null }, {}, {}, {}] });
  expect(receiver.requests.map(({ path }) => path)).toEqual(Array(4).fill('/hook?from=us'));
  await shortenAttempts(harness);
  receiver.respondWith(() => ({ status: 200, delayMs: 30_000 }));
  const hung = await selfTest();
  expect(hung.results.map(({ status_code, error }) => [status_code, error])).toEqual(
    Array(4).fill([null, 'no complete answer in time']),
  );
  for (const { duration_ms } of hung.results) expect(duration_ms).toBeGreaterThanOrEqual(200);
});

test('a receiver that closes the connection, and none at all, are results too', async () => {
  const { account, endpointId, selfTest } = await connectedSeller();
  const closing: Server = createServer((request) => request.socket.destroy());
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(closing.address() as AddressInfo).port}`;
  await harness.request(putWebhookEndpoint, account, { body: { url } });
  const answer = async () => (await harness.request(selfTestWebhook, account, { endpointId })).results[0];
  expect(await answer()).toMatchObject({ ok: false, error: 'the connection was closed before an answer came' });
  await new Promise((resolve) => closing.close(resolve));
  expect(await answer()).toMatchObject({ ok: false, error: 'the connection was refused' });
  expect((await selfTest()).summary).toBe('A genuine delivery was not accepted.');
});

test('one test of an endpoint runs at a time; the same command waits for its result and sends nothing more', async () => {
  const { receiver, selfTest } = await connectedSeller();
  let free = (): void => undefined;
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  receiver.respondWith(async () => {
    await freed;
    return { status: 200 };
  });
  const commandId = '01kahv7w3xe5m8q2r6t9y0b4cd';
  const first = selfTest(commandId);
  await receiver.received(1);
  const repeated = selfTest(commandId);
  await expect(selfTest()).rejects.toMatchObject({ code: 'invalid_transition' });
  free();
  const result = await first;
  expect(await repeated).toEqual(result);
  expect(await selfTest(commandId)).toEqual(result);
  expect(receiver.requests).toHaveLength(4);
  expect((await selfTest()).results).toHaveLength(4);
  expect(receiver.requests).toHaveLength(8);
});

test('a process that was killed in the middle of a test blocks the endpoint until its time is over, and its command tests again', async () => {
  const { receiver, account, endpointId, selfTest } = await connectedSeller();
  // What a kill -9 between the copies leaves behind.
  await harness.query(
    `insert into self_tests (endpoint_id, account_id, command_id, until)
     values ($1, $2, 'killed', clock_timestamp() + interval '1 hour')`,
    [endpointId, account],
  );
  await expect(selfTest()).rejects.toMatchObject({ code: 'invalid_transition' });
  const again = selfTest('killed');
  await harness.query('update self_tests set until = clock_timestamp() where endpoint_id = $1', [endpointId]);
  expect((await again).results).toHaveLength(4);
  expect(receiver.requests).toHaveLength(4);
  expect(await harness.query('select command_id from self_tests where endpoint_id = $1', [endpointId])).toEqual([]);
});

test('an endpoint that is off can be tested; one without a URL and another account’s cannot', async () => {
  const { account, url, endpointId, selfTest } = await connectedSeller();
  await harness.request(putWebhookEndpoint, account, { body: { url, active: false } });
  expect((await selfTest()).results[0]).toMatchObject({ ok: true });
  const notFound = { code: 'webhook_endpoint_not_found' };
  await expect(harness.request(selfTestWebhook, harness.account(), { endpointId })).rejects.toMatchObject(notFound);
  const unconnected = harness.account();
  const { deliveries } = await stored(await harness.publish(orderPaid, unconnected, anOrder(harness.clock.nowMs())));
  const placeholder = { endpointId: deliveries[0]?.endpointId as string };
  await expect(harness.request(selfTestWebhook, unconnected, placeholder)).rejects.toMatchObject({
    code: 'invalid_transition',
    message: expect.stringContaining('No URL is connected'),
  });
});

test('a login page that answers 200 is no receiver: the self-test and the delivery say so', async () => {
  const { receiver, selfTest, account, delivered } = await connectedSeller();
  const headers = { 'content-type': 'text/html' };
  receiver.respondWith(() => ({ status: 200, headers, body: '<!doctype html><title>Log in</title>' }));
  expect((await selfTest()).results[0]?.explanation).toContain('a login page');
  await harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()));
  await delivered();
  const [delivery] = (await harness.request(listDeliveries, account, { event: 'order.paid' })).data;
  expect(delivery?.reason).toMatch(/^Delivered at the first attempt\. The server answered with a login page\./);
});
