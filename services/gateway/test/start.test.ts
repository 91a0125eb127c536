import { AdjustableClock } from '@app/service-kit/clock';
import { silentLogger } from '@app/service-kit/logger';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { createGateway } from '../src/service.ts';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

test('a gateway that can move no clock does not start as if it could', async () => {
  const config = readConfig({ ...harness.env, CLOCK_CONTROL: 'enabled' });
  const deps = { logger: silentLogger(), clock: new AdjustableClock() };
  await expect(createGateway(config, deps)).rejects.toThrow(/CLOCK_CONTROL: .*share a process/);
});

test('one connection is enough to serve with', async () => {
  const { url } = await harness.start({ DATABASE_POOL_MAX: '1' });
  const { session } = await createSeller(url);
  const headers = { 'idempotency-key': 'one' };
  expect((await send(url, 'POST', '/api/v1/api-keys', { session, headers, body: { name: 'k' } })).status).toBe(200);
});
