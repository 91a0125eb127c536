import { createOrder } from '@app/contracts/orders';
import { connectNats } from '@app/messaging/connect';
import { createRequester } from '@app/messaging/requester';
import { type Database, openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { pollSystem, untilBlocked } from '@app/testing/poll-system';
import { holdTransaction, query as queryDatabase } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { createOrderBatcher } from '../src/orders/order-batcher.ts';
import { account, context, course, createHarness, type Harness, orderBody } from './harness.ts';
import { shareDatabase } from './shared-database.ts';

/*
 * A command that comes again reaches any replica. Here the first attempt is stopped on its way into the database, a second
 * replica starts, and the command comes again so often that some of it lands there.
 */
guardLeaks();
shareDatabase();

let harness: Harness;
let database: Database;

const last = { id: 'dsc_9', code: 'LAST', percentOff: 50, amountOffCents: null, expiresAt: null, maxUses: 1 };

beforeEach(async () => {
  harness = await createHarness();
  harness.products.set('acc_1/course', { ...course, discounts: [last] });
  database = await openDatabase(databaseOptions(harness.database.url));
});

afterEach(async () => {
  await database.close();
  await harness.close();
});

const create = (change: Parameters<typeof orderBody>[0], ctx: ReturnType<typeof context>) =>
  harness.requester.request(createOrder, { body: orderBody(change), account }, ctx);
const query = <Row extends object>(sql: string) => queryDatabase<Row>(harness.database.url, sql);
const archive = () => harness.products.set('acc_1/course', { ...course, status: 'archived', discounts: [last] });

const waitingSessions = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** Commits of orders wait while another session holds the lock 42. `which`: a `when` clause; every order unless given. */
const stallCommits = async (which = '') => {
  await query(`create function stall() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(42); return null; end $$`);
  await query(`create constraint trigger stall after insert on orders deferrable initially deferred
    for each row ${which} execute function stall()`);
};

/**
 * Sends the command, holds it in the database, lets `meanwhile` happen, and sends it again to two replicas; returns
 * what became of every attempt.
 */
async function createTwice(held: string, change: Parameters<typeof orderBody>[0], meanwhile: () => unknown) {
  await harness.start();
  const ctx = context();
  const attempts = await holdTransaction(database, async (client) => {
    await client.query(held);
    const first = create(change, ctx);
    first.catch(() => undefined);
    await untilBlocked(database.pool);
    await harness.start();
    meanwhile();
    let ended = 0;
    // One may be refused before the last has arrived.
    const counted = () => {
      const one = create(change, ctx);
      one.then(
        () => ended++,
        () => ended++,
      );
      return one;
    };
    const { sent: again } = await harness.arrived(16, () => Array.from({ length: 16 }, counted));
    const isAnsweredOrWaits = async () => ended > 0 || (await database.pool.query(waitingSessions)).rows.length > 1;
    await pollSystem('a repeat that is answered, or waits for a lock', isAnsweredOrWaits);
    return [first, ...again];
  });
  const outcomes = await Promise.allSettled(attempts);
  return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code));
}

test('a repeat of the order that took a code’s last use is answered with that order, however long its commit takes', async () => {
  await stallCommits();
  const outcomes = await createTwice('select pg_advisory_xact_lock(42)', { discountCode: 'last' }, () => undefined);
  const [row] = await query<{ id: string }>('select id from orders');
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toEqual(
    new Set([JSON.stringify({ ok: true, orderId: row?.id, totalCents: 4_950 })]),
  );
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '1' }]);
});

test('a repeat after the product was archived is answered with the order whose commit still takes', async () => {
  await stallCommits();
  const outcomes = await createTwice('select pg_advisory_xact_lock(42)', {}, archive);
  expect(outcomes.every((outcome) => outcome.ok === true)).toBe(true);
  expect(await query('select 1 from orders')).toHaveLength(1);
});

test('a command that was refused is never recorded, although its first attempt was on its way into the database', async () => {
  await query(`insert into discount_uses (account_id, discount_id, uses) values ('acc_1', 'dsc_9', 0)`);
  const held = 'select from discount_uses for update';
  const outcomes = await createTwice(held, { discountCode: 'last' }, archive);
  const recorded = await query('select 1 from orders');
  expect(outcomes).toEqual(Array(17).fill('product_not_live'));
  expect(recorded).toEqual([]);
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '0' }]);
  expect(await query('select 1 from outbox')).toEqual([]);
});

test('an order is answered while a refusal of its batch waits for another attempt of the refused command', async () => {
  await stallCommits(`when (new.customer_name = 'held')`);
  await harness.start();
  const link = await connectNats(harness.nats.login('checkout'));
  const requester = createRequester(link);
  const replica = createOrderBatcher({ database, requester, wakeRelay: () => undefined });
  const command = (change: Parameters<typeof orderBody>[0], ctx: ReturnType<typeof context>) => ({
    body: orderBody(change),
    account,
    context: { ...ctx, deadlineMs: Date.now() + 10_000, traceparent: undefined },
  });
  const repeated = context();
  const [first, refused] = await holdTransaction(database, async (client) => {
    await client.query('select pg_advisory_xact_lock(42)');
    const first = create({ name: 'held' }, repeated);
    await untilBlocked(database.pool);
    const attempts = [first, replica.add(command({ bumpIds: ['bmp_9'] }, repeated))];
    for (const one of attempts) one.catch(() => undefined);
    // Added in the same turn of the event loop, so it goes into the same batch.
    const neighbour = replica.add(command({}, context()));
    expect(await neighbour).toMatchObject({ ok: true });
    await untilBlocked(database.pool, 2);
    return attempts;
  });
  expect(await first).toMatchObject({ ok: true });
  expect(await refused).toEqual(await first);
  await replica.close();
  await link.close();
});

test('a refusal stays what it was when the command comes again after the catalog was mended', async () => {
  await harness.start();
  archive();
  const ctx = context();
  await expect(create({}, ctx)).rejects.toMatchObject({ code: 'product_not_live' });
  harness.products.set('acc_1/course', course);
  await expect(create({}, ctx)).rejects.toMatchObject({
    code: 'product_not_live',
    errors: [{ field: 'productSlug', code: 'product_not_live' }],
  });
  expect(await create({}, context())).toMatchObject({ ok: true });
});
