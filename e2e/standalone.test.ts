import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { orderPaid } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { freePort, portInUse } from '@app/embedded/ports';
import { startPostgres } from '@app/embedded/postgres';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { copyMadeData } from './support/made-data.ts';
import { call } from './support/seller.ts';
import { readCredentials } from './support/standalone.ts';
import { dataDir, folderForEachTest, running, startInFolder } from './support/standalone-folder.ts';
import { handled, handledAll } from './support/waits.ts';

/** Guarantee: one command starts everything, keeps everything over restarts and kills, and stops everything. */
folderForEachTest();
const start = startInFolder;

const credentials = () => readCredentials(dataDir);

async function read(path: string) {
  const { baseUrl, apiKey } = await credentials();
  return await call(baseUrl, 'GET', path, { headers: { authorization: `Bearer ${apiKey}` } });
}

/** Of the whole list, all but those whose card is held. */
async function paidOrders(): Promise<string[]> {
  const orders: { id: string; status: string }[] = [];
  for (let before = ''; ; ) {
    const { json } = await read(`/api/v1/orders?limit=100${before}`);
    orders.push(...json.data);
    if (!json.has_more) break;
    before = `&before=${orders.at(-1)?.id}`;
  }
  return orders.filter(({ status }) => status !== 'authorized').map(({ id }) => id);
}

test('the first start makes a realistic shop; a restart keeps it; SIGTERM stops every process', async () => {
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
  await handledAll('metrics', orderPaid, 'orderId', await paidOrders());
  await handled('metrics', subscriptionStarted, ({ productId }) => productId === id);
  const { json } = await read(`/api/metrics/${id}`);
  expect(json.summary.activeSubscriptions).toBeGreaterThan(0);
  expect(json.revenueByMonth.length).toBeGreaterThanOrEqual(2);

  expect(await first.end('SIGTERM')).toBe(0);
  expect(await portInUse(port)).toBe(false);
  const second = start(await freePort(port));
  await second.until(/^ready /);
  expect((await read('/api/v1/orders')).text).toBe(orders.text);
  expect((await credentials()).baseUrl).not.toBe(baseUrl);
  expect(await second.end('SIGTERM')).toBe(0);
});

test('a data directory in use and a port in use are said so, naming them', async () => {
  const port = await freePort();
  await copyMadeData(dataDir);
  const first = start(port);
  await first.until(/^ready /);
  const sameDirectory = start(await freePort());
  expect(await sameDirectory.ended).toBe(1);
  expect(sameDirectory.output()).toContain(`The data directory ${dataDir} is in use by process ${first.child.pid}`);
  const samePort = start(port, { DATA_DIR: join(dataDir, 'other') });
  expect(await samePort.ended).toBe(1);
  expect(samePort.output()).toContain(`Port ${port} on 127.0.0.1 is in use`);
  expect((await read('/api/v1/products')).json).toEqual({ data: [] });
});

test('a first start that is killed with -9 at any of its steps is finished by the next one, with one shop and nothing twice', async () => {
  const steps = [/PostgreSQL …/, /PostgreSQL on/, /catalog ready/, /creating its orders/, /demo shop ready/];
  for (const step of steps.filter((_, n) => volume(0, 1) === 1 || n === 1 || n === 3)) {
    const killed = start(await freePort());
    // A kill that comes late may leave nothing to do for the next start: that one is ready without the step.
    await killed.until(new RegExp(`${step.source}|^ready `));
    await killed.end('SIGKILL');
  }
  const last = start(await freePort());
  await last.until(/^ready /);
  const { baseUrl, email, password } = await credentials();
  expect((await call(baseUrl, 'POST', '/api/auth/login', { body: { email, password } })).status).toBe(200);
  const products = (await read('/api/v1/products')).json.data as { id: string; slug: string }[];
  expect(products).toHaveLength(5);
  expect(new Set(products.map((product) => product.slug)).size).toBe(5);
  // As many as the demo shop has, by its own word; an earlier start's, where the kill came too late.
  const said = running.map((each) => each.output()).join('');
  const [, orders] = /demo shop ready: (\d+) orders/.exec(said) ?? [];
  const ids = await paidOrders();
  expect([ids.length, new Set(ids).size]).toEqual([Number(orders), Number(orders)]);
  // NATS delivers again after 10 s what a killed process had fetched.
  await handledAll('metrics', orderPaid, 'orderId', ids);
  const metrics = await Promise.all(
    products.map(async ({ id }) => (await read(`/api/metrics/${id}`)).json.summary.orders),
  );
  expect(metrics.reduce((sum: number, count: number) => sum + count, 0)).toBe(Number(orders));
});

test('data of version 0.1.0 is refused with one error that says what to do, and stays as it is', async () => {
  await copyMadeData(dataDir);
  const inBilling = async <Row extends object>(sql: string): Promise<Row[]> => {
    const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') });
    const url = new URL(postgres.url);
    url.pathname = '/billing';
    return await query<Row>(url.href, sql).finally(() => postgres.stop());
  };
  const names = `select array_agg(name order by id)::text as names, (select count(*)::int from pg_class) as relations from migrations`;
  await inBilling(`delete from migrations;
    insert into migrations (name) values ('0001-initial'), ('0002-messaging-published-at'), ('0003-messaging-event-tries')`);
  const before = await inBilling(names);
  const refused = start(await freePort());
  expect(await refused.ended).toBe(1);
  expect(refused.output().match(/^.*version 0\.1\.0.*$/gm)).toEqual([
    'The database billing has data of version 0.1.0, which later versions cannot use. Nothing was changed in it. ' +
      'Start on an empty database (npm start: on another DATA_DIR), or go on with version 0.1.0.',
  ]);
  expect(await inBilling(names)).toEqual(before);
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
