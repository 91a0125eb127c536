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
/** Sends the head at once and never ends the body; closes the connection at `/cut`. */
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

const post = (agent: typeof guarded, origin: string, path = '/', timeoutMs = 10_000) =>
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

/** An agent for which every name resolves to these addresses. */
const agentWith = (allowLoopback: boolean, v4: string[], v6: string[] = []) =>
  createGuardedAgent({ allowLoopback, nameServers: { resolve4: async () => v4, resolve6: async () => v6 } });

test.each([
  [['127.0.0.1'], []],
  [
    ['10.0.0.5', '169.254.169.254'],
    ['fd00::1', '::ffff:127.0.0.1'],
  ],
  [['168.63.129.16'], ['::127.0.0.1', '2002:7f00:1::', 'fec0::1']],
])('no connection is made to a name that resolves to %j and %j', async (v4, v6) => {
  const agent = agentWith(false, v4, v6);
  const result = await post(agent, `http://hooks.example.com:${new URL(receiver.url).port}`);
  await agent.destroy();
  expect(result).toMatchObject({ statusCode: null, error: { code: 'ADDRESS_REFUSED' } });
  expect(receiver.requests).toHaveLength(0);
});

test('the agent connects only to the allowed addresses of a name', async () => {
  const agent = agentWith(true, ['10.0.0.5', '127.0.0.1'], ['fd00::1']);
  const result = await post(agent, `http://hooks.example.com:${new URL(receiver.url).port}`);
  await agent.destroy();
  expect(result).toMatchObject({ statusCode: 200, error: null });
  expect(receiver.requests.at(-1)?.headers.host).toMatch(/^hooks\.example\.com:/);
});

test('the development setting reaches this machine by address and by name', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    expect(await post(open, `http://${host}:${new URL(receiver.url).port}`)).toMatchObject({
      statusCode: 200,
      error: null,
    });
  }
});

test('a response whose body never ends is aborted at the time limit', async () => {
  const origin = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
  const result = await post(open, origin, '/', 1_000);
  expect(result).toMatchObject({ statusCode: 200, error: { code: 'ATTEMPT_TIMEOUT' } });
  expect(result.excerpt?.toString()).toBe('drip');
});

test('a response that breaks off is not a complete exchange', async () => {
  const origin = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
  const result = await post(open, origin, '/cut');
  expect(result.error).not.toBeNull();
});
