import { join } from 'node:path';
import { orderPaid } from '@app/contracts/orders';
import { productCreated } from '@app/contracts/products';
import { freePort } from '@app/embedded/ports';
import { startPostgres } from '@app/embedded/postgres';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { firstSeller, logIn } from './support/first-seller.ts';
import { copyMadeData } from './support/made-data.ts';
import { readCredentials } from './support/standalone.ts';
import { dataDir, folderForEachTest, running, startInFolder } from './support/standalone-folder.ts';
import { handledAll } from './support/waits.ts';

/** Guarantee: a first start that is killed is finished by the next one, and what cannot be started is said in one error. */
folderForEachTest();
const start = startInFolder;

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
  const { read, paidOrders } = firstSeller(dataDir);
  expect((await logIn(await readCredentials(dataDir))).status).toBe(200);
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
  const productIds = products.map(({ id }) => id);
  await handledAll('metrics', productCreated, 'productId', productIds);
  const metrics = await Promise.all(
    productIds.map(async (id) => (await read(`/api/metrics/${id}`)).json.summary.orders),
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
