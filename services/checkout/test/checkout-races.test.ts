import { newIdSuffix } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { pollSystem, untilBlocked } from '@app/testing/poll-system';
import { holdTransaction, lockTable, query } from '@app/testing/sql';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { losesReply } from './billing-stand-in.ts';
import { type CheckoutHarness, createCheckoutHarness, plainCourse } from './checkout-harness.ts';
import type { MadeAttempt } from './stand-in-payments.ts';

/*
 * Clicks that meet, answers that are lost and processes that die: one charge, and the buyer learns what became of it. The
 * stand-in of billing makes each attempt once; `attempts` is what moved money.
 */
guardLeaks();

let harness: CheckoutHarness;

beforeAll(async () => {
  harness = await createCheckoutHarness();
});
afterEach(async () => {
  await harness.reset();
  await harness.base.stopServices();
});
afterAll(() => harness.close());

const email = 'ada@example.com';
const open = (change: Parameters<CheckoutHarness['open']>[0] = {}) => harness.open({ email, ...change });
const count = async (table: string) => (await harness.query(`select 1 from ${table}`)).length;
const uses = async () => (await harness.query<{ uses: number }>('select uses::int from discount_uses'))[0]?.uses;

function firstAttempt(): MadeAttempt {
  const [made] = harness.billing.attempts;
  if (made === undefined) throw new Error('billing has made no attempt');
  return made;
}

/** Billing works again, and gets a late copy of the first request to start a payment. */
function firstStartArrives(): MadeAttempt {
  const [input] = harness.billing.started;
  if (input === undefined) throw new Error('no payment was started');
  harness.billing.beforeStart = async () => undefined;
  return harness.billing.startLate(input);
}

async function expectOneOrder(totalCents = 9_900): Promise<void> {
  expect(await harness.list()).toMatchObject([{ status: 'paid', total_cents: totalCents }]);
  expect((await harness.events()).map(({ subject }) => subject)).toEqual([orderPaid.subject]);
}

test('twenty clicks at once are one attempt, one charge and one order, and each gets the same outcome', async () => {
  await harness.base.start();
  const opened = await open({ discountCode: 'TWICE' });
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => harness.pay(opened)));
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  expect(outcomes[0]).toMatchObject({ status: 'paid', totalCents: 4_950 });
  expect(harness.billing.attempts).toHaveLength(1);
  expect(new Set(harness.billing.started.map(({ attemptNo }) => attemptNo))).toEqual(new Set([1]));
  expect(await uses()).toBe(1);
  await expectOneOrder(4_950);
});

test('a repeated command gets the outcome of its own attempt, also after a decline', async () => {
  await harness.base.start();
  const opened = await open();
  const commandId = newIdSuffix(Date.now());
  const declined = await harness.pay(opened, 'declined', { commandId });
  expect(await harness.pay(opened, 'declined', { commandId })).toEqual(declined);
  expect(harness.billing.started).toHaveLength(1);
  // The next click is a new attempt.
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid' });
  expect(harness.billing.attempts.map(({ outcome }) => outcome.attemptNo)).toEqual([1, 2]);
  await expectOneOrder();
});

test('the reply and the event of one payment at once make one order and one event', async () => {
  await harness.base.start();
  const opened = await open();
  const database = await openDatabase(databaseOptions(harness.base.database.url));
  let held: Promise<void> | undefined;
  // Another session locks the checkout until both of them want to record its order.
  harness.billing.beforeAnswer = () =>
    new Promise((answer, fail) => {
      held = holdTransaction(database, async (client) => {
        await client.query('select id from checkouts for update');
        await harness.billing.publishCompleted(firstAttempt());
        answer();
        await untilBlocked(database.pool, 2);
      });
      held.catch(fail);
    });
  try {
    expect(await harness.pay(opened)).toMatchObject({ status: 'paid' });
  } finally {
    await held;
    await database.close();
  }
  await harness.billing.handled();
  expect(await count('inbox')).toBe(1);
  await expectOneOrder();
});

test('a payment that billing does not know yet is finished by its event; clicks meanwhile change nothing', async () => {
  await harness.base.start();
  const opened = await open();
  expect(await harness.pay(opened, 'unknown')).toMatchObject({ status: 'processing' });
  expect(await harness.pay(opened, 'ok')).toMatchObject({ status: 'processing' });
  expect(await harness.resume(opened)).toMatchObject({ status: 'processing' });
  await expect(harness.update(opened, { bumpIds: ['bmp_1'] })).rejects.toMatchObject({ code: 'invalid_transition' });
  const { orderId } = firstAttempt().input;
  await harness.billing.publishCompleted(harness.billing.finish(orderId, 'succeeded'));
  await harness.billing.handled();
  expect(await harness.pay(opened)).toEqual({ status: 'paid', orderId, totalCents: 9_900 });
  expect(harness.billing.attempts).toHaveLength(1);
  await expectOneOrder();
});

test('an event of a decline opens the checkout again, gives the use of the discount back, and the next attempt may win', async () => {
  await harness.base.start();
  const opened = await open({ discountCode: 'TWICE' });
  await harness.pay(opened, 'unknown');
  expect(await uses()).toBe(1);
  const made = harness.billing.finish(firstAttempt().input.orderId, 'declined');
  await harness.billing.publishCompleted(made);
  await harness.billing.publishCompleted(made);
  await harness.billing.handled();
  expect(await count('inbox')).toBe(2);
  expect(await harness.get(opened)).toMatchObject({ status: 'open', reason: 'card_declined' });
  expect(await uses()).toBe(0);
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 4_950 });
  expect(await uses()).toBe(1);
});

test('the last use of a discount goes to one of two buyers; the other must accept the new price', async () => {
  const last = { id: 'dsc_9', code: 'LAST', percentOff: 50, amountOffCents: null, expiresAt: null, maxUses: 1 };
  harness.shop.set('acc_1/course', { ...plainCourse, discounts: [last] });
  await harness.base.start();
  const buyers = await Promise.all([open({ discountCode: 'LAST' }), open({ discountCode: 'LAST' })]);
  const outcomes = await Promise.allSettled(buyers.map((opened) => harness.pay(opened)));
  const reported = outcomes.map((one) => (one.status === 'fulfilled' ? one.value.status : one.reason.code));
  expect(reported.toSorted()).toEqual(['paid', 'price_changed']);
  expect(await uses()).toBe(1);
  const loser = buyers[reported.indexOf('price_changed')];
  if (loser === undefined) throw new Error('no buyer was shown a new price');
  expect(await harness.pay(loser)).toMatchObject({ status: 'paid', totalCents: 9_900 });
});

test('a buyer who has to confirm goes on, or pays with another card: the first confirmation is given up', async () => {
  await harness.base.start();
  const first = await open();
  const waiting = await harness.pay(first, 'action');
  expect(waiting).toMatchObject({ status: 'requires_action', action: { url: expect.stringMatching(/^https/) } });
  expect(waiting.anotherCard).toBe(true);
  expect(await harness.get(first)).toMatchObject({ status: 'requires_action', action: waiting.action });
  expect(await harness.resume(first)).toMatchObject({ status: 'paid' });
  const second = await open();
  await harness.pay(second, 'action');
  expect(await harness.pay(second, 'ok')).toMatchObject({ status: 'paid' });
  const ends = harness.billing.attempts.map(({ outcome }) => [outcome.attemptNo, outcome.status]);
  expect(ends).toEqual([
    [1, 'succeeded'],
    [1, 'declined'],
    [2, 'succeeded'],
  ]);
  expect(await count('orders')).toBe(2);
});

test('a price that changes while the buyer confirms changes nothing: what was agreed on is charged', async () => {
  await harness.base.start();
  const opened = await open({ bumpIds: ['bmp_1'] });
  await harness.pay(opened, 'action');
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: 1, bumps: [] });
  expect(await harness.get(opened)).toMatchObject({ totalCents: 11_800 });
  expect(await harness.pay(opened, 'ok')).toMatchObject({ status: 'paid', totalCents: 11_800 });
  await expectOneOrder(11_800);
});

test('a process that dies after billing charged and before it recorded: the event makes the order', async () => {
  const first = await harness.base.start();
  const opened = await open();
  harness.billing.beforeAnswer = () => harness.billing.stopped;
  expect(await harness.pay(opened)).toMatchObject({ status: 'processing' });
  await first.close();
  expect(await count('orders')).toBe(0);
  await harness.base.start();
  await harness.billing.publishCompleted(firstAttempt());
  await harness.billing.handled();
  await expectOneOrder();
});

/** A buyer pays, no reply of billing comes, and the process dies. */
async function payAndDie() {
  const first = await harness.base.start();
  const opened = await open();
  expect(await harness.pay(opened)).toMatchObject({ status: 'processing' });
  await first.close();
  return opened;
}

test('an attempt whose connection ends in the middle of its transaction is begun once, with one use and one charge', async () => {
  await harness.base.start();
  const opened = await open({ discountCode: 'TWICE' });
  const { url } = harness.base.database;
  // The attempt has claimed its use and changed its checkout, and waits to be written.
  const unlock = await lockTable(url, 'checkout_attempts');
  const paying = harness.pay(opened).catch(() => undefined);
  const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into checkout_attempts%'`;
  await pollSystem('an attempt that waits for the lock', async () => (await query(url, terminate)).length === 1);
  await unlock();
  await paying;
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 4_950 });
  expect(await harness.query('select attempt_no from checkout_attempts')).toEqual([{ attempt_no: 1 }]);
  expect(await uses()).toBe(1);
  expect(harness.billing.attempts).toHaveLength(1);
});

test('a process that dies between fixing the sale and the request to billing: the next click goes on with the same attempt', async () => {
  // Billing got nothing: it died as well.
  harness.billing.beforeStart = losesReply;
  const opened = await payAndDie();
  expect(harness.billing.attempts).toEqual([]);
  harness.billing.beforeStart = async () => undefined;
  await harness.base.start();
  expect(await harness.resume(opened)).toMatchObject({ status: 'processing' });
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid' });
  expect(harness.billing.attempts.map(({ outcome }) => outcome.attemptNo)).toEqual([1]);
  await expectOneOrder();
});

test.each(['its event', 'the reply to the next attempt'])(
  'an attempt that billing never got is given up by the next process; a late copy of it is recorded by %s',
  async (by) => {
    const first = await harness.base.start();
    const opened = await open({ bumpIds: ['bmp_1'] });
    harness.billing.beforeStart = losesReply;
    await harness.pay(opened);
    await first.close();
    harness.base.clock.advance(60_000);
    const second = await harness.base.startAndSweep();
    expect(await harness.get(opened)).toMatchObject({ status: 'processing' });
    await second.close();
    harness.base.clock.advance(120_000);
    await harness.base.startAndSweep();
    expect(await harness.get(opened)).toMatchObject({ status: 'open', reason: 'try_again_later' });
    // The buyer changes the sale meanwhile; the late copy was for the old one.
    await harness.update(opened, { bumpIds: [] });
    const made = firstStartArrives();
    if (by === 'its event') {
      await harness.billing.publishCompleted(made);
      await harness.billing.handled();
      expect(await harness.get(opened)).toMatchObject({ status: 'paid' });
    }
    expect(await harness.pay(opened)).toMatchObject({ status: 'paid', totalCents: 11_800 });
    expect(harness.billing.attempts).toHaveLength(1);
    await expectOneOrder(11_800);
  },
);

test.each([
  ['open again', 'TWICE'],
  ['being paid without a code', null],
])(
  'an attempt that was given up and is paid after all counts its use of a discount again, its checkout %s',
  async (_, code) => {
    const first = await harness.base.start();
    const opened = await open({ discountCode: 'TWICE' });
    harness.billing.beforeStart = losesReply;
    await harness.pay(opened);
    expect(await uses()).toBe(1);
    await first.close();
    harness.base.clock.advance(121_000);
    await harness.base.startAndSweep();
    expect(await harness.get(opened)).toMatchObject({ status: 'open' });
    expect(await uses()).toBe(0);
    if (code === null) {
      await harness.update(opened, { discountCode: null });
      expect(await harness.pay(opened)).toMatchObject({ status: 'processing' });
      expect(await uses()).toBe(0);
    }
    const made = firstStartArrives();
    await harness.billing.publishCompleted(made);
    await harness.billing.handled();
    expect(await count('orders')).toBe(1);
    const paid = await harness.query<{ n: number }>(
      'select count(*)::int as n from orders where discount_id is not null',
    );
    expect(await uses()).toBe(paid[0]?.n);
    expect(await uses()).toBe(1);
  },
);

test('an attempt that billing has lost, as after a restored backup, is looked up before it is given up', async () => {
  harness.billing.beforeAnswer = losesReply;
  const opened = await payAndDie();
  harness.billing.attempts.length = 0;
  harness.billing.atProcessor = 'ok';
  harness.base.clock.advance(121_000);
  await harness.base.startAndSweep();
  expect(await harness.get(opened)).toMatchObject({ status: 'paid' });
  expect(firstAttempt().input).toMatchObject({ attemptNo: 1, amountCents: 9_900 });
  await expectOneOrder();
});

test('a buyer comes back from the bank to a billing that has lost the attempt: it is looked up', async () => {
  await harness.base.start();
  const opened = await open();
  expect(await harness.pay(opened, 'action')).toMatchObject({ status: 'requires_action' });
  harness.billing.attempts.length = 0;
  harness.billing.atProcessor = 'ok';
  expect(await harness.resume(opened)).toMatchObject({ status: 'paid' });
  await expectOneOrder();
});

test('a lost answer that the buyer has to confirm is found by the next process', async () => {
  const first = await harness.base.start();
  const opened = await open();
  harness.billing.beforeAnswer = losesReply;
  expect(await harness.pay(opened, 'action')).toMatchObject({ status: 'processing' });
  await first.close();
  harness.base.clock.advance(121_000);
  // No event reports it: nothing ended. The stand-in's buyer confirms before billing is queried.
  await harness.base.startAndSweep();
  await expectOneOrder();
});

test('an attempt whose outcome is unknown is left to billing, however often the sweep runs', async () => {
  const first = await harness.base.start();
  const opened = await open();
  await harness.pay(opened, 'unknown');
  await first.close();
  harness.base.clock.advance(121_000);
  await harness.base.startAndSweep();
  expect(harness.billing.listsRequested).toEqual(['acc_1']);
  expect(await harness.get(opened)).toMatchObject({ status: 'processing' });
  const { orderId } = firstAttempt().input;
  await harness.billing.publishCompleted(harness.billing.finish(orderId, 'succeeded'));
  await harness.billing.handled();
  await expectOneOrder();
});

test('an order of 0 whose process died after the sale was fixed is finished by the next process', async () => {
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: 0 });
  const first = await harness.base.start();
  const opened = await open();
  // Stops the record and lets the fixing of the sale through, as a kill between the two would.
  await harness.query(`create function stop() returns trigger language plpgsql as
    $$ begin raise exception 'killed'; end $$`);
  await harness.query('create trigger stop before insert on orders for each row execute function stop()');
  await expect(harness.pay(opened)).rejects.toMatchObject({ code: 'internal' });
  await first.close();
  await harness.query('drop trigger stop on orders');
  harness.base.clock.advance(121_000);
  await harness.base.startAndSweep();
  await expectOneOrder(0);
});

test('without billing nothing is lost: the buyer reads that it is under way, and pays once billing is back', async () => {
  await harness.base.start();
  const opened = await open();
  harness.billing.beforeStart = losesReply;
  expect(await harness.pay(opened)).toMatchObject({ status: 'processing' });
  harness.billing.beforeStart = async () => undefined;
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid' });
  await expectOneOrder();
});

/* The last one of the file: the stand-in of the affiliate service does not come back. */
test('without the affiliate service a buyer who came with a code pays, and the credit is left open', async () => {
  await harness.base.start();
  const opened = await open({ affiliateCode: 'leaf' });
  await harness.base.stopAffiliate();
  expect(await harness.pay(opened)).toMatchObject({ status: 'paid' });
  const [event] = await harness.events();
  expect(event?.data).toMatchObject({ affiliateCode: 'leaf', creditedCode: null, creditPending: true });
});
