import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange } from '../src/deliveries/exchange.ts';
import { createGuardedAgent } from '../src/deliveries/guarded-agent.ts';

guardLeaks();
const guarded = createGuardedAgent({ allowLoopback: false });
const open = createGuardedAgent({ allowLoopback: true });
let receiver: Awaited<ReturnType<typeof startReceiver>>;
/** Answers at once with a head, and never ends the body; breaks off at `/cut`. */
let dripping: Server;
beforeAll(async () => {
  receiver = await startReceiver();
  dripping = createServer((request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('drip');
    if (request.url === '/cut') response.write('p', () => response.destroy());
  });
  await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await Promise.all([guarded.destroy(), open.destroy(), receiver.close()]);
  dripping.closeAllConnections();
  dripping.close();
});

const post = (agent: typeof guarded, origin: string, path = '/', timeoutMs = 2_000) =>
  exchange(
    agent,
    { origin: new URL(origin).origin, path, headers: ['content-type', 'application/json'], body: '{}' },
    timeoutMs,
  );

test.each([
  '127.0.0.1',
  'localhost',
  'a.localhost',
  '2130706433',
  '0x7f.1',
  '[::ffff:127.0.0.1]',
  '[::1]',
  '[64:ff9b::7f00:1]',
])('no connection is made to %s, though something listens there', async (host) => {
  const result = await post(guarded, `http://${host}:${new URL(receiver.url).port}`);
  expect(result).toMatchObject({ statusCode: null, error: { code: 'ADDRESS_REFUSED' } });
  expect(receiver.requests).toHaveLength(0);
});

test('the development setting reaches this machine by address and by name', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    expect(await post(open, `http://${host}:${new URL(receiver.url).port}`)).toMatchObject({
      statusCode: 200,
      error: null,
    });
  }
});

test('an answer whose body never ends is over when the time is', async () => {
  const origin = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
  const result = await post(open, origin, '/', 200);
  expect(result).toMatchObject({ statusCode: 200, error: { code: 'ATTEMPT_TIMEOUT' } });
  expect(result.excerpt?.toString()).toBe('drip');
  expect(result.durationMs).toBeLessThan(1_000);
});

test('an answer that breaks off is no complete exchange', async () => {
  const origin = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
  const result = await post(open, origin, '/cut');
  expect(result.error).not.toBeNull();
});
