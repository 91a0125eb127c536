import { isDeath } from '@app/testing/dying-process';
import { fakeClock } from '@app/testing/fake-clock';
import { volume } from '@app/testing/long';
import { announced } from '@app/testing/points';
import { expect, onTestFinished, test, vi } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { continuePayment } from '../src/charging/continue-payment.ts';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { readRequest } from '../src/charging/payment-store.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { answersRecorded } from '../src/points/points.ts';
import { dyingAt } from './dying-process.ts';
import { charged, completed } from './outcomes.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';

openReplicas();

const hold = { upsell: { upsellId: 'ups_1', headline: 'More', amountCents: 1500 }, decisionMinutes: 60 };
const caller = (accountId: string) => ({ accountId, requestId: 'r' });
const start = (replica: Replica, accountId: string, input: StartInput) =>
  startPayment(replica.deps, caller(accountId), input);
/** So many outcomes of the payment are recorded, the unknown one among them. */
const recorded = (id: string, times: number) =>
  announced(answersRecorded, ({ paymentIds }) => paymentIds.includes(id), times);

test('20 equal starts at once on two replicas are one charge, and all that know the outcome say the same', async () => {
  const account = newAccount();
  const [a, b] = [replicas.start(), replicas.start()];
  const input = startInput();
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => start(n % 2 === 0 ? a : b, account, input)));
  expect(outcomes.filter(({ status }) => status !== 'processing').map(({ status }) => status)).toContain('succeeded');
  expect(new Set(outcomes.map(({ paymentId }) => paymentId)).size).toBe(1);
  expect(await start(b, account, input)).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  expect(await charged(account)).toHaveLength(1);
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});

test('a decline is shown in words that help no tester of cards; the next attempt may use another card', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const input = startInput({ paymentMethod: 'sim_lost_card' });
  const declined = await start(replica, account, input);
  expect(declined).toMatchObject({ status: 'declined', reason: 'card_declined', attemptNo: 1 });
  expect(await start(replica, account, input)).toEqual(declined);
  const paid = await start(replica, account, { ...input, attemptNo: 2, paymentMethod: 'sim_ok' });
  expect(paid).toMatchObject({ status: 'succeeded', attemptNo: 2 });
  expect(await start(replica, account, { ...input, attemptNo: 3 })).toEqual(paid);
  expect(await start(replica, account, input)).toEqual(paid);
  expect(await completed(account)).toEqual([
    [1, 'declined', 'card_declined'],
    [2, 'succeeded', null],
  ]);
});

test.each(['throws_after', 'answer_lost'] as const)(
  'a charge whose answer is lost (%s) blocks every other one until the processor was queried, and then counts',
  async (fault) => {
    const account = newAccount();
    const replica = replicas.start();
    replica.fail(fault);
    const input = startInput();
    expect(await start(replica, account, input)).toMatchObject({ status: 'processing', attemptNo: 1 });
    expect(await start(replica, account, { ...input, attemptNo: 2 })).toMatchObject({
      status: 'processing',
      attemptNo: 1,
    });
    await replica.round();
    expect(replica.processor.calls.map(({ method }) => method)).toEqual(['charge']);
    replicas.clock.advance(minuteMs);
    await replica.round();
    expect(await start(replica, account, { ...input, attemptNo: 2 })).toMatchObject({
      status: 'succeeded',
      attemptNo: 1,
    });
    expect(await charged(account)).toHaveLength(1);
    expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
  },
);

test('a first payment that could not be looked up stays unknown, and is declined by the look-up that finds nothing', async () => {
  const account = newAccount();
  const replica = replicas.start();
  replica.fail('throws_before', 'throws_before', 'throws_before');
  const input = startInput();
  await start(replica, account, input);
  for (const waitMs of [minuteMs, 5 * minuteMs]) {
    replicas.clock.advance(waitMs);
    await replica.round();
    expect(await completed(account)).toEqual([]);
  }
  replicas.clock.advance(hourMs);
  await replica.round();
  expect(await completed(account)).toEqual([[1, 'declined', 'try_again_later']]);
  const [first] = (await replicas.money(account, input.orderId)).payments;
  expect(first).toMatchObject({ status: 'declined', declineReason: 'not_received' });
});

test('a copy that reaches the processor after the payment was declined is found by the comparison of the books, and the order follows', async () => {
  const account = newAccount();
  const replica = replicas.start();
  replica.fail('late');
  const input = startInput();
  const { paymentId } = await start(replica, account, input);
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await completed(account)).toEqual([[1, 'declined', 'try_again_later']]);
  await replica.processor.deliverLate();
  replicas.clock.advance(hourMs);
  await replica.daily(account);
  const noticed = (await replicas.events(account)).filter(({ subject }) => subject.includes('daily-run.noticed'));
  expect(noticed).toEqual([]);
  expect((await completed(account)).at(-1)).toEqual([1, 'succeeded', null]);
  const [payment] = (await replicas.money(account, input.orderId)).payments;
  expect(payment).toMatchObject({ id: paymentId, status: 'succeeded' });
});

test('a payment that the processor says nothing of for a day is reported to the seller, once', async () => {
  const account = newAccount();
  const replica = replicas.start();
  replica.fail(...Array.from({ length: 9 }, () => 'throws_after' as const));
  await start(replica, account, startInput());
  for (let check = 0; check < 6; check += 1) {
    replicas.clock.advance(26 * hourMs);
    await replica.round();
  }
  const notices = (await replicas.events(account)).filter(({ subject }) => subject.includes('payment.noticed'));
  expect(notices.map(({ data }) => data.summary)).toEqual([expect.stringContaining('has not answered for a day')]);
  expect(await replica.daily(account)).toBe(0);
});

test('look-ups of a first payment come after half a minute, 5 minutes, 1 hour, and then with the daily run', async () => {
  const account = newAccount();
  const replica = replicas.start();
  replica.fail(...Array.from({ length: 9 }, () => 'throws_after' as const));
  await start(replica, account, startInput());
  const lookUps = () => replica.processor.calls.filter(({ method }) => method === 'lookUp').length;
  for (const [waitMs, expected] of [
    [minuteMs / 2 - 1, 0],
    [1, 1],
    [5 * minuteMs - 1, 1],
    [1, 2],
    [hourMs - 1, 2],
    [1, 3],
    [20 * hourMs, 3],
  ] as const) {
    replicas.clock.advance(waitMs);
    await replica.round();
    expect([waitMs, lookUps()]).toEqual([waitMs, expected]);
  }
  await replica.daily(account);
  expect(lookUps()).toBe(4);
});

/** A replica whose charges arrive, and are answered after their deadline, when the test releases them. */
function answeringLate() {
  const [charged, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const replica = replicas.start({
    deadlineMs: 20,
    processor: (inner) => ({
      ...inner,
      charge: async (request, call) => {
        const outcome = await inner.charge(request, { ...call, signal: new AbortController().signal });
        charged.resolve();
        await late.promise;
        return outcome;
      },
    }),
  });
  return { replica, charged: charged.promise, answer: late.resolve };
}

test('an answer that comes after the deadline is recorded, without waiting for the first check', async () => {
  const account = newAccount();
  const { replica, answer } = answeringLate();
  const { status, paymentId } = await start(replica, account, startInput());
  expect(status).toBe('processing');
  answer();
  await recorded(paymentId, 2);
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});

test('of two answers to one payment the first counts: one that comes after a look-up is reported no second time', async () => {
  const account = newAccount();
  const { replica, charged, answer } = answeringLate();
  const { status, paymentId } = await start(replica, account, startInput({ paymentMethod: 'sim_declined' }));
  expect(status).toBe('processing');
  await charged;
  replicas.clock.advance(minuteMs);
  await replicas.start().round();
  await recorded(paymentId, 2);
  expect(await completed(account)).toEqual([[1, 'declined', 'card_declined']]);
  answer();
  await recorded(paymentId, 3);
  expect(await completed(account)).toEqual([[1, 'declined', 'card_declined']]);
});

test('the buyer of a payment whose process was killed while it was charged learns its state once the answer is overdue', async () => {
  const account = newAccount();
  // Seams 1 and 2 are about the row, 3 is before the call and 4 after it: the card is charged, and the charge is not recorded.
  const killed = replicas.start(dyingAt(4));
  const input = startInput();
  await expect(start(killed, account, input)).rejects.toSatisfy(isDeath);
  const replica = replicas.start();
  const goOn = () => continuePayment(replica.deps, caller(account), input.orderId);
  const calls = () => replica.processor.calls.map(({ method }) => method);
  replicas.clock.advance(replica.deps.processorCalls.deadlineMs + 1_999);
  expect(await goOn()).toMatchObject({ status: 'processing', attemptNo: 1 });
  expect(calls()).toEqual([]);
  replicas.clock.advance(1);
  expect(await goOn()).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  expect(calls()).toEqual(['lookUp']);
  expect(await charged(account)).toHaveLength(1);
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});

test.each([
  ['late', 'wrote it', -30_000],
  ['ahead', 'looks it up', 30_000],
] as const)('a replica whose clock is 30 s %s and that %s has no payment declined early', async (_, who, skewMs) => {
  const account = newAccount();
  const input = startInput();
  const { clock } = replicas;
  const deps = (replica: Replica, skewed: boolean) => ({
    ...replica.deps,
    clock: skewed ? fakeClock(new Date(clock.nowMs() + skewMs)) : clock,
  });
  const real = Date.now;
  const system = vi.spyOn(Date, 'now');
  onTestFinished(() => system.mockRestore());
  const as = async <T>(replica: Replica, skewed: boolean, work: (by: Replica['deps']) => Promise<T>): Promise<T> => {
    system.mockImplementation(() => real() + (skewed ? skewMs : 0));
    return await work(deps(replica, skewed));
  };
  const started = as(replicas.start(dyingAt(3)), who === 'wrote it', (by) => startPayment(by, caller(account), input));
  await expect(started).rejects.toSatisfy(isDeath);
  const replica = replicas.start({ deadlineMs: 8_000 });
  const goOn = () => as(replica, who === 'looks it up', (by) => continuePayment(by, caller(account), input.orderId));
  clock.advance(20_000);
  expect(await goOn()).toMatchObject({ status: 'processing' });
  clock.advance(minuteMs);
  expect(await goOn()).toMatchObject({ status: 'declined', attemptNo: 1, reason: 'try_again_later' });
  expect(replica.processor.calls.map(({ method }) => method)).toEqual(['lookUp', 'lookUp']);
});

test('a payment whose answer this process still waits for is not looked up, however late it is by the clock', async () => {
  const account = newAccount();
  const answered = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  const replica = replicas.start({
    deadlineMs: 20_000,
    processor: (inner) => ({
      ...inner,
      charge: async (request, call) => {
        const outcome = await inner.charge(request, call);
        called.resolve();
        await answered.promise;
        return outcome;
      },
    }),
  });
  const input = startInput();
  const started = start(replica, account, input);
  await called.promise;
  replicas.clock.advance(30_000);
  const meanwhile = await continuePayment(replica.deps, caller(account), input.orderId);
  answered.resolve();
  expect(meanwhile).toMatchObject({ status: 'processing', attemptNo: 1 });
  expect(await started).toMatchObject({ status: 'succeeded' });
  expect(replica.processor.calls.map(({ method }) => method)).toEqual(['charge']);
});

test('a buyer who confirms at the bank has paid once the processor is queried, on the way back or by itself', async () => {
  const [account, alone] = [newAccount(), newAccount()];
  const replica = replicas.start();
  const input = startInput({ paymentMethod: 'sim_requires_action', returnUrl: 'https://shop.example.com/back' });
  const waiting = await start(replica, account, input);
  expect(waiting).toMatchObject({
    status: 'requires_action',
    action: { url: expect.stringContaining('shop.example.com') },
  });
  expect(await start(replica, account, input)).toEqual(waiting);
  expect(await continuePayment(replica.deps, caller(account), input.orderId)).toMatchObject({ status: 'succeeded' });
  const other = startInput({ paymentMethod: 'sim_requires_action' });
  await start(replica, alone, other);
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await completed(alone)).toEqual([[1, 'succeeded', null]]);
  for (const accountId of [account, alone]) expect(await charged(accountId)).toHaveLength(1);
});

test('a buyer who takes another card gives the confirmation up first; the old one can charge nothing any more', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const input = startInput({ paymentMethod: 'sim_action_ignored' });
  await start(replica, account, input);
  const paid = await start(replica, account, { ...input, attemptNo: 2, paymentMethod: 'sim_ok' });
  expect(paid).toMatchObject({ status: 'succeeded', attemptNo: 2 });
  expect(await completed(account)).toEqual([
    [1, 'declined', 'try_again_later'],
    [2, 'succeeded', null],
  ]);
  expect(await charged(account)).toHaveLength(1);
});

test('a confirmation that succeeded while it was given up is the outcome; the other card is not charged', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const input = startInput({ paymentMethod: 'sim_requires_action' });
  const waiting = await start(replica, account, input);
  const call = { accountId: account, secretKey: undefined, test: false, signal: new AbortController().signal };
  // The buyer confirms at the bank, and its state is not requested before the other card is tried.
  expect(
    await replicas.simulated.lookUp(await readRequest(replicas.database, account, waiting.paymentId), call),
  ).toMatchObject({ status: 'succeeded' });
  const paid = await start(replica, account, { ...input, attemptNo: 2, paymentMethod: 'sim_ok' });
  expect(paid).toMatchObject({ status: 'succeeded', attemptNo: 1, paymentId: waiting.paymentId });
  expect(await charged(account)).toHaveLength(1);
});

test('a hold that is confirmed in one tab while another card is tried in the second is never released beside its record', async () => {
  const [first, second] = [replicas.start(), replicas.start()];
  const pair = async () => {
    const account = newAccount();
    const input = startInput({ paymentMethod: 'sim_requires_action', hold });
    await start(first, account, input);
    await Promise.all([
      continuePayment(first.deps, caller(account), input.orderId),
      start(second, account, { ...input, attemptNo: 2, paymentMethod: 'sim_ok' }),
    ]);
    return { account, ...input };
  };
  const pairs = await Promise.all(Array.from({ length: volume(40, 300) }, pair));
  for (const { account, orderId } of pairs) {
    expect(await settleHold(first.deps, caller(account), orderId, 'accepted')).toMatchObject({ status: 'settled' });
    const taken = (await replicas.books(account)).filter(({ kind }) => kind !== 'hold' && kind !== 'release');
    expect(taken.map(({ kind, status, amountCents }) => [kind, status, amountCents])).toEqual([
      ['capture', 'succeeded', 4900],
      ['charge', 'succeeded', 1500],
    ]);
  }
});

test('a look-up that began before a release records nothing while the release is open, nor after it', async () => {
  const account = newAccount();
  const [found, answer, called, release] = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const first = replicas.start({
    processor: (inner) => ({
      ...inner,
      lookUp: async (sent, call) => {
        const outcome = await inner.lookUp(sent, call);
        found?.resolve();
        await answer?.promise;
        return outcome;
      },
    }),
  });
  const second = replicas.start({
    processor: (inner) => ({
      ...inner,
      release: async (request, call) => {
        called?.resolve();
        await release?.promise;
        return await inner.release(request, call);
      },
    }),
  });
  const input = startInput({ paymentMethod: 'sim_requires_action', hold });
  await start(first, account, input);
  const continued = continuePayment(first.deps, caller(account), input.orderId);
  await found?.promise;
  const paid = start(second, account, { ...input, attemptNo: 2, paymentMethod: 'sim_ok' });
  await called?.promise;
  answer?.resolve();
  expect(await continued).toMatchObject({ status: 'processing', attemptNo: 1, action: null });
  expect((await replicas.money(account, input.orderId)).hold).toBeNull();
  release?.resolve();
  expect(await paid).toMatchObject({ status: 'held', attemptNo: 2 });
  expect(await completed(account)).toEqual([
    [1, 'declined', 'try_again_later'],
    [2, 'held', null],
  ]);
});

test('a buyer who comes back while the payment is given up after a day has paid, and nothing is released', async () => {
  const account = newAccount();
  const buyer = replicas.start();
  const input = startInput({ paymentMethod: 'sim_requires_action', hold });
  const { paymentId } = await start(buyer, account, input);
  const [waiting] = (await replicas.money(account, input.orderId)).payments;
  replicas.clock.advance(dayMs);
  let confirmed = false;
  const giving = replicas.start({
    processor: (inner) => ({
      ...inner,
      lookUp: async () => ({
        status: 'requires_action',
        reference: waiting?.processorReference ?? '',
        url: waiting?.actionUrl ?? '',
      }),
    }),
    // The buyer comes back after the last reading, and before the release is written.
    database: (database) => {
      const query = async (config: { name?: string }) => {
        const result = await database.pool.query(config as never);
        if (config.name === 'orders-money' && confirmed) {
          await continuePayment(buyer.deps, caller(account), input.orderId);
        }
        confirmed ||= config.name === 'orders-money';
        return result;
      };
      return { ...database, pool: Object.assign(Object.create(database.pool), { query }) };
    },
  });
  await giving.round();
  expect(confirmed).toBe(true);
  expect((await replicas.books(account)).map(({ kind, status }) => [kind, status])).toEqual([['hold', 'succeeded']]);
  expect((await replicas.money(account, input.orderId)).hold).toMatchObject({ status: 'held', paymentId: paymentId });
  expect(await completed(account)).toEqual([[1, 'held', null]]);
});

test('a payment that could not be released because it had succeeded is recorded by the next round', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const input = startInput({ paymentMethod: 'sim_requires_action' });
  const { paymentId } = await start(replica, account, input);
  const call = { accountId: account, secretKey: undefined, test: false, signal: new AbortController().signal };
  expect(await replicas.simulated.lookUp(await readRequest(replicas.database, account, paymentId), call)).toMatchObject(
    { status: 'succeeded' },
  );
  replica.fail('throws_after');
  const other = { ...input, attemptNo: 2, paymentMethod: 'sim_ok' };
  expect(await start(replica, account, other)).toMatchObject({ status: 'processing', attemptNo: 1 });
  // The release is looked up, and then what it was about.
  replicas.clock.advance(minuteMs);
  await replica.round();
  await replica.round();
  expect(await start(replica, account, other)).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});

test('while it is not known whether a confirmation was given up, no other card is charged', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const input = startInput({ paymentMethod: 'sim_action_ignored' });
  await start(replica, account, input);
  replica.fail('throws_after');
  const next = { ...input, attemptNo: 2, paymentMethod: 'sim_ok' };
  expect(await start(replica, account, next)).toMatchObject({ status: 'processing', attemptNo: 1 });
  expect(await start(replica, account, next)).toMatchObject({ status: 'processing', attemptNo: 1 });
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await start(replica, account, next)).toMatchObject({ status: 'succeeded', attemptNo: 2 });
  expect(await charged(account)).toHaveLength(1);
});

test('a buyer who never comes back from the bank is given up after a day', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const input = startInput({ paymentMethod: 'sim_action_ignored' });
  await start(replica, account, input);
  for (const waitMs of [minuteMs, 5 * minuteMs, hourMs]) {
    replicas.clock.advance(waitMs);
    await replica.round();
  }
  expect(await completed(account)).toEqual([]);
  replicas.clock.advance(dayMs);
  await replica.daily(account);
  expect(await completed(account)).toEqual([[1, 'declined', 'try_again_later']]);
});

test('an order without a payment cannot be continued', async () => {
  const replica = replicas.start();
  const { orderId } = startInput();
  await expect(continuePayment(replica.deps, caller(newAccount()), orderId)).rejects.toMatchObject({
    code: 'invalid_transition',
  });
});

test('the database refuses a second payment on its way, a second success, and more refunds than charges', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const input = startInput();
  const { paymentId } = await start(replica, account, input);
  const copy = (changes: string) =>
    replicas.database.pool.query(
      `insert into payments select (json_populate_record(p, ${changes})).* from payments as p where id = $1`,
      [paymentId],
    );
  await expect(copy(`'{"id": "pmt_x", "attempt_no": 2}'`)).rejects.toMatchObject({
    constraint: 'payments_one_of_step',
  });
  const open = (step: string, about = '') =>
    `'{"id": "pmt_${step}", "step": "${step}", ${about}"status": "unknown", "finished_at": null, "next_check_at": "2026-01-01"}'`;
  await copy(open('upsell'));
  await expect(copy(open('refund', '"charge_id": "pmt_c", '))).rejects.toMatchObject({
    constraint: 'payments_one_open',
  });
  const refund = 'update charges set refunded_cents = amount_cents + 1 where id = $1';
  await expect(replicas.database.pool.query(refund, [paymentId])).rejects.toMatchObject({
    constraint: 'refunded_at_most_what_was_charged',
  });
});
