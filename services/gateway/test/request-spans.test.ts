import { silentLogger } from '@app/service-kit/logger';
import { startTelemetry, type Telemetry } from '@app/service-kit/telemetry';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let collector: Receiver;
let telemetry: Telemetry;
let harness: Harness;

beforeAll(async () => {
  const body = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
  collector = await startReceiver({ respond: () => body });
  telemetry = await startTelemetry({ version: '1', endpoint: collector.url, logger: silentLogger() });
  harness = await createHarness();
});
afterAll(async () => {
  await harness.close();
  await telemetry.shutdown();
  await collector.close();
});

const sent = () => collector.requests.filter(({ path }) => path === '/v1/traces').map(({ body }) => body);

test('no span holds the token of a link that ends reminders, wherever the link leads', async () => {
  const { url } = await harness.start();
  const token = 'a-token-as-long-as-those-that-emails-hold-0';
  for (const path of [`/c/opt-out/${token}`, `/c/opt-out/${token}/`, `//c/opt-out/${token}?x`]) {
    await send(url, 'GET', path);
  }
  await send(url, 'GET', '/c/seller/course?secret=1');
  // The spans of one process leave in the order in which they ended.
  await collector.received(1, ({ path, body }) => path === '/v1/traces' && body.includes('/c/seller/course'));
  const spans = sent().join();
  expect(spans).not.toContain(token);
  expect(spans).not.toContain('secret=1');
  expect(spans).toContain('/c/opt-out/{token}');
  expect(spans).toContain('/c/…');
});
