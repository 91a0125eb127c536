import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, type Logger } from '@app/service-kit/logger';
import { guardLeaks } from '@app/testing/leak-guard';
import { announced } from '@app/testing/points';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { requestEnded } from '../src/points/points.ts';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let harness: Harness;
let gateway: RunningGateway;
let folder: string;
let logger: Logger;
let key: string;

beforeAll(async () => {
  harness = await createHarness();
  folder = mkdtempSync(join(tmpdir(), 'request-lines-'));
  logger = createLogger({ service: 'gateway', level: 'info', destination: join(folder, 'log') });
  gateway = await harness.start({}, { logger });
  ({ key } = await createSeller(gateway.url));
});
afterAll(async () => {
  await harness.close();
  rmSync(folder, { recursive: true });
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, accept: 'application/json, text/event-stream' };

/** All lines of the request with this id. */
async function linesOf(requestId: string): Promise<Record<string, unknown>[]> {
  await announced(requestEnded, (ended) => ended.requestId === requestId);
  await new Promise<void>((resolve) => logger.flush(() => resolve()));
  const lines = readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);
}
const warning = 40;
const error = 50;

test('a service that does not answer is one warning with the code, the cause and the trace', async () => {
  const answer = await send(gateway.url, 'GET', '/api/v1/affiliates', {
    key,
    headers: { ...headers, 'x-request-id': 'down-1' },
  });
  expect(answer.status).toBe(503);
  expect(await linesOf('down-1')).toEqual([
    expect.objectContaining({
      level: warning,
      msg: 'request failed',
      route: '/api/v1/affiliates',
      status: 503,
      code: 'service_unavailable',
      cause: expect.stringContaining('affiliate'),
      traceId,
      accountId: expect.stringMatching(/^acc_/),
    }),
  ]);
});

test('a tool that fails so is a warning too, although its answer is 200', async () => {
  const answer = await send(gateway.url, 'POST', '/api/mcp', {
    key,
    headers: { ...headers, 'x-request-id': 'down-2' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_affiliates', arguments: {} } },
  });
  expect(answer.status).toBe(200);
  const expected = { level: warning, route: '/api/mcp', code: 'service_unavailable', traceId };
  expect(await linesOf('down-2')).toEqual([expect.objectContaining(expected)]);
});

test('a fault of an unknown kind is one error', async () => {
  const { place } = harness.orders;
  harness.orders.place = async () => {
    throw new Error('unforeseen');
  };
  const body = { productSlug: 'a', email: 'a@example.com' };
  await send(gateway.url, 'POST', '/api/v1/orders', { key, body, headers: { 'x-request-id': 'fault-1' } });
  harness.orders.place = place;
  expect(await linesOf('fault-1')).toEqual([expect.objectContaining({ level: error, status: 500, code: 'internal' })]);
});

test('a caller’s own mistakes are no warnings', async () => {
  await send(gateway.url, 'GET', '/api/v1/nothing', { headers: { 'x-request-id': 'mistake-1' } });
  expect(await linesOf('mistake-1')).toEqual([expect.objectContaining({ level: 30, status: 404, msg: 'request' })]);
});

test('an address that nothing is at logs no part of a link of an email', async () => {
  const token = 'a-token-as-long-as-those-that-emails-hold-0';
  for (const [n, path] of [
    `/c/opt-out/${token}/y/`,
    `//c/opt-out/${token}/x`,
    `/C/opt-out/${token}/y?z`,
    `/letters/verification/${token}/`,
    `/p/a-shop/open/${token}/y`,
    `//P/a-shop/open/${token}?z`,
    `/api/checkout/opt-outs/${token}/`,
  ].entries()) {
    await send(gateway.url, 'GET', path, { headers: { 'x-request-id': `link-${n}` } });
    const lines = JSON.stringify(await linesOf(`link-${n}`));
    expect(lines).not.toContain(token);
    expect(lines).toMatch(/\/(c|p|letters|api\/checkout)\/…/);
  }
});
