import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orderPaid } from '@app/contracts/orders';
import { serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { freePort } from '@app/embedded/ports';
import { connectionChanged, leadingBegan } from '@app/messaging/points';
import { expectFiring, hasPromtool, scrape } from '@app/testing/alerts';
import { volume } from '@app/testing/long';
import { type Listener, listen } from '@app/testing/points';
import { timePasses } from '@app/testing/time-passes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyMadeData } from './support/made-data.ts';
import { mayMount, mountDisk, type OwnDisk } from './support/own-disk.ts';
import { type Answer, call, type Seller } from './support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from './support/standalone.ts';
import { handledAll } from './support/waits.ts';

/** Guarantee: an outage of what `npm start` stands on ends by itself, and everything accepted before it is there after it. */
let directory: string;
/** Where this machine lets us have one. */
let disk: OwnDisk | undefined;
/** On the disk, if there is one. */
let dataDir: string;
const running: Standalone[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-outages-'));
  const folder = join(directory, 'disk');
  dataDir = join(mayMount ? folder : directory, 'data');
  if (mayMount) disk = mountDisk(folder, 500);
});

afterAll(async () => {
  for (const standalone of running) await standalone.end('SIGKILL');
  if (disk !== undefined) {
    // nats-server 2.9 that met the full disk handles no signal but this one.
    const natsPid = await pidOf('nats-server', dataDir).catch(() => undefined);
    if (natsPid !== undefined) endHard(natsPid);
    await disk.close();
  }
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

interface Shop {
  readonly standalone: Standalone;
  readonly healthPort: number;
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly seller: Pick<Seller, 'call'>;
  readonly productId: string;
  /** Of all orders that were answered 200. */
  readonly orderIds: string[];
}

async function start(dataDir: string): Promise<Shop> {
  await copyMadeData(dataDir);
  const healthPort = await freePort();
  const figures = { METRICS_PAGE: 'enabled', HEALTH_PORT: String(healthPort) };
  const standalone = startStandalone(dataDir, await freePort(), { RATE_LIMIT_PER_MINUTE: '0', ...figures });
  running.push(standalone);
  await standalone.until(/^ready /);
  const { baseUrl, apiKey } = await readCredentials(dataDir);
  const authorization = `Bearer ${apiKey}`;
  const seller: Pick<Seller, 'call'> = {
    call: (method, path, options = {}) =>
      call(baseUrl, method, path, { ...options, headers: { authorization, ...options.headers } }),
  };
  const body = { name: 'Course', slug: 'course', priceCents: 100, pricingType: 'onetime', status: 'live' };
  const product = await seller.call('POST', '/api/v1/products', { body });
  expect(product.status).toBe(200);
  return { standalone, healthPort, dataDir, baseUrl, seller, productId: product.json.id, orderIds: [] };
}

let started: Promise<Shop> | undefined;
/** The one whose servers die and whose disk fills up. */
const sharedShop = (): Promise<Shop> => (started ??= start(dataDir));

async function order({ seller, orderIds }: Shop): Promise<Answer> {
  const body = { productSlug: 'course', email: 'ann@example.com' };
  const answer = await seller.call('POST', '/api/v1/orders', { body });
  if (answer.status === 200) orderIds.push(answer.json.orderId);
  return answer;
}

/** Every order that was answered 200 is in the metrics, once. */
async function expectCounted({ seller, productId, orderIds }: Shop): Promise<void> {
  await handledAll('metrics', orderPaid, 'orderId', orderIds);
  expect((await seller.call('GET', `/api/metrics/${productId}`)).json.summary.orders).toBe(orderIds.length);
}

/** The process that has this directory as its own: a server of this test alone. */
async function pidOf(program: string, dataDir: string): Promise<number> {
  if (program === 'nats-server') {
    return (JSON.parse(await readFile(join(dataDir, 'nats', 'server.json'), 'utf8')) as { server: { pid: number } })
      .server.pid;
  }
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10);
}

function endHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
  }
}

/** What shows that each service is at work again: on a new connection to NATS, or with a new session of PostgreSQL. */
const recovery = {
  PostgreSQL: async ({ announced }: Listener) => {
    for (const name of publishers) await announced(leadingBegan, ({ service }) => service === name);
  },
  'nats-server': async ({ announced }: Listener) => {
    for (const name of serviceNames) await announced(connectionChanged, ({ service, up }) => service === name && up);
  },
};
const publishers = serviceNames.filter((service) => topology[service].publishes);

test.each(['PostgreSQL', 'nats-server'] as const)(
  'a killed %s is started again, says so, and orders go on',
  async (name) => {
    const shop = await sharedShop();
    expect((await order(shop)).status).toBe(200);
    await expectCounted(shop);
    const listener = listen();
    process.kill(await pidOf(name, shop.dataDir), 'SIGKILL');
    await shop.standalone.until(new RegExp(`${name} has ended \\(SIGKILL\\), starting it again`));
    await shop.standalone.until(new RegExp(`${name} is back after`));
    await recovery[name](listener);
    expect((await order(shop)).status).toBe(200);
    await expectCounted(shop);
  },
);

test.runIf(mayMount)(
  'a full disk refuses writes by name, answers the rest, and takes orders again once it has room',
  async () => {
    const shop = await sharedShop();
    expect((await order(shop)).status).toBe(200);
    await expectCounted(shop);
    disk?.fill();
    await shop.standalone.until(/writes are refused until space is free/);
    for (let n = 0; n < volume(20, 300); n++) {
      const answer = await order(shop);
      expect([answer.status, answer.json.code, answer.json.detail]).toEqual([
        503,
        'service_unavailable',
        expect.stringContaining('disk'),
      ]);
      const health = await fetch(`${shop.baseUrl}/healthz`, { signal: AbortSignal.timeout(30_000) });
      expect(health.status).toBe(200);
    }
    expect((await call(shop.baseUrl, 'GET', '/readyz')).json).toMatchObject({
      status: 'degraded',
      warnings: expect.arrayContaining([expect.stringContaining('disk of this deployment is full')]),
    });
    if (hasPromtool) expectFiring([await scrape(shop.healthPort, 2)], ['DiskFull', 'WritesRefused']);
    disk?.empty();
    await shop.standalone.until(/has free space again/);
    // nats-server is renewed if it found no room at all: a client that is refused meanwhile comes again, as Retry-After says.
    let answer = await order(shop);
    for (; answer.json.code === 'service_unavailable'; answer = await order(shop)) await timePasses(500);
    expect(answer.status).toBe(200);
    await expectCounted(shop);
  },
);

test('the platform whose servers were killed ends in order, and its log says that they came back', async () => {
  const { standalone, dataDir } = await sharedShop();
  expect(await standalone.end('SIGTERM')).toBe(0);
  const log = await readFile(join(dataDir, 'app.log'), 'utf8');
  for (const name of ['PostgreSQL', 'nats-server']) expect(log).toContain(`${name} is back after`);
});
