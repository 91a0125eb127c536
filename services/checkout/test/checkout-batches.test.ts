import { openDatabase } from '@app/service-kit/database';
import { untilBlocked } from '@app/testing/poll-system';
import { holdTransaction } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { type Opened, plainCourse } from './checkout-harness.ts';
import { countStatements, wholeReads } from './named-statements.ts';
import { harness, startService } from './set-up.ts';

/*
 * Checkouts that wait at the same time share statements and questions; each has its own outcome. Two others keep both
 * slots of a step busy, so that what is sent meanwhile is one batch.
 */
startService();

const email = 'ada@example.com';
/** Payments of one buyer for one product are fixed one after the other. */
const buyer = (n: number): string => `buyer-${n}@example.com`;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** Sends opens while both questions that may be under way at catalog are not answered. */
async function openTogether(
  count: number,
  send: (n: number) => Promise<Opened>,
): Promise<PromiseSettledResult<Opened>[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { beforeAnswer } = harness.catalog;
  const busy: Promise<Opened>[] = [];
  harness.catalog.beforeAnswer = async (wanted) => {
    await promise;
    await beforeAnswer(wanted);
  };
  for (const requested of [1, 2]) {
    busy.push(harness.open({ email }));
    await harness.catalog.wasRequested(requested);
  }
  const { sent } = await harness.base.arrived(count, () => Promise.allSettled(times(count, send)));
  resolve();
  await Promise.all(busy);
  harness.catalog.beforeAnswer = beforeAnswer;
  return await sent;
}

/** Sends work that begins by reading checkouts while both of the reads that may be under way are paused. */
async function sendTogether<T>(count: number, send: (n: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  const other = await harness.open({ email });
  const database = await openDatabase(databaseOptions(harness.base.database.url));
  const busy: Promise<unknown>[] = [];
  try {
    const together = await holdTransaction(database, async (client) => {
      await client.query('lock table checkouts in access exclusive mode');
      for (const waiting of [1, 2]) {
        busy.push(harness.resume(other).catch(() => undefined));
        await untilBlocked(database.pool, waiting);
      }
      return await harness.base.arrived(count, () => Promise.allSettled(times(count, send)));
    });
    await Promise.all(busy);
    return await together.sent;
  } finally {
    await database.close();
  }
}

const sendPays = (opened: readonly Opened[]) => sendTogether(opened.length, (n) => harness.pay(opened[n] as Opened));

const reported = (results: PromiseSettledResult<{ status: string }>[]) =>
  results.map((one) => (one.status === 'fulfilled' ? one.value.status : (one.reason as { code: string }).code));

function fulfilledValues<T>(results: PromiseSettledResult<T>[]): T[] {
  return results.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/* The first one of the file: in a database that has had many rows the planner knows how many there are. */
test('no statement that a buyer waits for reads a whole table, even before the planner knows how many there are', async () => {
  const texts = new Map<string, string>();
  await countStatements(harness.base.database.url, texts);
  const paid = await harness.open({ email, discountCode: 'TWICE' });
  const [declined, waiting] = [await harness.open({ email }), await harness.open({ email })];
  await harness.pay(paid, 'ok');
  await harness.pay(declined, 'declined');
  await harness.pay(waiting, 'action');
  // An attempt that may take another order id asks whether one before it was given up.
  harness.base.clock.advance(61 * 60_000);
  await harness.pay(declined, 'declined');
  const [first] = harness.billing.attempts;
  if (first !== undefined) await harness.billing.publishCompleted(first);
  await harness.billing.handled();
  const least = [
    'checkouts-open',
    'purchases-of-buyers',
    'checkouts-given-up',
    'discounts-claim-uses',
    'checkouts-begin',
    'checkouts-by-secret',
    'checkouts-record-orders',
    'checkouts-record-declines',
    'checkouts-record-confirmations',
    'checkouts-recorded-attempts',
    'inbox-insert',
  ];
  expect([...texts.keys()]).toEqual(expect.arrayContaining(least));
  expect(await wholeReads(harness.base.database.url, texts)).toEqual([]);
});

test('fifty checkouts opened and paid at once query catalog once each time, and share their statements', async () => {
  harness.shop.set('acc_2/course', { ...plainCourse, priceCents: 5_000 });
  const statements = await countStatements(harness.base.database.url);
  const accounts = ['acc_1', 'acc_2'];
  const opened = fulfilledValues(
    await openTogether(50, (n) => harness.open({ email: buyer(n) }, { accountId: accounts[n % 2] as string })),
  );
  expect(harness.catalog.requested.map((wanted) => wanted.length)).toEqual([1, 1, 2]);
  expect(statements.get('checkouts-open')).toBeLessThanOrEqual(3);
  expect(new Set(opened.map(({ id }) => id)).size).toBe(50);
  expect(opened.map(({ totalCents }) => totalCents)).toEqual(times(50, (n) => (n % 2 === 0 ? 9_900 : 5_000)));

  harness.catalog.forgetRequests();
  statements.clear();
  // Billing answers when all requests have come.
  harness.billing.beforeAnswer = async () => {
    await harness.billing.wasStarted(50);
  };
  const paid = fulfilledValues(await sendPays(opened));
  expect(paid.map(({ totalCents }) => totalCents)).toEqual(opened.map(({ totalCents }) => totalCents));
  expect(new Set(paid.map(({ orderId }) => orderId)).size).toBe(50);
  // The first question is of the checkout that kept the reads busy.
  expect(harness.catalog.requested.slice(1).map((wanted) => wanted.length)).toEqual([2]);
  expect(statements.get('checkouts-by-secret')).toBe(3);
  expect(statements.get('checkouts-begin')).toBe(1);
  expect(statements.get('checkouts-record-orders')).toBeLessThanOrEqual(25);
  expect(await harness.query('select distinct status from orders')).toEqual([{ status: 'paid' }]);
  expect(await harness.events()).toHaveLength(50);
});

test('events of payments that were recorded from the replies cost one statement together, and change nothing', async () => {
  const opened = fulfilledValues(await openTogether(20, () => harness.open({ email })));
  await Promise.all(opened.map((one, n) => harness.pay(one, n % 4 === 0 ? 'declined' : 'ok')));
  const before = await harness.query('select id, status, revision from checkouts order by id');
  const statements = await countStatements(harness.base.database.url);
  await Promise.all(harness.billing.attempts.map((made) => harness.billing.publishCompleted(made)));
  await harness.billing.handled();
  expect(await harness.query('select 1 from inbox')).toHaveLength(20);
  const batches = statements.get('inbox-insert') ?? 0;
  expect(statements.get('checkouts-recorded-attempts')).toBe(batches);
  for (const name of ['checkouts-of-attempts', 'checkouts-record-orders', 'checkouts-record-declines'])
    expect(statements.get(name)).toBeUndefined();
  expect(await harness.query('select id, status, revision from checkouts order by id')).toEqual(before);
});

test('a query that catalog fails at is repeated for each checkout alone: only the bad one fails', async () => {
  harness.shop.set('acc_1/broken', { ...plainCourse, slug: 'broken' });
  harness.catalog.beforeAnswer = async (wanted) => {
    if (wanted.some(({ slug }) => slug === 'broken')) throw new Error('this product cannot be read');
  };
  const slugs = ['course', 'course', 'broken', 'course'];
  const results = await openTogether(4, (n) => harness.open({ email, slug: slugs[n] as string }));
  expect(reported(results)).toEqual(['open', 'open', 'internal', 'open']);
});

test.each([
  ['fixed', 'checkout_attempts', 'checkout_id', 'internal'],
  ['recorded', 'orders', 'customer_email', 'internal'],
])('a sale that cannot be %s fails alone; those of the same batch are paid', async (_, table, column, code) => {
  const names = times(8, (n) => `buyer-${n}@example.com`);
  const opened = fulfilledValues(await openTogether(8, (n) => harness.open({ email: names[n] as string })));
  const bad = column === 'checkout_id' ? opened[3]?.id : names[3];
  await harness.query(`create function stop() returns trigger language plpgsql as $$ begin
    if new.${column} = '${bad}' then raise exception 'cannot be written'; end if; return new; end $$`);
  await harness.query(`create trigger stop before insert on ${table} for each row execute function stop()`);
  const results = await sendPays(opened);
  expect(reported(results)).toEqual(names.map((_name, n) => (n === 3 ? code : 'paid')));
  expect(await harness.query('select 1 from orders')).toHaveLength(7);
});

test('the same checkout twice in one batch starts one attempt', async () => {
  const statements = await countStatements(harness.base.database.url);
  const [opened] = fulfilledValues(await openTogether(1, () => harness.open({ email, discountCode: 'TWICE' })));
  if (opened === undefined) throw new Error('nothing was opened');
  const results = fulfilledValues(await sendTogether(3, () => harness.pay(opened)));
  expect(new Set(results.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  expect(results[0]).toMatchObject({ status: 'paid', totalCents: 4_950 });
  // All three were in one batch: the second and third read again.
  expect(statements.get('checkouts-begin')).toBe(1);
  expect(await harness.query('select attempt_no from checkout_attempts')).toEqual([{ attempt_no: 1 }]);
  expect(harness.billing.attempts).toHaveLength(1);
  expect(await harness.query('select uses::int from discount_uses')).toEqual([{ uses: 1 }]);
});

test('the same open twice in one batch opens one checkout with two secrets', async () => {
  const commandId = `01${'k'.repeat(24)}`;
  const results = fulfilledValues(await openTogether(2, () => harness.open({ email }, { commandId })));
  for (const opened of results) expect((await harness.get(opened)).id).toBe(`cko_${commandId}`);
  expect(new Set(results.map(({ secret }) => secret)).size).toBe(2);
});

test('uses of a limited code go to the first ones of a batch; a rehearsal among them takes none', async () => {
  const tests = [true, false, false, false, true];
  const opened = fulfilledValues(
    await openTogether(5, (n) =>
      harness.open({ email: buyer(n), discountCode: 'TWICE' }, { testMode: tests[n] as boolean }),
    ),
  );
  const results = await sendPays(opened);
  expect(reported(results)).toEqual(['paid', 'paid', 'paid', 'price_changed', 'price_changed']);
  expect(await harness.query('select uses::int from discount_uses')).toEqual([{ uses: 2 }]);
});

test('visitors of one batch are counted once each', async () => {
  const visitors = ['one', 'two', 'one', 'visitor-1', 'two'];
  await openTogether(5, (n) => harness.open({ email }, { visitor: visitors[n] as string }));
  // `visitor-1` opened the two before them.
  const visits = await harness.query(`select 1 from outbox where subject like '%visited%'`);
  expect(visits).toHaveLength(3);
  expect(await harness.query('select 1 from visits')).toHaveLength(3);
});
