import { newId, newIdSuffix } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { volume } from '@app/testing/long';
import { beforeEach, expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { continuePayment } from '../src/charging/continue-payment.ts';
import { buyersPaymentKey } from '../src/charging/payment-key.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { previewDailyRun } from '../src/daily-run/preview-daily-run.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import { UnreadableKeyError } from '../src/processors/processor-registry.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { type DailyCounts, noCounts } from '../src/runs/daily-counts.rules.ts';
import { cancelSubscription, pauseSubscription, resumeSubscription } from '../src/subscriptions/subscriptions.ts';
import { copyDatabase } from './database-copy.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, newAccount, type Replica, runOf } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { actedAt } from './sellers-acts.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas('2026-01-31T12:00:00.000Z');

let account: string;
beforeEach(() => {
  account = newAccount();
});

/** A daily run of the account: its problems. */
async function daily(by: Replica, fields: Partial<ReturnType<typeof runOf>> = {}): Promise<DailyCounts['problems']> {
  const counts = noCounts();
  const run = { ...runOf(account, by.deps), ...fields };
  for (const step of dailySteps(by.deps)) await step(by.deps, run, counts);
  return counts.problems;
}

/** What buyers paid at the processor: their orders, and how often. */
async function chargedThere(): Promise<Record<string, number>> {
  const charged: Record<string, number> = {};
  for (const { orderId, kind, status } of await replicas.books(account)) {
    if (kind === 'charge' && status === 'succeeded') charged[orderId] = (charged[orderId] ?? 0) + 1;
  }
  return charged;
}

const renewed = async (id: string) => {
  const { period, status, failed_tries } = await readSubscription(replicas, id);
  return { period, status, failed_tries };
};

/** A processor whose list is empty. */
const unlisted = (inner: PaymentProcessor): PaymentProcessor => ({ ...inner, list: async function* () {} });

test.each([
  ['shows them', undefined],
  ['does not list them', unlisted],
])('a restored database charges no renewal again that the processor %s, that day or the next', async (_, processor) => {
  const wrap = processor === undefined ? {} : { processor };
  const replica = replicas.start(wrap);
  const [paid, declined] = [
    await subscribe(replicas, account),
    await subscribe(replicas, account, { paymentMethod: 'sim_lost_card' }),
  ];
  replicas.clock.advance(29 * dayMs);
  const copy = await copyDatabase(replicas.database);
  await daily(replica);
  const after = [await renewed(paid.id), await renewed(declined.id)];
  await copy.restore();
  // What the database lacked was charged after the backup, as whatever else happened since: the seller confirms it first.
  const stops = processor === undefined ? [{ code: 'charging_stopped' }] : [];
  replicas.clock.advance(hourMs);
  expect(await daily(replicas.start(wrap))).toMatchObject(stops);
  expect(await chargedThere()).toEqual({ [paid.orderId]: 1 });
  expect(await daily(replicas.start(wrap), { confirmsUnmatched: true })).toEqual([]);
  for (const passMs of [0, dayMs]) {
    replicas.clock.advance(passMs);
    expect(await daily(replicas.start(wrap))).toEqual([]);
    expect(await chargedThere()).toEqual({ [paid.orderId]: 1 });
    expect([await renewed(paid.id), await renewed(declined.id)]).toEqual(after);
  }
});

test.each(['canceled', 'paused'] as const)(
  'a restored backup charges nobody who was %s since, until the seller confirms',
  async (since) => {
    const replica = replicas.start();
    const [ended, other] = [await subscribe(replicas, account), await subscribe(replicas, account)];
    replicas.clock.advance(29 * dayMs);
    const copy = await copyDatabase(replicas.database);
    await daily(replica);
    const change = since === 'canceled' ? cancelSubscription : pauseSubscription;
    await change(replica.deps, { ...commandOf(account) }, ended.id);
    await copy.restore();
    // Their next periods are due.
    for (let run = 0; run < 3; run += 1) {
      replicas.clock.advance(31 * dayMs);
      expect(await daily(replicas.start())).toMatchObject([{ code: 'charging_stopped' }]);
      expect(await chargedThere()).toEqual({ [ended.orderId]: 1, [other.orderId]: 1 });
    }
    await change(replica.deps, { ...commandOf(account) }, ended.id);
    expect(await daily(replicas.start(), { confirmsUnmatched: true })).toEqual([]);
    expect(await chargedThere()).toEqual({ [ended.orderId]: 1, [other.orderId]: 2 });
  },
);

test('a refund of ours that a restored database lacks is recorded, ends its subscription, and stops the charges until the seller confirms', async () => {
  const replica = replicas.start();
  const input = startInput();
  const caller = { accountId: account, requestId: 'r' };
  await startPayment(replica.deps, caller, input);
  const refunded = await subscribe(replicas, account, { orderId: input.orderId, paymentMethod: null });
  const other = await subscribe(replicas, account);
  replicas.clock.advance(dayMs);
  const copy = await copyDatabase(replicas.database);
  await refundCharges(replica.deps, caller, input.orderId);
  await copy.restore();
  replicas.clock.advance(31 * dayMs);
  expect(await daily(replicas.start())).toMatchObject([{ code: 'charging_stopped' }]);
  expect(await renewed(refunded.id)).toMatchObject({ status: 'canceled' });
  const { charges, payments } = await replicas.money(account, input.orderId);
  expect(charges).toMatchObject([{ amountCents: 4_900, refundedCents: 4_900 }]);
  expect(payments.filter(({ step }) => step === 'refund')).toHaveLength(1);
  expect(await chargedThere()).toEqual({ [input.orderId]: 1 });
  expect(await daily(replicas.start(), { confirmsUnmatched: true })).toEqual([]);
  expect(await chargedThere()).toEqual({ [input.orderId]: 1, [other.orderId]: 1 });
});

test('a restored database charges no upsell again that was charged after the backup', async () => {
  const replica = replicas.start();
  const input = startInput({ hold: { upsell, decisionMinutes: 60 } });
  const { orderId } = input;
  const caller = { accountId: account, requestId: 'r' };
  await startPayment(replica.deps, caller, input);
  // Killed once the capture is recorded, before the upsell is begun.
  const dying = replicas.start(dyingAt(20));
  await expect(settleHold(dying.deps, caller, orderId, 'accepted')).rejects.toSatisfy(isDeath);
  const copy = await copyDatabase(replicas.database);
  for (const by of [replica, replicas.start()]) {
    replicas.clock.advance(hourMs);
    expect(await settleHold(by.deps, caller, orderId, 'accepted')).toMatchObject({ status: 'settled', upsell });
    expect(await chargedThere()).toEqual({ [orderId]: 1 });
    if (by === replica) await copy.restore();
  }
});

test('what was charged since the backup is recorded with its own time, without a request anew, and its events are the same', async () => {
  const replica = replicas.start();
  const { id, orderId } = await subscribe(replicas, account);
  replicas.clock.advance(29 * dayMs);
  const copy = await copyDatabase(replicas.database);
  const charged = async () =>
    (
      await replicas.database.pool.query<{ id: string; charged_at: Date }>(
        'select id, charged_at from charges where account_id = $1 order by id',
        [account],
      )
    ).rows;
  const rebilled = async () =>
    (
      await replicas.database.pool.query<{ event_id: string }>(
        `select event_id from outbox where subject like '%rebilled%' and payload::json ->> 'accountId' = $1 order by id`,
        [account],
      )
    ).rows;
  for (let period = 2; period <= 3; period += 1) {
    await daily(replica);
    replicas.clock.advance(31 * dayMs);
  }
  const [charges, events] = [await charged(), await rebilled()];
  expect([charges.length, events.length]).toEqual([2, 2]);
  await copy.restore();
  // The processor has forgotten the keys by now: it would charge anew for them.
  const later = replicas.start();
  await daily(later);
  expect(await charged()).toEqual(expect.arrayContaining(charges));
  expect((await rebilled()).slice(0, 2)).toEqual(events);
  const resent = later.processor.calls
    .filter(({ method }) => method === 'chargeSaved')
    .map(({ paymentId }) => paymentId);
  for (const before of charges) expect(resent).not.toContain(before.id);
  expect((await chargedThere())[orderId]).toBe((await renewed(id)).period - 1);
});

test('a payment that the restored database cannot explain stops the charging of its account until the seller confirms', async () => {
  const replica = replicas.start();
  const { id, orderId } = await subscribe(replicas, account);
  expect(await daily(replica)).toEqual([]);
  const copy = await copyDatabase(replicas.database);
  const bought = startInput();
  await startPayment(replica.deps, { accountId: account, requestId: 'r' }, bought);
  await copy.restore();
  replicas.clock.advance(29 * dayMs);
  for (let run = 0; run < 2; run += 1) {
    const [stopped] = await daily(replica);
    expect(stopped).toMatchObject({ code: 'charging_stopped', detail: expect.stringContaining('a charge of $49.00') });
    expect(await renewed(id)).toMatchObject({ period: 1 });
  }
  const preview = await previewDailyRun(replica.deps, account, {});
  expect(preview).toMatchObject({ unmatched_payments: 1, totals: { renewals: { count: 0 } }, data: [] });
  const notices = (await replicas.events(account)).filter(({ data }) => data.code === 'charging_stopped');
  expect(notices).toHaveLength(1);
  expect(await daily(replica, { confirmsUnmatched: true })).toEqual([]);
  expect(await chargedThere()).toEqual({ [bought.orderId]: 1, [orderId]: 1 });
  replicas.clock.advance(31 * dayMs);
  expect(await daily(replica)).toEqual([]);
  expect(await chargedThere()).toMatchObject({ [orderId]: 2 });
});

/** A payment that is made between a backup and its restoration. */
async function payBeforeRestore(): Promise<void> {
  const copy = await copyDatabase(replicas.database);
  await startPayment(replicas.start().deps, { accountId: account, requestId: 'r' }, startInput());
  await copy.restore();
}

test('an unexplained payment that runs with nothing due have compared stops what falls due later', async () => {
  const { id } = await subscribe(replicas, account);
  await daily(replicas.start());
  await payBeforeRestore();
  for (let run = 0; run < 2; run += 1) {
    replicas.clock.advance(dayMs);
    expect(await daily(replicas.start())).toMatchObject([{ code: 'orphans_found' }]);
  }
  replicas.clock.advance(27 * dayMs);
  expect(await daily(replicas.start())).toMatchObject([{ code: 'charging_stopped' }, { code: 'orphans_found' }]);
  expect(await renewed(id)).toMatchObject({ period: 1 });
  await daily(replicas.start(), { confirmsUnmatched: true });
  expect(await renewed(id)).toMatchObject({ period: 2 });
});

test('after an unexplained payment the next one stops charges, however long before them it was made', async () => {
  const { id } = await subscribe(replicas, account);
  await daily(replicas.start());
  await payBeforeRestore();
  replicas.clock.advance(dayMs);
  expect(await daily(replicas.start())).toMatchObject([{ code: 'orphans_found' }]);
  await daily(replicas.start(), { confirmsUnmatched: true });
  replicas.clock.advance(10 * dayMs);
  await payBeforeRestore();
  replicas.clock.advance(18 * dayMs);
  expect(await daily(replicas.start())).toMatchObject([{ code: 'charging_stopped' }, { code: 'orphans_found' }]);
  expect(await renewed(id)).toMatchObject({ period: 1 });
});

test('before the first charge of an account all that its processor lists since its first sale is compared', async () => {
  const { deps } = replicas.start();
  const input = startInput({ orderId: newId('order', replicas.clock.nowMs()) });
  await startPayment(deps, { accountId: account, requestId: 'r' }, input);
  const { id } = await subscribe(replicas, account, { orderId: input.orderId });
  replicas.clock.advance(dayMs);
  await payBeforeRestore();
  replicas.clock.advance(28 * dayMs);
  expect(await daily(replicas.start())).toMatchObject([{ code: 'charging_stopped' }, { code: 'orphans_found' }]);
  expect(await renewed(id)).toMatchObject({ period: 1 });
});

test('what falls due while a run finds nothing due is charged by the next run, which compares the newest payments first', async () => {
  const { id } = await subscribe(replicas, account);
  const context = () => ({ accountId: account, requestId: 'r', commandId: newIdSuffix(replicas.clock.nowMs()) });
  const { deps } = replicas.start();
  await pauseSubscription(deps, context(), id);
  await daily(replicas.start());
  replicas.clock.advance(29 * dayMs);
  const copy = await copyDatabase(replicas.database);
  await startPayment(deps, { accountId: account, requestId: 'r' }, startInput());
  await copy.restore();
  const resume = () => resumeSubscription(deps, context(), id);
  await daily(replicas.start(actedAt('subscriptions-due', 'after', resume)));
  expect(await renewed(id)).toMatchObject({ status: 'active', period: 1 });
  expect(await daily(replicas.start())).toMatchObject([{ code: 'charging_stopped' }, { code: 'orphans_found' }]);
  expect(await renewed(id)).toMatchObject({ period: 1 });
});

test('while the newest payments cannot be read nothing is charged', async () => {
  const { id } = await subscribe(replicas, account);
  replicas.clock.advance(29 * dayMs);
  const unreadable = (inner: PaymentProcessor): PaymentProcessor => ({
    ...inner,
    list: () => {
      throw new Error('the list cannot be read');
    },
  });
  const problems = await daily(replicas.start({ processor: unreadable }));
  expect(problems.map(({ code }) => code)).toEqual(['books_not_compared', 'books_not_compared']);
  expect(await renewed(id)).toMatchObject({ period: 1 });
  expect(await daily(replicas.start())).toEqual([]);
  expect(await renewed(id)).toMatchObject({ period: 2 });
});

test.each([
  ['within the day with the same card, under the same key', 'sim_ok', hourMs, ['charge'], 'succeeded'],
  ['within the day with another card, after a look-up', 'sim_slow', hourMs, ['charge', 'lookUp'], 'processing'],
  ['later, when it is looked up first', 'sim_slow', 2 * dayMs, ['lookUp'], 'succeeded'],
] as const)(
  'a restored database charges no buyer again whose checkout never got the answer: %s',
  async (_, paymentMethod, passMs, calls, status) => {
    const replica = replicas.start();
    const caller = { accountId: account, requestId: 'r' };
    const input = startInput({ orderId: newId('order', replicas.clock.nowMs()) });
    const copy = await copyDatabase(replicas.database);
    const before = await startPayment(replica.deps, caller, input);
    await copy.restore();
    replicas.clock.advance(passMs);
    const made = replica.processor.calls.length;
    expect(await startPayment(replica.deps, caller, { ...input, paymentMethod })).toMatchObject({ status });
    replicas.clock.advance(hourMs);
    expect(await continuePayment(replica.deps, caller, input.orderId)).toEqual(before);
    expect(replica.processor.calls.slice(made).map(({ method }) => method)).toEqual(calls);
    expect(await chargedThere()).toEqual({ [input.orderId]: 1 });
    const { charges } = await replicas.money(account, input.orderId);
    expect(charges.map(({ reference }) => reference)).toEqual((await replicas.books(account)).map((e) => e.reference));
  },
);

test('an order’s attempts, and those of two accounts with one order id, have keys of their own', () => {
  const orderId = newId('order', replicas.clock.nowMs());
  const keys = [account, newAccount()].flatMap((each) =>
    [1, 2].map((attemptNo) => buyersPaymentKey(each, orderId, attemptNo)),
  );
  expect(new Set(keys).size).toBe(4);
});

/** What captured the hold is no payment of this database: one of an earlier version, or the seller at the processor. */
const captureElsewhere = async () => {
  const [hold] = await replicas.books(account);
  if (hold === undefined) throw new Error('nothing is held');
  const { amountCents, currency, reference } = hold;
  const request = { paymentId: newId('payment', replicas.clock.nowMs()), amountCents, currency, reference };
  const signal = new AbortController().signal;
  await replicas.simulated.capture(request, { accountId: account, secretKey: undefined, test: false, signal });
};

test('an attempt that was sent before a restore is not declined because the restored secrets do not open the API key', async () => {
  const replica = replicas.start();
  const begunAt = replicas.clock.now().toISOString();
  const input = startInput({ orderId: newId('order', replicas.clock.nowMs()), begunAt });
  const caller = { accountId: account, requestId: 'r' };
  const copy = await copyDatabase(replicas.database);
  const paid = await startPayment(replica.deps, caller, input);
  await copy.restore();
  replicas.clock.advance(60_000);
  const { deps } = replicas.start();
  const named = () => Promise.reject(new UnreadableKeyError('simulated', undefined));
  const unreadable = { ...deps, processors: { ...deps.processors, named } };
  expect(await startPayment(unreadable, caller, input)).toMatchObject({ status: 'processing' });
  replicas.clock.advance(60_000);
  await replica.round();
  expect(await startPayment(deps, caller, { ...input, attemptNo: 2 })).toEqual(paid);
  expect(await chargedThere()).toEqual({ [input.orderId]: 1 });
});

test('a hold that a payment unknown here captured ends as settled, with a charge that can be given back', async () => {
  const replica = replicas.start();
  const settle = await heldOrder(replica, 'sim_ok');
  await captureElsewhere();
  expect(await settle()).toMatchObject({ status: 'settled', upsell, capturedCents: 4900 });
  expect(await takenThere()).toEqual([
    ['capture', 4900],
    ['charge', 1500],
  ]);
  const { orderId } = (await replicas.books(account))[0] as { orderId: string };
  const refunded = await refundCharges(replica.deps, { accountId: account, requestId: 'r' }, orderId);
  expect(refunded).toMatchObject({ status: 'refunded', refundedCents: 6400 });
  expect(await daily(replica)).toEqual([]);
});

test('a capture that arrived after it was given up as never received is found, and its hold ends', async () => {
  let isAway = true;
  const away = (inner: PaymentProcessor): PaymentProcessor => ({
    ...inner,
    capture: async (request, call) => {
      if (isAway) throw new Error('the connection to the processor failed');
      return await inner.capture(request, call);
    },
  });
  const replica = replicas.start({ processor: away });
  const settle = await heldOrder(replica, 'sim_ok');
  expect(await settle()).toMatchObject({ status: 'settling' });
  replicas.clock.advance(dayMs);
  await replica.round();
  const { orderId } = (await replicas.books(account))[0] as { orderId: string };
  const [, first] = (await replicas.money(account, orderId)).payments;
  if (first?.call !== 'capture') throw new Error('the capture is missing');
  expect(first).toMatchObject({ status: 'declined', declineReason: 'not_received' });
  const signal = new AbortController().signal;
  await replicas.simulated.capture(first.request, { accountId: account, secretKey: undefined, test: false, signal });
  isAway = false;
  await daily(replica);
  expect(await settle()).toMatchObject({ status: 'settled', upsell, capturedCents: 4900 });
  expect(await takenThere()).toEqual([
    ['capture', 4900],
    ['charge', 1500],
  ]);
});

test('a hold whose capture the processor does not list ends within an hour, and the seller is notified', async () => {
  const replica = replicas.start({ processor: unlisted });
  const settle = await heldOrder(replica, 'sim_ok');
  await captureElsewhere();
  expect(await settle()).toMatchObject({ status: 'settling' });
  replica.failList();
  for (let pass = 0; pass < 7; pass += 1) {
    replicas.clock.advance(10 * 60_000);
    await replica.round();
  }
  expect(await settle()).toMatchObject({ status: 'settled', upsell, capturedCents: 0 });
  const reported = (await replicas.events(account)).filter(({ data }) =>
    String(data.summary).includes('does not show'),
  );
  expect(reported).toHaveLength(1);
});

async function heldOrder(by: Replica, paymentMethod: string): Promise<() => ReturnType<typeof settleHold>> {
  const caller = { accountId: account, requestId: 'r' };
  const input = startInput({ hold: { upsell, decisionMinutes: 60 }, paymentMethod });
  expect(await startPayment(by.deps, caller, input)).toMatchObject({ status: 'held' });
  return () => settleHold(by.deps, caller, input.orderId, 'accepted');
}

const takenThere = async () =>
  (await replicas.books(account)).flatMap(({ kind, status, amountCents }) =>
    status === 'succeeded' && kind !== 'hold' ? [[kind, amountCents]] : [],
  );

test.each([
  ['within the day, under the same key', hourMs, ['capture', 'chargeSaved', 'chargeSaved']],
  ['later, when it is looked up first', 2 * dayMs, ['lookUp', 'lookUp', 'lookUp']],
] as const)(
  'a restored database charges a card in place of its hold, and for the upsell, once: %s',
  async (_, passMs, calls) => {
    const replica = replicas.start();
    const settle = await heldOrder(replica, 'sim_hold_expires');
    const copy = await copyDatabase(replicas.database);
    const before = await settle();
    const taken = await takenThere();
    expect(taken).toEqual([
      ['charge', 4900],
      ['charge', 1500],
    ]);
    await copy.restore();
    replicas.clock.advance(passMs);
    const made = replica.processor.calls.length;
    expect(await settle()).toEqual(before);
    expect(await takenThere()).toEqual(taken);
    expect(replica.processor.calls.slice(made).map(({ method }) => method)).toEqual(calls);
  },
);

test('a hold that was captured since the backup is charged nothing instead, also after its end', async () => {
  let refused = false;
  const refusing = (inner: PaymentProcessor): PaymentProcessor => ({
    ...inner,
    capture: async (request, call) => {
      if (refused) return await inner.capture(request, call);
      refused = true;
      return { status: 'declined', kind: 'soft', reason: 'processing_error', message: 'Try again later.' };
    },
  });
  const replica = replicas.start({ processor: refusing });
  expect(await (await heldOrder(replica, 'sim_ok'))()).toMatchObject({ status: 'settling' });
  const copy = await copyDatabase(replicas.database);
  replicas.clock.advance(dayMs);
  await daily(replica);
  const taken = await takenThere();
  expect(taken).toEqual([
    ['capture', 4900],
    ['charge', 1500],
  ]);
  await copy.restore();
  replicas.clock.advance(7 * dayMs);
  await daily(replica);
  expect(await takenThere()).toEqual(taken);
});

/** An odd step kills before statements and after them. */
const seamStep = volume(13, 1);

test('a process that is killed at any point after a restore leaves each period charged once', async () => {
  for (let seam = 1; seam <= 80; seam += seamStep) {
    await replicas.clear();
    replicas.clock.set('2026-01-31T12:00:00.000Z');
    account = newAccount();
    const { id, orderId } = await subscribe(replicas, account);
    replicas.clock.advance(29 * dayMs);
    const copy = await copyDatabase(replicas.database);
    await daily(replicas.start());
    await copy.restore();
    const process = dyingAt(seam);
    await daily(replicas.start(process)).catch((err) => expect(isDeath(err)).toBe(true));
    replicas.clock.advance(dayMs);
    await daily(replicas.start());
    expect(await chargedThere()).toEqual({ [orderId]: 1 });
    expect(await renewed(id)).toMatchObject({ period: 2 });
    if (!process.dead) return;
  }
  throw new Error('the run has more seams than were tried');
});
