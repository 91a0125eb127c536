import { randomUUID } from 'node:crypto';
import { createOrder } from '@app/contracts/orders';
import { requestDropped } from '@app/messaging/points';
import { writeContext } from '@app/messaging/request-headers';
import { openDatabase } from '@app/service-kit/database';
import { outboxPublished } from '@app/testing/followed-events';
import { guardLeaks } from '@app/testing/leak-guard';
import { patiently } from '@app/testing/patiently';
import { announced } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { holdTransaction, query as queryDatabase } from '@app/testing/sql';
import { readStream } from '@app/testing/stream';
import { timePasses } from '@app/testing/time-passes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { account, context, course, createHarness, type Harness, orderBody } from './harness.ts';
import { shareDatabase } from './shared-database.ts';

guardLeaks();
shareDatabase();

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
  await harness.catalogRequests(1);
  const second = create();
  await harness.catalogRequests(2);
  return { release, busy: Promise.all([first, second]) };
}

test('a command repeated while its order waits takes one slot in the queue, and leaves room for others', async () => {
  await harness.start();
  const ctx = context();
  // So many take longer to arrive than an order is waited for.
  const patient = patiently(createOrder);
  const createPatiently = (of = context()) => harness.requester.request(patient, { body: orderBody(), account }, of);
  const database = await openDatabase(databaseOptions(harness.database.url));
  try {
    const sent = await holdTransaction(database, async (client) => {
      await client.query('lock table orders in exclusive mode');
      // More than may wait at all.
      const arrived = await harness.arrived(2_201, () => ({
        repeated: Array.from({ length: 2_200 }, () => createPatiently(ctx)),
        neighbour: createPatiently(),
      }));
      return arrived.sent;
    });
    const answers = new Set((await Promise.all(sent.repeated)).map(({ orderId }) => orderId));
    expect([...answers]).toEqual([`ord_${ctx.commandId}`]);
    expect(await sent.neighbour).toMatchObject({ ok: true });
  } finally {
    await database.close();
  }
  expect(await count('orders')).toBe(2);
});

test('orders outlast a database that is locked until they come again, each recorded and published once', async () => {
  await harness.start();
  const database = await openDatabase(databaseOptions(harness.database.url));
  try {
    const orders = await holdTransaction(database, async (client) => {
      await client.query('lock table orders in exclusive mode');
      const contexts = Array.from({ length: 12 }, () => context());
      const sent = contexts.map((ctx, n) => create(n % 3 === 0 ? { discountCode: 'ALWAYS' } : {}, ctx));
      for (const one of sent) one.catch(() => undefined);
      for (const { commandId } of contexts)
        await announced(requestDropped, (dropped) => dropped.commandId === commandId);
      return sent;
    });
    const ids = (await Promise.all(orders)).map(({ orderId }) => orderId);
    expect(new Set(ids).size).toBe(12);
  } finally {
    await database.close();
  }
  expect(await count('orders')).toBe(12);
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '4' }]);
  await outboxPublished({ query: async (text) => ({ rows: await query(text) }) });
  expect(await readStream(harness.nats, 'EVT_CHECKOUT')).toHaveLength(12);
  expect(await count('outbox')).toBe(12);
});

test('an order whose caller stopped waiting before its batch began is refused and not recorded', async () => {
  await harness.start();
  const { release, busy } = await keepBatcherBusy();
  const ctx = { ...context(), traceparent: undefined };
  const timeoutMs = 100;
  const payload = JSON.stringify({ body: orderBody(), account });
  const headers = writeContext({ ...ctx, timeoutMs });
  const late = await harness.arrived(1, () => finalAnswer(payload, headers));
  // Its time, which is real, runs from the arrival.
  await timePasses(timeoutMs + 1);
  release();
  await busy;
  expect(await late.sent).toMatchObject({ code: 'service_unavailable' });
  expect(await count('orders')).toBe(2);
});

async function finalAnswer(payload: string, headers: ReturnType<typeof writeContext>): Promise<unknown> {
  const { connection } = harness.link;
  // As a requester's: the callee answers into no other inbox.
  const reply = `_INBOX_gateway.checkout.${randomUUID()}.1`;
  const replies = connection.subscribe(reply, { timeout: 10_000 });
  connection.publish(createOrder.subject, payload, { headers, reply });
  for await (const message of replies) return message.json();
  throw new Error('the order was not answered');
}

test('an order whose connection ends during its commit is answered with an unknown outcome', async () => {
  await harness.start();
  const database = await openDatabase(databaseOptions(harness.database.url));
  try {
    await holdTransaction(database, async (client) => {
      await client.query('lock table orders in exclusive mode');
      const headers = writeContext({ ...context(), traceparent: undefined, timeoutMs: 10_000 });
      const answer = finalAnswer(JSON.stringify({ body: orderBody(), account }), headers);
      const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await pollSystem('a session that waits for the lock', async () => (await query(terminate)).length === 1);
      expect(await answer).toMatchObject({ code: 'outcome_unknown' });
    });
  } finally {
    await database.close();
  }
});

test('recorded orders are answered although a refused one of their batch cannot be looked up', async () => {
  await harness.start();
  // Once the order is written, nothing can be refused any more.
  await query(`create function lose_refusals() returns trigger language plpgsql as
    $$ begin alter function refuse_orders rename to lost_refusals; return null; end $$`);
  await query(`create trigger lose_refusals after insert on orders
    for each row when (new.customer_name = 'last') execute function lose_refusals()`);
  const { release, busy } = await keepBatcherBusy();
  const both = await harness.arrived(2, () =>
    Promise.allSettled([create({ name: 'last' }), create({ bumpIds: ['bmp_9'] })]),
  );
  release();
  await busy;
  expect(await both.sent).toMatchObject([
    { status: 'fulfilled', value: { ok: true } },
    { status: 'rejected', reason: { code: 'internal' } },
  ]);
  expect(await count(`orders where customer_name = 'last'`)).toBe(1);
});
