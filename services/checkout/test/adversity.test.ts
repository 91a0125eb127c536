import { createOrder } from '@app/contracts/orders';
import { isWorking, writeContext } from '@app/messaging/request-headers';
import { openDatabase } from '@app/service-kit/database';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { query as queryDatabase } from '@app/testing/sql';
import { readStream } from '@app/testing/stream';
import { timePasses } from '@app/testing/time-passes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { account, context, course, createHarness, type Harness, orderBody } from './harness.ts';

guardLeaks();

let harness: Harness;

beforeEach(async () => {
  harness = await createHarness();
  harness.products.set('acc_1/course', course);
});

afterEach(() => harness.close());

const create = (change: Parameters<typeof orderBody>[0] = {}, ctx = context()) =>
  harness.requester.request(createOrder, { body: orderBody(change), account }, ctx);
const query = <Row extends object>(sql: string) => queryDatabase<Row>(harness.database.url, sql);
const count = async (table: string) => (await query(`select 1 from ${table}`)).length;

/** Two batches wait for the catalog: orders that come now wait behind them, and form the next batch. */
async function keepBatcherBusy(): Promise<{ release: () => void; busy: Promise<unknown> }> {
  const release = harness.stallCatalog();
  const first = create();
  await eventually(() => harness.asked.length === 1);
  const second = create();
  await eventually(() => harness.asked.length === 2);
  return { release, busy: Promise.all([first, second]) };
}

test('a command repeated while its order waits takes one place in the queue, and leaves room for others', async () => {
  await harness.start();
  const release = harness.stallCatalog();
  const ctx = context();
  // More than may wait at all.
  const repeated = Array.from({ length: 2_200 }, () => create({}, ctx));
  const neighbour = create();
  await harness.arrived();
  release();
  const answers = new Set((await Promise.all(repeated)).map(({ orderId }) => orderId));
  expect([...answers]).toEqual([`ord_${ctx.commandId}`]);
  expect(await neighbour).toMatchObject({ ok: true });
  expect(await count('orders')).toBe(2);
});

test('orders outlast a database that stands still for longer than one try waits, each recorded and published once', async () => {
  await harness.start();
  const database = await openDatabase(databaseOptions(harness.database.url));
  try {
    const orders = await database.transaction(async (client) => {
      await client.query('lock table orders in exclusive mode');
      const sent = Array.from({ length: 12 }, (_, n) => create(n % 3 === 0 ? { discountCode: 'ALWAYS' } : {}));
      await timePasses(6_000);
      return sent;
    });
    const ids = (await Promise.all(orders)).map(({ orderId }) => orderId);
    expect(new Set(ids).size).toBe(12);
  } finally {
    await database.close();
  }
  expect(await count('orders')).toBe(12);
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '4' }]);
  await eventually(async () => (await count('outbox where stream_seq is not null')) === 12);
  expect(await readStream(harness.nats, 'EVT_CHECKOUT')).toHaveLength(12);
  expect(await count('outbox')).toBe(12);
});

test('an order whose caller stopped waiting before its turn came is refused and not recorded', async () => {
  await harness.start();
  const { release, busy } = await keepBatcherBusy();
  const ctx = { ...context(), traceparent: undefined };
  const timeoutMs = 1_000;
  const payload = JSON.stringify({ body: orderBody(), account });
  const headers = writeContext({ ...ctx, timeoutMs });
  const late = finalAnswer(payload, headers);
  await harness.arrived();
  // The time runs from the arrival.
  await timePasses(timeoutMs + 1);
  release();
  await busy;
  expect(await late).toMatchObject({ code: 'service_unavailable' });
  expect(await count('orders')).toBe(2);
});

/** Reads on past the signs that the order is worked on. */
async function finalAnswer(payload: string, headers: ReturnType<typeof writeContext>): Promise<unknown> {
  const { connection } = harness.link;
  const options = { headers, maxWait: 10_000, strategy: 'timer' as const };
  for await (const reply of await connection.requestMany(createOrder.subject, payload, options)) {
    if (!isWorking(reply)) return reply.json();
  }
  throw new Error('the order was not answered');
}

test('an order whose connection ends during its commit is answered with an unknown outcome', async () => {
  await harness.start();
  const database = await openDatabase(databaseOptions(harness.database.url));
  try {
    await database.transaction(async (client) => {
      await client.query('lock table orders in exclusive mode');
      const headers = writeContext({ ...context(), traceparent: undefined, timeoutMs: 10_000 });
      const answer = finalAnswer(JSON.stringify({ body: orderBody(), account }), headers);
      const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(async () => (await query(terminate)).length === 1);
      expect(await answer).toMatchObject({ code: 'outcome_unknown' });
    });
  } finally {
    await database.close();
  }
});

test('recorded orders are answered although a refused one of their batch cannot be looked up', async () => {
  await harness.start({ DATABASE_POOL_MAX: '1' });
  // The service's one connection finds no table any more once it has written the order.
  await query(`create function lose_tables() returns trigger language plpgsql as
    $$ begin perform set_config('search_path', 'nowhere', false); return null; end $$`);
  await query(`create trigger lose_tables after insert on orders
    for each row when (new.customer_name = 'last') execute function lose_tables()`);
  const { release, busy } = await keepBatcherBusy();
  const [recorded, refused] = [create({ name: 'last' }), create({ bumpIds: ['bmp_9'] })];
  const both = Promise.allSettled([recorded, refused]);
  await harness.arrived();
  release();
  await busy;
  expect(await both).toMatchObject([
    { status: 'fulfilled', value: { ok: true } },
    { status: 'rejected', reason: { code: 'internal' } },
  ]);
  expect(await count(`orders where customer_name = 'last'`)).toBe(1);
});
