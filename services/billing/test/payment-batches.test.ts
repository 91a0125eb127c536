import { isDeath } from '@app/testing/dying-process';
import { volume } from '@app/testing/long';
import { untilBlocked } from '@app/testing/poll-system';
import { lockRows, plannedScans } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { continuePayment } from '../src/charging/continue-payment.ts';
import { newAttempt, type StartInput } from '../src/charging/new-attempt.ts';
import { decideStart, otherPayment } from '../src/charging/payment.rules.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import type { CardRequest, ProcessorCall } from '../src/processors/port.ts';
import { counting } from './counted-statements.ts';
import { dyingAt } from './dying-process.ts';
import { minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';

openReplicas();

interface Order {
  readonly account: string;
  readonly input: StartInput;
}

const newOrder = (fields: Partial<StartInput> = {}): Order => ({ account: newAccount(), input: startInput(fields) });
const newOrders = (count: number, fields: Partial<StartInput> = {}): Order[] =>
  Array.from({ length: count }, () => newOrder(fields));
const start = (replica: Replica, { account, input }: Order) =>
  startPayment(replica.deps, { accountId: account, requestId: 'r' }, input);
const goOn = (replica: Replica, { account, input }: Order) =>
  continuePayment(replica.deps, { accountId: account, requestId: 'r' }, input.orderId);
const completed = async ({ account }: Order) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.payment.completed.v1')
    .map(({ data }) => [data.attemptNo, data.status]);
const taken = async ({ account }: Order) =>
  (await replicas.books(account))
    .filter(({ kind, status }) => status === 'succeeded' && (kind === 'charge' || kind === 'hold'))
    .map(({ orderId, kind, amountCents }) => [orderId, kind, amountCents]);

/** How many transactions wrote entries into the processor's books since `after`, and the last entry now. */
async function writtenBooks(after: number): Promise<{ transactions: number; last: number }> {
  const { rows } = await replicas.database.pool.query(
    `select count(distinct xmin::text) filter (where seq > $1)::integer as transactions,
       coalesce(max(seq), 0)::integer as last
     from simulated_processor.entries`,
    [after],
  );
  return rows[0];
}

/** How each kind of payment ends: what the buyer sees, which events say so, and what was taken. */
const kinds = [
  { fields: {}, status: 'succeeded', reported: [[1, 'succeeded']], taken: 'charge' },
  { fields: { hold: { upsell, decisionMinutes: 60 } }, status: 'held', reported: [[1, 'held']], taken: 'hold' },
  { fields: { paymentMethod: 'sim_declined' }, status: 'declined', reported: [[1, 'declined']], taken: null },
  { fields: { paymentMethod: 'sim_action_ignored' }, status: 'requires_action', reported: [], taken: null },
  // The processor charges it, and breaks the connection before it answers.
  { fields: { paymentMethod: 'sim_error_after' }, status: 'processing', reported: [], taken: 'charge' },
] as const;

/** The statements that record an answer, in their order: those of each, and between the last two of them those of a charge. */
const ofEachAnswer = ['payments-lock-answered', 'payments-answer', 'outbox-insert-answered'] as const;
const ofSuccess = ['facts-write-answered', 'charges-insert-answered', 'payment-methods-save-answered'] as const;

test('50 payments at once share a few statements, and each has its own outcome, rows and events', async () => {
  const { database, counts } = counting();
  const replica = replicas.start({ database });
  const { last } = await writtenBooks(0);
  const orders = kinds.flatMap(({ fields }) => newOrders(10, fields));
  const outcomes = await Promise.all(orders.map((order) => start(replica, order)));
  expect(outcomes.map(({ status }) => status)).toEqual(kinds.flatMap(({ status }) => Array(10).fill(status)));
  expect([...counts.keys()].toSorted()).toEqual(
    ['payments-start', ...ofEachAnswer, ...ofSuccess, 'holds-insert-answered'].toSorted(),
  );
  for (const count of counts.values()) expect(count).toBeLessThanOrEqual(5);
  expect((await writtenBooks(last)).transactions).toBeLessThanOrEqual(5);
  for (const [index, order] of orders.entries()) {
    const kind = kinds[Math.floor(index / 10)];
    const { orderId, amountCents } = order.input;
    const money = await replicas.money(order.account, orderId);
    expect(money.payments.map(({ id, customerEmail }) => [id, customerEmail])).toEqual([
      [outcomes[index]?.paymentId, order.input.customerEmail],
    ]);
    expect(money.charges.map(({ id }) => id)).toEqual(kind?.status === 'succeeded' ? [outcomes[index]?.paymentId] : []);
    expect(money.hold?.paymentId).toBe(kind?.status === 'held' ? outcomes[index]?.paymentId : undefined);
    expect(money.savedMethod !== null).toBe(kind?.status === 'succeeded' || kind?.status === 'held');
    expect(await completed(order)).toEqual(kind?.reported);
    expect(await taken(order)).toEqual(kind?.taken === null ? [] : [[orderId, kind?.taken, amountCents]]);
  }
});

test('an answer is recorded by the statements that have something to write', async () => {
  const sent = async (fields: Partial<StartInput>) => {
    const { database, counts } = counting();
    await start(replicas.start({ database }), newOrder(fields));
    expect([...counts.values()]).toEqual([...counts].map(() => 1));
    return [...counts.keys()].slice(1);
  };
  const [lock, update, events] = ofEachAnswer;
  const [facts, charges, methods] = ofSuccess;
  expect(await sent({})).toEqual([lock, update, facts, charges, methods, events]);
  expect(await sent({ paymentMethod: 'sim_declined' })).toEqual([lock, update, events]);
  expect(await sent({ paymentMethod: 'sim_action_ignored' })).toEqual([lock, update]);
});

test('payments and holds are found by their keys, even before the planner knows how many an account has', async () => {
  const { database, texts } = counting();
  const replica = replicas.start({ database });
  const order = newOrder({ hold: { upsell, decisionMinutes: 60 } });
  await start(replica, order);
  const caller = { accountId: order.account, requestId: 'r' };
  expect(await settleHold(replica.deps, caller, order.input.orderId, 'declined')).toMatchObject({ status: 'settled' });
  const names = ['payments-start', 'payments-lock-answered', 'payments-answer', 'holds-count-captured'];
  for (const name of names) {
    const scans = (await plannedScans(replicas.url, texts.get(name) ?? name)).filter(({ table }) =>
      /^(payments|holds)$/.test(table),
    );
    expect(scans.length, name).toBeGreaterThan(0);
    for (const { lookUp } of scans) expect(lookUp, name).toMatch(/\b(order_id|id) = /);
  }
});

test('what cannot be written fails alone: a row, an entry in the processor’s books, an answer', async () => {
  const [badRow, badEntry, badAnswer, ...good] = newOrders(12) as [Order, Order, Order, ...Order[]];
  // PostgreSQL stores no NUL in a text, and the processor knows no such currency.
  Object.assign(badRow.input, { productName: 'Course\u0000' });
  Object.assign(badEntry.input, { currency: 'dollars' });
  const replica = replicas.start({
    processor: (inner) => ({
      ...inner,
      charge: async (request, call) => {
        const outcome = await inner.charge(request, call);
        return request.orderId === badAnswer.input.orderId ? { ...outcome, lastFour: '42\u0000' } : outcome;
      },
    }),
  });
  const [noRow, noEntry, noAnswer, ...rest] = await Promise.allSettled(
    [badRow, badEntry, badAnswer, ...good].map((order) => start(replica, order)),
  );
  expect(noRow).toMatchObject({ status: 'rejected', reason: { code: '22P05' } });
  expect(noEntry).toMatchObject({ status: 'fulfilled', value: { status: 'processing' } });
  expect(noAnswer).toMatchObject({ status: 'rejected', reason: { code: '22021' } });
  expect(rest).toEqual(good.map(() => expect.objectContaining({ status: 'fulfilled' })));
  for (const order of good) {
    expect(await completed(order)).toEqual([[1, 'succeeded']]);
    expect(await taken(order)).toHaveLength(1);
  }
  expect((await replicas.money(badRow.account, badRow.input.orderId)).payments).toEqual([]);
  expect(await taken(badRow)).toEqual([]);
  // As an answer that got lost: the processor is queried a minute later.
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await completed(badAnswer)).toEqual([[1, 'succeeded']]);
  expect(await taken(badAnswer)).toHaveLength(1);
});

test('attempts of one order that come together charge once, and its neighbours are charged too', async () => {
  const replica = replicas.start();
  const [order, ...others] = newOrders(6) as [Order, ...Order[]];
  const second = { ...order, input: { ...order.input, attemptNo: 2 } };
  const outcomes = await Promise.all([order, order, second, ...others].map((each) => start(replica, each)));
  expect(new Set(outcomes.slice(0, 3).map(({ paymentId }) => paymentId)).size).toBe(1);
  // Either try may be written first: each waits for connections of its own before that.
  const charged = outcomes.find(({ status }) => status === 'succeeded')?.attemptNo;
  expect(outcomes.slice(0, 3).map(({ attemptNo }) => attemptNo)).toEqual([charged, charged, charged]);
  expect(await completed(order)).toEqual([[charged, 'succeeded']]);
  for (const each of others) expect(await completed(each)).toEqual([[1, 'succeeded']]);
  for (const each of [order, ...others]) expect(await taken(each)).toHaveLength(1);
});

test('a key that arrives at the simulated processor twice at once is one entry with one answer; another request under it fails alone', async () => {
  const [{ account, input }, other] = newOrders(2) as [Order, Order];
  const { orderId, amountCents, currency, customerEmail, returnUrl } = input;
  const about = { orderId, currency, paymentMethod: 'sim_ok', customerEmail, returnUrl };
  const request: CardRequest = { ...about, amountCents, paymentId: `pmt_${orderId}` };
  const call: ProcessorCall = {
    ...{ accountId: account, secretKey: undefined, test: false },
    signal: new AbortController().signal,
  };
  const charge = (sent: CardRequest, by = call) => replicas.simulated.charge(sent, by);
  const [first, again, changed, neighbour, rehearsal] = await Promise.allSettled([
    charge(request),
    charge(request),
    charge({ ...request, amountCents: amountCents + 1 }),
    charge({ ...request, paymentId: `pmt_${other.input.orderId}` }),
    charge(request, { ...call, test: true }),
  ]);
  expect(first).toMatchObject({ status: 'fulfilled', value: { status: 'succeeded' } });
  expect(again).toEqual(first);
  expect(changed).toMatchObject({ status: 'rejected' });
  for (const each of [neighbour, rehearsal]) expect(each).toMatchObject({ value: { status: 'succeeded' } });
  const entries = (await replicas.books(account)).filter(({ paymentId }) => paymentId === request.paymentId);
  expect(entries.map(({ test: isTest, sendings }) => [isTest, sendings]).toSorted()).toEqual([
    [false, 3],
    [true, 1],
  ]);
});

// Of ten payments at once seams 1 and 2 are around the statement that writes them, 3 to 22 around their calls, 23 to 34
// around the six statements that record their answers, and 35 is after their commit.
test.each([1, 2, 7, 17, 23, 26, 31, 34, 35])(
  'ten payments whose process is killed at seam %i are charged once each: what never arrived, by the buyer’s next attempt',
  async (seam) => {
    const orders = newOrders(10);
    const process = dyingAt(seam);
    const killed = replicas.start(process);
    const starts = await Promise.allSettled(orders.map((order) => start(killed, order)));
    expect(process.dead).toBe(true);
    for (const each of starts) expect(each.status === 'rejected' && isDeath(each.reason)).toBe(true);
    const replica = replicas.start();
    replicas.clock.advance(minuteMs);
    await replica.round();
    const outcomes = await Promise.all(
      orders.map(async (order) => {
        const first = await start(replica, order);
        if (first.status !== 'declined') return first;
        return await start(replica, { ...order, input: { ...order.input, attemptNo: 2 } });
      }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(orders.map(() => 'succeeded'));
    for (const [index, order] of orders.entries()) {
      const lost = outcomes[index]?.attemptNo === 1 ? [] : [[1, 'declined']];
      expect(await completed(order)).toEqual([...lost, [lost.length + 1, 'succeeded']]);
      expect(await taken(order)).toHaveLength(1);
    }
  },
);

test('two replicas that record answers to the same payments at once, in opposite orders, do not stop each other', async () => {
  const [a, b] = [replicas.start(), replicas.start()];
  for (let round = 0; round < volume(2, 20); round += 1) {
    const orders = newOrders(30, { paymentMethod: 'sim_requires_action' });
    await Promise.all(orders.map((order) => start(a, order)));
    const [here, there] = await Promise.all([
      Promise.all(orders.map((order) => goOn(a, order))),
      Promise.all(orders.toReversed().map((order) => goOn(b, order))),
    ]);
    for (const { status } of [...here, ...there]) expect(status).toBe('succeeded');
    for (const order of orders) expect(await completed(order)).toEqual([[1, 'succeeded']]);
  }
});

test('two replicas that query a payment at the same moment both get what its buyer has decided', async () => {
  const [a, b] = [replicas.start(), replicas.start()];
  const order = newOrder({ paymentMethod: 'sim_requires_action' });
  await start(a, order);
  // Both statements have begun, and none can have decided.
  const letGo = await lockRows(replicas.url, 'simulated_processor.entries', order.account);
  const requested = [goOn(a, order), goOn(b, order)];
  await untilBlocked(replicas.database.pool, 2);
  await letGo();
  for (const { status } of await Promise.all(requested)) expect(status).toBe('succeeded');
  expect(await completed(order)).toEqual([[1, 'succeeded']]);
});

test.each([
  ['none', [], 1, true],
  ['a declined one', [['declined', 'card_declined']], 2, true],
  [
    'several declined ones',
    [
      ['declined', 'not_received'],
      ['declined', 'card_declined'],
    ],
    3,
    true,
  ],
  ['the same one', [['declined', 'card_declined']], 1, false],
  [
    'a later one',
    [
      ['declined', 'card_declined'],
      ['declined', 'card_declined'],
    ],
    1,
    false,
  ],
  ['another payment under a key of the order', [['declined', otherPayment]], 2, false],
  ['one that succeeded', [['succeeded', null]], 2, false],
  ['one that was sent', [['sent', null]], 2, false],
  [
    'an unknown one',
    [
      ['declined', 'card_declined'],
      ['unknown', null],
    ],
    3,
    false,
  ],
  ['one that waits for its buyer', [['requires_action', null]], 2, false],
] as const)(
  'an attempt is written exactly where decideStart charges it: after %s',
  async (_, before, attemptNo, charges) => {
    const { deps } = replicas.start();
    const { account, input } = newOrder();
    for (const [index, [status, reason]] of before.entries()) {
      const made = await newAttempt(deps, account, { ...input, attemptNo: index + 1 });
      expect(await deps.attemptWriter.add(made)).toBe('written');
      const ended = status === 'declined' || status === 'succeeded';
      await replicas.database.pool.query(
        `update payments set status = $2, decline_reason = $3, finished_at = case when $4 then sent_at end,
         next_check_at = case when not $4 then next_check_at end where id = $1`,
        [made.id, status, reason, ended],
      );
    }
    const { payments } = await replicas.money(account, input.orderId);
    expect(decideStart(payments, attemptNo).kind === 'charge').toBe(charges);
    const tried = await deps.attemptWriter.add(await newAttempt(deps, account, { ...input, attemptNo }));
    expect(tried === 'written').toBe(charges);
  },
);
