import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, portInUse } from '@app/embedded/ports';
import { eventually } from '@app/testing/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call } from './support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from './support/standalone.ts';

/** Guarantee: one command starts everything, keeps everything over restarts and kills, and stops everything. */
let dataDir: string;
let running: Standalone[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'funnelry-standalone-'));
  running = [];
});

afterEach(async () => {
  for (const standalone of running) await standalone.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

function start(port: number, settings: Record<string, string> = {}, args: string[] = []): Standalone {
  const standalone = startStandalone(dataDir, port, settings, args);
  running.push(standalone);
  return standalone;
}

const credentials = () => readCredentials(dataDir);

async function read(path: string) {
  const { baseUrl, apiKey } = await credentials();
  return await call(baseUrl, 'GET', path, { headers: { authorization: `Bearer ${apiKey}` } });
}

test('the first start makes a real-looking shop; a restart keeps it; SIGTERM stops every process', async () => {
  const port = await freePort();
  const first = start(port);
  await first.until(/^ready http:\/\/127\.0\.0\.1:\d+$/);
  expect((await stat(join(dataDir, 'credentials.json'))).mode & 0o777).toBe(0o600);
  const { baseUrl, email, password } = await credentials();
  expect(baseUrl).toBe(`http://127.0.0.1:${port}`);
  expect((await call(baseUrl, 'POST', '/api/auth/login', { body: { email, password } })).status).toBe(200);

  const products = (await read('/api/v1/products')).json.data as {
    id: string;
    billing_interval: string | null;
    status: string;
  }[];
  expect(new Set(products.map((product) => product.billing_interval))).toEqual(new Set([null, 'month', 'year']));
  const orders = await read('/api/v1/orders');
  expect(orders.json.data).toHaveLength(100);
  const funnels = await Promise.all(
    products.map(async (product) => (await read(`/api/products/${product.id}/funnel`)).json),
  );
  for (const part of ['bumps', 'upsells', 'emails'])
    expect(funnels.some((funnel) => funnel[part].length > 0)).toBe(true);
  expect((await read('/api/v1/affiliates')).json.data).toHaveLength(1);
  const { id } = products.find((product) => product.billing_interval === 'month') ?? { id: '' };
  await eventually(async () => {
    const { json } = await read(`/api/metrics/${id}`);
    return json.summary.activeSubscriptions > 0 && json.revenueByMonth.length >= 2;
  });

  const stoppingMs = performance.now();
  expect(await first.end('SIGTERM')).toBe(0);
  // Ten by its own clock, and a busy machine's delay.
  expect(performance.now() - stoppingMs).toBeLessThan(15_000);
  expect(await portInUse(port)).toBe(false);
  const second = start(await freePort(port));
  await second.until(/^ready /);
  expect((await read('/api/v1/orders')).text).toBe(orders.text);
  expect((await credentials()).baseUrl).not.toBe(baseUrl);
  expect(await second.end('SIGTERM')).toBe(0);
});

test('a data directory in use and a port in use are said so, naming them', async () => {
  const port = await freePort();
  const first = start(port, {}, ['--empty']);
  await first.until(/^ready /);
  const sameDirectory = start(await freePort());
  expect(await sameDirectory.ended).toBe(1);
  expect(sameDirectory.output()).toContain(`The data directory ${dataDir} is in use by process ${first.child.pid}`);
  const samePort = start(port, { DATA_DIR: join(dataDir, 'other') });
  expect(await samePort.ended).toBe(1);
  expect(samePort.output()).toContain(`Port ${port} on 127.0.0.1 is in use`);
  expect((await read('/api/v1/products')).json).toEqual({ data: [] });
});

test('killed with -9 while it fills the shop, the next start finishes the work and does nothing twice', async () => {
  const first = start(await freePort());
  await first.until(/now its orders/);
  await first.end('SIGKILL');
  const second = start(await freePort());
  await second.until(/^ready /);
  const products = (await read('/api/v1/products')).json.data as { id: string; slug: string }[];
  expect(new Set(products.map((product) => product.slug)).size).toBe(products.length);
  const counted = async (): Promise<number> => {
    const metrics = await Promise.all(
      products.map(async ({ id }) => (await read(`/api/metrics/${id}`)).json.summary.orders),
    );
    return metrics.reduce((sum: number, orders: number) => sum + orders, 0);
  };
  // As many as the demo shop has, by its own word; the first start's, where the kill came too late.
  const [, orders] = /demo shop ready: (\d+) orders/.exec(second.output() + first.output()) ?? [];
  // NATS hands out again after 10 s what the killed process had taken. A look asks for each product; a key may ask 600 times a minute.
  const look = { withinMs: 60_000, everyMs: 1_000 };
  await eventually(async () => (await counted()) === Number(orders), look);
});

test('an argument that means nothing is refused before anything is made', async () => {
  const wrong = start(await freePort(), {}, ['--emtpy']);
  expect(await wrong.ended).toBe(1);
  expect(wrong.output()).toContain('--emtpy');
});

test('settings that make no sense are all named at once', async () => {
  const wrong = start(await freePort(), { SIGNUP: 'maybe', RATE_LIMIT_PER_MINUTE: 'many' });
  expect(await wrong.ended).toBe(1);
  expect(wrong.output()).toMatch(/SIGNUP: .*\n.*RATE_LIMIT_PER_MINUTE: /);
});
