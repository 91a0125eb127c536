import type { BooksComparison } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { randomRuns, volume } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import type { PaymentProcessor, ProcessorRecord } from '../src/processors/port.ts';
import { compareBooks } from '../src/reconciliation/books/compare-books.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { noCounts } from '../src/runs/daily-counts.rules.ts';
import { seedCharges } from './books-seed.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica, runOf } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';

openReplicas();

const caller = (accountId: string) => ({ accountId, requestId: 'r' });

/** A daily run that only compares: its result, and the problems that it names. */
async function compare(by: Replica, account: string): Promise<{ books: BooksComparison | null; problems: string[] }> {
  const run = runOf(account, by.deps);
  const { pool } = replicas.database;
  await pool.query('insert into daily_runs (id, account_id, started_at) values ($1, $2, now())', [run.runId, account]);
  const counts = noCounts();
  await compareBooks(by.deps, run, counts);
  const { rows } = await pool.query<{ books: BooksComparison | null }>('select books from daily_runs where id = $1', [
    run.runId,
  ]);
  return { books: rows[0]?.books ?? null, problems: counts.problems.map(({ code }) => code) };
}

const reportedOf = async (account: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.daily-run.noticed.v1')
    .map(({ data }) => data);

async function pay(by: Replica, account: string, fields: Parameters<typeof startInput>[0] = {}) {
  const orderId = newId('order', replicas.clock.nowMs() - minuteMs);
  const input = startInput({ orderId, ...fields });
  await startPayment(by.deps, caller(account), input);
  return input.orderId;
}

/** Something that stands between billing and its processor's list. */
const listing =
  (change: (record: ProcessorRecord) => ProcessorRecord[]) =>
  (inner: PaymentProcessor): PaymentProcessor => ({
    ...inner,
    list: (from, to, call) =>
      (async function* () {
        for await (const record of inner.list(from, to, call)) yield* change(record);
      })(),
  });

const entries = (sql: string, ...values: unknown[]) =>
  replicas.database.pool.query(`${sql.replace('entries', 'simulated_processor.entries')}`, values);

test('every way of taking and giving back money stands on both sides', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const held = { hold: { upsell, decisionMinutes: 60 } };
  await pay(replica, account);
  const upsold = await pay(replica, account, held);
  await settleHold(replica.deps, caller(account), upsold, 'accepted');
  const recharged = await pay(replica, account, { ...held, paymentMethod: 'sim_hold_expires' });
  await settleHold(replica.deps, caller(account), recharged, 'declined');
  const refunded = await pay(replica, account);
  await refundCharges(replica.deps, caller(account), refunded);
  const failing = await pay(replica, account, { paymentMethod: 'sim_refund_fails' });
  await refundCharges(replica.deps, caller(account), failing);
  await pay(replica, account, { paymentMethod: 'sim_declined' });
  await pay(replica, account, held);
  await pay(replica, account, { test: true });
  const { books, problems } = await compare(replica, account);
  expect(books).toMatchObject({ charges: 6, refunds: 2, orphans: [], orphan_count: 0 });
  expect(problems).toEqual([]);
  replicas.clock.advance(2 * hourMs);
  // The refund that failed meanwhile is explained on both sides, and its order can be refunded again.
  expect((await compare(replica, account)).books).toMatchObject({ charges: 6, refunds: 1, orphans: [] });
  await refundCharges(replica.deps, caller(account), failing);
  expect((await compare(replica, account)).books).toMatchObject({ charges: 0, refunds: 1, orphans: [] });
  replicas.clock.advance(dayMs);
  expect((await compare(replica, account)).books).toMatchObject({ charges: 6, refunds: 1, orphans: [] });
  expect(await reportedOf(account)).toEqual([]);
});

/** The morning of the day after the clock's: hours of one UTC day are ahead. */
function toMorning(): Date {
  replicas.clock.advance(dayMs - (replicas.clock.nowMs() % dayMs) + 6 * hourMs);
  return replicas.clock.now();
}

const foreign = (account: string, reference: string, at: number) =>
  entries(
    `insert into entries (account_id, test, payment_id, reference, kind, status, amount_cents, currency, order_id,
       parameters, recorded_at) values ($1, false, $2, $2, 'charge', 'succeeded', 9900, 'eur', 'x', '', $3)`,
    ...[account, reference, new Date(at)],
  );

test('a later run of the day compares from where the last one ended, and says so', async () => {
  const replica = replicas.start();
  const [account, morning] = [newAccount(), toMorning()];
  await seedCharges(replicas.database, account, { prefix: 'p', count: 20, from: new Date(morning.getTime() - hourMs) });
  expect((await compare(replica, account)).books).toMatchObject({
    compared_from: new Date(morning.getTime() - 3 * dayMs).toISOString(),
    ...{ charges: 20, orphan_count: 0 },
  });
  replicas.clock.advance(minuteMs);
  await pay(replica, account);
  expect((await compare(replica, account)).books).toEqual({
    compared_from: morning.toISOString(),
    compared_until: replicas.clock.now().toISOString(),
    ...{ charges: 1, refunds: 0, disputes: 0, holds: 0, orphans: [], orphan_count: 0 },
  });
});

test('what the processor writes down an hour late is found by a later run of the day; later still, by the next day’s', async () => {
  const replica = replicas.start();
  const [account, morning] = [newAccount(), toMorning().getTime()];
  await pay(replica, account);
  expect(await compare(replica, account)).toMatchObject({ books: { charges: 1, orphan_count: 0 } });
  await foreign(account, `${account}_early`, morning - 2 * hourMs);
  replicas.clock.advance(90 * minuteMs);
  expect((await compare(replica, account)).problems).toEqual([]);
  await foreign(account, `${account}_late`, morning + 40 * minuteMs);
  // Within the hour after a run that reached back, runs go on where the last one ended.
  replicas.clock.advance(10 * minuteMs);
  expect((await compare(replica, account)).problems).toEqual([]);
  replicas.clock.advance(55 * minuteMs);
  const later = await compare(replica, account);
  expect(later.books?.orphans.map(({ id }) => id)).toEqual([`${account}_late`]);
  replicas.clock.advance(dayMs);
  const next = await compare(replica, account);
  expect(next.books?.orphans.map(({ id }) => id)).toEqual([`${account}_early`, `${account}_late`]);
  expect(await reportedOf(account)).toHaveLength(2);
});

test('as long as one run of the day shows an orphan, the later ones compare the whole days and are not ok', async () => {
  const replica = replicas.start();
  const [account, morning] = [newAccount(), toMorning().getTime()];
  await foreign(account, `${account}_foreign`, morning - dayMs);
  for (let run = 0; run < 2; run += 1) {
    expect(await compare(replica, account)).toMatchObject({ books: { orphan_count: 1 }, problems: ['orphans_found'] });
    replicas.clock.advance(minuteMs);
  }
  await entries('delete from entries where account_id = $1', account);
  expect(await compare(replica, account)).toMatchObject({ books: { orphan_count: 0 }, problems: [] });
});

test('a later run reports nothing that its list began too late for; the one after it compares the whole days', async () => {
  const replica = replicas.start();
  const [account, morning] = [newAccount(), toMorning().getTime()];
  await compare(replica, account);
  replicas.clock.advance(10 * minuteMs);
  // Answers that got lost long before: here they are recorded now, and there before the list begins.
  const from = new Date(morning + minuteMs);
  const lost = { prefix: 'long', count: 240, from, everyMs: 1_000, skewMs: -5 * hourMs };
  await seedCharges(replicas.database, account, lost);
  await entries('delete from entries where account_id = $1 and payment_id > $2', account, 'long00000200');
  expect(await compare(replica, account)).toMatchObject({ books: { charges: 100, orphan_count: 0 }, problems: [] });
  const whole = await compare(replica, account);
  expect(whole.books).toMatchObject({ charges: 200, orphan_count: 40 });
});

test('a payment that is not known yet, or that waits for its buyer, is no orphan', async () => {
  const replica = replicas.start();
  const account = newAccount();
  replica.fail('answer_lost');
  const orderId = await pay(replica, account);
  await pay(replica, account, { paymentMethod: 'sim_action_ignored' });
  expect(await compare(replica, account)).toMatchObject({ books: { charges: 0, orphan_count: 0 }, problems: [] });
  replicas.clock.advance(2 * minuteMs);
  await replica.round();
  expect((await replicas.money(account, orderId)).charges).toHaveLength(1);
  expect((await compare(replica, account)).books).toMatchObject({ charges: 1, orphan_count: 0 });
});

test('what the processor took before the compared days and we recorded in them is no orphan, nor the other way round', async () => {
  const replica = replicas.start();
  const account = newAccount();
  // The first comparison of an account goes back to its first sale.
  await compare(replica, account);
  replicas.clock.advance(dayMs);
  const start = replicas.clock.nowMs();
  // Ours just before the days begin, theirs just in them; the second the other way round, hours apart.
  const edge = new Date(start - 3 * dayMs);
  await seedCharges(replicas.database, account, {
    prefix: 'a',
    count: 1,
    from: new Date(edge.getTime() - 1),
    skewMs: 5,
  });
  await seedCharges(replicas.database, account, {
    ...{ prefix: 'b', count: 1, from: new Date(edge.getTime() + 10 * hourMs) },
    skewMs: -20 * hourMs,
  });
  // An answer that was lost for far longer than the list reaches back is requested.
  await seedCharges(replicas.database, account, {
    prefix: 'c',
    count: 1,
    from: new Date(start - hourMs),
    skewMs: -9 * dayMs,
  });
  // A clock of the processor that is ahead.
  await seedCharges(replicas.database, account, { prefix: 'd', count: 1, from: new Date(start), skewMs: 5 * minuteMs });
  expect(await compare(replica, account)).toMatchObject({ books: { charges: 3, orphan_count: 0 }, problems: [] });
  expect(replica.processor.calls.filter(({ method }) => method === 'lookUp').map(({ paymentId }) => paymentId)).toEqual(
    ['c00000001', 'd00000001'],
  );
});

test('a charge in the processor’s books alone is reported once, and is in the runs of its days', async () => {
  const replica = replicas.start();
  const account = newAccount();
  await pay(replica, account);
  await entries(
    `insert into entries (account_id, test, payment_id, reference, kind, status, amount_cents, currency, order_id,
       parameters, recorded_at) values ($1, false, 'foreign', 'ch_foreign', 'charge', 'succeeded', 9900, 'eur', 'x', '', $2)`,
    account,
    replicas.clock.now(),
  );
  const first = await compare(replica, account);
  expect(first).toMatchObject({ books: { charges: 1, orphan_count: 1 }, problems: ['orphans_found'] });
  expect(first.books?.orphans).toEqual([
    {
      ...{ side: 'processor', kind: 'charge', id: 'ch_foreign', amount_cents: 9900, currency: 'eur' },
      detail: expect.stringContaining('a charge of €99.00'),
    },
  ]);
  const reported = [{ code: 'orphan', summary: first.books?.orphans[0]?.detail, orderId: null, test: false }];
  expect(await reportedOf(account)).toEqual(reported);
  replicas.clock.advance(dayMs);
  expect((await compare(replica, account)).books?.orphan_count).toBe(1);
  replicas.clock.advance(5 * dayMs);
  expect((await compare(replica, account)).problems).toEqual(['orphans_found']);
  replicas.clock.advance(dayMs);
  expect(await compare(replica, account)).toMatchObject({ books: { orphan_count: 0 }, problems: [] });
  expect(await reportedOf(account)).toEqual(reported);
});

test('charges and refunds that vanished from the processor’s books are reported with their orders', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const orderId = await pay(replica, account);
  await refundCharges(replica.deps, caller(account), orderId);
  await pay(replica, account);
  await entries('delete from entries where account_id = $1 and order_id = $2', account, orderId);
  const { books } = await compare(replica, account);
  expect(books).toMatchObject({ charges: 1, refunds: 0, orphan_count: 2 });
  const { payments } = await replicas.money(account, orderId);
  expect(books?.orphans.map(({ side, kind, id }) => ({ side, kind, id }))).toEqual(
    payments.map(({ id, call }) => ({ side: 'platform', kind: call, id })),
  );
  expect((await reportedOf(account)).map((reported) => reported.orderId)).toEqual([orderId, orderId]);
});

test('other amounts are reported, and an order follows what was taken for it after a decline here', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const [more, declined] = [
    await pay(replica, account),
    await pay(replica, account, { paymentMethod: 'sim_declined' }),
  ];
  await entries('update entries set amount_cents = 5900 where account_id = $1 and order_id = $2', account, more);
  await entries(
    `update entries set status = 'succeeded', reason = null where account_id = $1 and order_id = $2`,
    account,
    declined,
  );
  const { books } = await compare(replica, account);
  expect(books?.orphans.map(({ detail }) => detail)).toEqual([expect.stringContaining('a charge of $59.00')]);
  expect(books?.orphan_count).toBe(1);
  expect((await reportedOf(account)).map(({ orderId }) => orderId)).toEqual([more]);
  expect((await replicas.money(account, declined)).payments).toMatchObject([{ status: 'succeeded' }]);
});

const references = async (account: string, orderId: string) =>
  (await replicas.money(account, orderId)).payments.map(({ processorReference }) => processorReference ?? '');

test('of two charges or refunds under one payment, the one that is not recorded here is reported', async () => {
  const twice = ({ kind, reference }: ProcessorRecord) => kind === 'charge' || reference.startsWith('sim_refund');
  const replica = replicas.start({
    processor: listing((record) =>
      twice(record) ? [record, { ...record, reference: `${record.reference}_more` }] : [record],
    ),
  });
  const account = newAccount();
  const orderId = await pay(replica, account);
  await refundCharges(replica.deps, caller(account), orderId);
  const { books } = await compare(replica, account);
  expect(books).toMatchObject({ charges: 1, refunds: 1, orphan_count: 2 });
  expect(books?.orphans.map(({ id }) => id)).toEqual((await references(account, orderId)).map((id) => `${id}_more`));
  expect(books?.orphans[0]?.detail).toContain(`for order ${orderId}, beside another`);
  expect((await reportedOf(account)).map((reported) => reported.orderId)).toEqual([orderId, orderId]);
});

test('a charge under our payment with another reference does not stand for the one that is recorded', async () => {
  const replica = replicas.start();
  const account = newAccount();
  await pay(replica, account);
  await entries(`update entries set reference = reference || '_other' where account_id = $1`, account);
  const { books } = await compare(replica, account);
  expect(books?.orphans.map(({ side, kind }) => [side, kind])).toEqual([
    ['processor', 'charge'],
    ['platform', 'charge'],
  ]);
});

/** What is done at the processor itself, without the platform. */
const atProcessor = async (method: 'capture' | 'release', account: string, reference = '') =>
  await replicas.simulated[method](
    { paymentId: `${method} ${reference}`, reference, amountCents: 4900, currency: 'usd' },
    { accountId: account, secretKey: undefined, test: false, signal: AbortSignal.timeout(60_000) },
  );

test('a hold that was voided or captured at the processor while it is recorded as held is reported with its order', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const held = { hold: { upsell, decisionMinutes: 600 } };
  const orders = [];
  for (let order = 0; order < 3; order += 1) orders.push(await pay(replica, account, held));
  const [voided = '', captured = ''] = orders;
  expect((await compare(replica, account)).books).toMatchObject({ holds: 3, orphan_count: 0 });
  replicas.clock.advance(minuteMs);
  await atProcessor('release', account, (await references(account, voided))[0]);
  await atProcessor('capture', account, (await references(account, captured))[0]);
  const { books, problems } = await compare(replica, account);
  expect(problems).toEqual(['orphans_found']);
  expect(books?.orphans.map(({ side, kind }) => [side, kind])).toEqual([
    ['platform', 'hold'],
    ['processor', 'charge'],
  ]);
  expect(books?.orphans[0]?.detail).toContain('which was released at the payment processor on');
  expect((await reportedOf(account)).map(({ orderId }) => orderId)).toEqual([voided, captured]);
  await compare(replica, account);
  const reported = await reportedOf(account);
  // Both are settled by the platform itself: a seller who did it too would charge anew, or give away what is paid.
  expect(reported.map(({ summary }) => summary)).toEqual([
    expect.stringContaining('the order of a released one ends and nothing is charged'),
    expect.stringContaining('leave it there'),
  ]);
  const settle = (orderId: string) => settleHold(replica.deps, caller(account), orderId, 'declined');
  expect(await settle(voided)).toMatchObject({ status: 'lost', reason: 'released', capturedCents: 0 });
  expect(await settle(captured)).toMatchObject({ status: 'settled', capturedCents: 4900 });
  const taken = (await replicas.books(account)).filter(
    ({ kind, status }) => status === 'succeeded' && (kind === 'charge' || kind === 'capture'),
  );
  expect(taken.map(({ kind, amountCents }) => [kind, amountCents])).toEqual([['capture', 4900]]);
});

test.each(['release', 'capture'] as const)(
  'a %s at the processor of a hold that is being settled is not reported: its own capture meets that',
  async (method) => {
    const replica = replicas.start();
    const account = newAccount();
    const orderId = await pay(replica, account, { hold: { upsell, decisionMinutes: 600 } });
    await replicas.database.pool.query(
      `update holds set status = 'settling', decision = 'declined', decided_at = held_at, due_at = held_at + interval '1 hour'
     where account_id = $1 and order_id = $2`,
      [account, orderId],
    );
    replicas.clock.advance(minuteMs);
    await atProcessor(method, account, (await references(account, orderId))[0]);
    replicas.clock.advance(minuteMs);
    expect((await compare(replica, account)).books).toMatchObject({ orphan_count: 0 });
    expect(await reportedOf(account)).toEqual([]);
    // Should the hold come to another end, the capture is not forgotten.
    await replicas.database.pool.query(
      `update holds set status = 'lost', settled_at = decided_at where account_id = $1 and order_id = $2`,
      [account, orderId],
    );
    replicas.clock.advance(minuteMs);
    expect((await compare(replica, account)).books).toMatchObject({ orphan_count: method === 'capture' ? 1 : 0 });
  },
);

test('a hold on one side only is reported, unless it was released or has ended', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const held = { hold: { upsell, decisionMinutes: 600 } };
  const [gone, foreignHold, released] = [
    await pay(replica, account, held),
    await pay(replica, account, held),
    await pay(replica, account, held),
  ];
  await entries('delete from entries where account_id = $1 and order_id = $2', account, gone);
  for (const orderId of [foreignHold, released]) {
    await replicas.database.pool.query('delete from holds where account_id = $1 and order_id = $2', [account, orderId]);
    await replicas.database.pool.query('delete from payments where account_id = $1 and order_id = $2', [
      ...[account, orderId],
    ]);
  }
  const { rows } = await entries('select reference from entries where account_id = $1 order by seq', account);
  const [foreignReference, releasedReference] = rows.map(({ reference }) => reference as string);
  await atProcessor('release', account, releasedReference);
  const { books } = await compare(replica, account);
  expect(books?.orphans.map(({ side, kind, id }) => [side, kind, id])).toEqual([
    ['platform', 'hold', (await replicas.money(account, gone)).payments[0]?.id],
    ['processor', 'hold', foreignReference],
  ]);
  expect(books?.holds).toBe(0);
});

test('a processor that names our payments by its own reference alone is compared by it', async () => {
  const replica = replicas.start({ processor: listing((record) => [{ ...record, paymentId: null }]) });
  const account = newAccount();
  const orderId = await pay(replica, account);
  await refundCharges(replica.deps, caller(account), orderId);
  expect((await compare(replica, account)).books).toMatchObject({ charges: 1, refunds: 1, orphan_count: 0 });
});

test('a list that cannot be read is named in the result, and its days are compared by the next run', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const orderId = await pay(replica, account);
  expect((await compare(replica, account)).books?.charges).toBe(1);
  await entries('delete from entries where account_id = $1 and order_id = $2', account, orderId);
  replica.failList();
  expect(await compare(replica, account)).toEqual({ books: null, problems: ['books_not_compared'] });
  // Long after: the days of the last comparison that succeeded are still among those compared.
  replicas.clock.advance(40 * dayMs);
  expect((await compare(replica, account)).books).toMatchObject({ charges: 0, orphan_count: 1 });
});

test('of more charges than are looked up one by one, each is reported once, a hundred are listed and all are counted', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const from = new Date(replicas.clock.nowMs() - dayMs);
  await seedCharges(replicas.database, account, { prefix: 'many', count: 2_400, from });
  await entries(`delete from entries where account_id = $1 and payment_id > 'many00001200'`, account);
  const { books } = await compare(replica, account);
  expect(books).toMatchObject({ charges: 1_200, orphan_count: 1_200 });
  expect(books?.orphans).toHaveLength(100);
  // A thousand and the rest of the page are reported by the first run, what is left by the next one.
  await compare(replica, account);
  await compare(replica, account);
  const orders = (await reportedOf(account)).map(({ orderId }) => orderId);
  expect([orders.length, new Set(orders).size]).toEqual([1_200, 1_200]);
});

/** An odd step kills before statements and after them. */
const seamStep = volume(7, 1);

test('a process that is killed at any point of the comparison leaves each orphan reported once', async () => {
  for (let seam = 1; seam <= 80; seam += seamStep) {
    const account = newAccount();
    const orderId = await pay(replicas.start(), account);
    await entries(
      `update entries set payment_id = 'x' || payment_id, reference = 'x' || reference where account_id = $1`,
      account,
    );
    const process = dyingAt(seam);
    const died = await compare(replicas.start(process), account).then(
      ({ problems }) => problems.includes('books_not_compared'),
      isDeath,
    );
    await Promise.all([compare(replicas.start(), account), compare(replicas.start(), account)]);
    expect((await reportedOf(account)).map((reported) => reported.orderId).toSorted()).toEqual(
      [orderId, null].toSorted(),
    );
    if (!died && !process.dead) return;
  }
  throw new Error('the comparison has more seams than were tried');
});

test('rehearsals are in no books', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const orderId = await pay(replica, account, { test: true });
  await entries('delete from entries where account_id = $1 and order_id = $2', account, orderId);
  expect((await compare(replica, account)).books).toMatchObject({ charges: 0, orphan_count: 0 });
});

/** What a processor makes of one charge. `unlisted`: the list lacks it, and the processor finds it by its id. */
const fates = ['ok', 'ok', 'lost', 'invented', 'other_amount', 'unlisted', 'listed_twice', 'without_our_id'] as const;
type Fate = (typeof fates)[number];
const charges = fc.array(
  fc.record({ fate: fc.constantFrom<Fate>(...fates), passMs: fc.integer({ max: 30 * hourMs, min: 0 }) }),
  {
    minLength: 1,
    maxLength: 12,
  },
);

test('whatever a processor loses, invents, changes or lists twice on whichever day: each orphan is reported once, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(charges, async (made) => {
      const account = newAccount();
      const fateOf = new Map<string, Fate>();
      const faulty = replicas.start({
        processor: listing((record) => reported(record, fateOf.get(record.paymentId ?? ''))),
      });
      let lastRunMs = replicas.clock.nowMs();
      for (const { fate, passMs } of made) {
        const orderId = await pay(faulty, account);
        const id = (await replicas.money(account, orderId)).payments[0]?.id ?? '';
        fateOf.set(id, fate);
        if (fate === 'lost') await entries('delete from entries where payment_id = $1', id);
        replicas.clock.advance(passMs);
        if (replicas.clock.nowMs() - lastRunMs < dayMs) continue;
        await compare(faulty, account);
        lastRunMs = replicas.clock.nowMs();
      }
      await compare(faulty, account);
      const expected = [...fateOf.values()].flatMap((fate) =>
        fate in words ? [words[fate as keyof typeof words]] : [],
      );
      const summaries = (await reportedOf(account)).map(({ summary }) => String(summary));
      const kinds = summaries.map((summary) => Object.values(words).find((word) => summary.includes(word)));
      expect(kinds.toSorted()).toEqual(expected.toSorted());
    }),
    { ...randomRuns(8, 400), endOnFailure: true },
  );
});

const words = {
  lost: 'which the payment processor does not show',
  invented: 'that the platform does not know',
  other_amount: '$50.00',
};

function reported(record: ProcessorRecord, fate: Fate | undefined): ProcessorRecord[] {
  switch (fate) {
    case 'invented':
      return [record, { ...record, reference: `${record.reference}_more`, paymentId: null }];
    case 'other_amount':
      return [{ ...record, amountCents: 5000 }];
    case 'unlisted':
      return [];
    case 'listed_twice':
      return [record, record];
    case 'without_our_id':
      return [{ ...record, paymentId: null }];
    default:
      return [record];
  }
}
