import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { startReceiver } from '@app/testing/http-receiver';
import { listen } from '@app/testing/points';
import { attemptsRecorded } from '@app/webhook-dispatcher/points';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyMadeData } from '../support/made-data.ts';
import { print } from '../support/print.ts';
import { addProduct, type Seller, signUp } from '../support/seller.ts';
import { type Standalone, startStandalone } from '../support/standalone.ts';

/** Bound: on a public address an anonymous account sends no request to a service of this machine. */
let directory: string;
let running: Standalone | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-abuse-'));
});
afterEach(async () => {
  await running?.end('SIGKILL');
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function start(port: number, settings: Record<string, string>): Promise<void> {
  running = startStandalone(join(directory, 'data'), port, settings);
  await running.until(/^ready /);
}

/** An order, which goes to the endpoint and the automation, and a test send: three deliveries, each attempted once. */
async function sendThree(seller: Seller, endpointId: string): Promise<boolean[]> {
  const listener = listen();
  const body = { productSlug: 'course', email: 'grace@example.com' };
  expect((await seller.call('POST', '/api/v1/orders', { body })).status).toBe(200);
  const sent = await seller.call('POST', `/api/v1/webhook-endpoints/${endpointId}/test`, {
    body: { event: 'order.paid' },
  });
  expect(sent.status).toBe(200);
  const delivered: boolean[] = [];
  await listener.announced(attemptsRecorded, ({ attempts }) => {
    const first = attempts.filter(({ accountId, number }) => accountId === seller.accountId && number === 1);
    delivered.push(...first.map((attempt) => attempt.delivered));
    return delivered.length >= 3;
  });
  return delivered;
}

test('an anonymous account of a public address reaches no loopback receiver', async () => {
  const inner = await startReceiver();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  await copyMadeData(join(directory, 'data'));
  // While only this machine's users have accounts, webhooks reach their own programs.
  await start(port, {});
  const seller = await signUp(baseUrl);
  await addProduct(seller);
  const endpoint = { url: `${inner.url}/endpoint` };
  const automation = {
    name: 'Own',
    event: 'order.paid',
    action: { type: 'post', url: `${inner.url}/automation` },
  };
  const connected = await seller.call('POST', '/api/v1/webhook-endpoints', { body: endpoint });
  expect(connected.status).toBe(200);
  expect((await seller.call('POST', '/api/v1/automations', { body: automation })).status).toBe(200);
  expect(await sendThree(seller, connected.json.id)).toEqual([true, true, true]);
  await running?.end('SIGTERM');
  inner.forget();

  // The same data, now with an address that others reach: what was connected before is refused as well.
  await start(port, { HOST: '0.0.0.0' });
  const stranger = await signUp(baseUrl);
  const refusals = [
    await stranger.call('POST', '/api/v1/webhook-endpoints', { body: endpoint }),
    await stranger.call('PUT', '/api/v1/webhook-endpoint', { body: endpoint }),
    await stranger.call('POST', '/api/v1/automations', { body: automation }),
    await stranger.call('POST', '/api/v1/webhook-endpoints', { body: { url: 'http://169.254.169.254/latest/' } }),
  ];
  const attempts = await sendThree(seller, connected.json.id);
  const self = await seller.call('POST', `/api/v1/webhook-endpoints/${connected.json.id}/self-test`, { body: {} });
  print(
    `loopback webhooks on HOST=0.0.0.0: ${refusals.length} settings refused with ${refusals.map(({ status }) => status).join(', ')}; ` +
      `${attempts.length} deliveries and a self-test (${self.status}) attempted; ${inner.requests.length} requests arrived`,
  );
  expect(refusals.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect(attempts).toEqual([false, false, false]);
  expect(inner.requests).toHaveLength(0);
});
