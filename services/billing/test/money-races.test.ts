import { newId, newIdSuffix } from '@app/contracts/ids';
import { volume } from '@app/testing/long';
import { beforeAll, expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { cancelSubscription } from '../src/subscriptions/subscriptions.ts';
import { dayMs, hourMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas();

/** Guarantee: two instances of billing on one database move an order's money once, whatever both are requested at once. */
let both: readonly [Replica, Replica];
beforeAll(async () => {
  both = [replicas.start(), replicas.start()];
});

const rounds = volume(50, 1_000);

/** Refusals that a race may end in. */
const refusals = ['invalid_transition', 'validation_failed', 'already_refunded', 'refund_failed'];
async function atOnce<Result>(...calls: Promise<Result>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === 'rejected') expect(refusals, String(outcome.reason)).toContain(outcome.reason.code);
  }
}

/** Each instance goes on with what is open until nothing is. */
async function drain(): Promise<void> {
  for (let check = 0; check < 2; check += 1) {
    replicas.clock.advance(hourMs);
    await Promise.all(both.map((by) => by.round()));
  }
}

/** Each success at the processor is a row here under the same reference with the same amount, and the other way round. */
async function expectEqualByReference(account: string, orderId: string): Promise<void> {
  const [money, books] = [await replicas.money(account, orderId), await replicas.books(account)];
  const charges = [...money.charges, ...money.renewals];
  const refunds = money.payments.filter(({ step, status }) => step === 'refund' && status === 'succeeded');
  const lines = (rows: readonly (readonly [string | null, number])[]) =>
    rows.map(([reference, cents]) => `${reference} ${cents}`).toSorted();
  const there = (...kinds: string[]) =>
    lines(
      books
        .filter(({ kind, status }) => status === 'succeeded' && kinds.includes(kind))
        .map(({ reference, amountCents }) => [reference, amountCents]),
    );
  expect(lines(charges.map(({ reference, amountCents }) => [reference, amountCents]))).toEqual(
    there('charge', 'capture'),
  );
  expect(lines(refunds.map((refund) => [refund.processorReference, refund.amountCents]))).toEqual(there('refund'));
  for (const charge of charges) {
    const back = refunds.filter(({ chargeId }) => chargeId === charge.id);
    expect(back.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(charge.refundedCents);
  }
  expect(money.payments.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
  const periods = money.payments.filter(({ step, status }) => step === 'renewal' && status === 'succeeded');
  expect(new Set(periods.map(({ period }) => period)).size).toBe(periods.length);
}

/** Fifty rounds take some 15 s, and several times that beside other work. */
const withinMs = volume(240_000, 3_600_000);

test('paid, decided on, renewed, canceled and refunded by two instances at once: books are equal by reference', {
  timeout: withinMs,
}, async () => {
  const [a, b] = both;
  let renewed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const account = newAccount();
    const who = { accountId: account, requestId: 'r' };
    const command = () => ({ ...who, commandId: newIdSuffix(replicas.clock.nowMs()) });
    const hold = round % 2 === 0 ? { upsell, decisionMinutes: 60 } : null;
    const input = startInput({ orderId: newId('order', replicas.clock.nowMs()), hold });
    const { orderId } = input;
    const pay = (by: Replica, attemptNo: number) => startPayment(by.deps, who, { ...input, attemptNo });
    await atOnce(pay(a, 1), pay(b, 1), pay(b, 2));
    if (hold !== null)
      await atOnce(settleHold(a.deps, who, orderId, 'accepted'), settleHold(b.deps, who, orderId, 'declined'));
    const { id } = await subscribe(replicas, account, { orderId, paymentMethod: null });
    replicas.clock.advance(31 * dayMs);
    const [main = ''] = (await replicas.money(account, orderId)).charges.map((charge) => charge.id);
    const part = (by: Replica, amountCents?: number) =>
      refundPayment(by.deps, command(), main, amountCents === undefined ? undefined : { amountCents });
    const whole = (by: Replica, renewals: boolean) => refundCharges(by.deps, who, orderId, { renewals });
    const renewing = [a.renew(account), b.renew(account)];
    // In some rounds the renewal certainly comes first.
    if (round % 4 === 3) await atOnce<unknown>(...renewing);
    const money = [
      () => part(a, 900),
      () => whole(b, round % 3 === 0),
      () => part(b),
      () => whole(a, false),
      () => part(a, 100),
    ];
    const cancel = round % 5 === 0 ? [cancelSubscription(b.deps, command(), id)] : [];
    await atOnce<unknown>(...renewing, ...money.slice(round % 4).map((call) => call()), ...cancel);
    await drain();
    await atOnce(whole(a, round % 3 === 0), whole(b, false));
    await drain();
    await expectEqualByReference(account, orderId);
    const { charges, renewals } = await replicas.money(account, orderId);
    expect(charges.map((charge) => charge.amountCents - charge.refundedCents)).toEqual(charges.map(() => 0));
    const events = await replicas.events(account);
    expect(events.filter(({ subject }) => subject === 'evt.billing.charges.refunded.v1')).toHaveLength(1);
    if (cancel.length > 0) expect(await readSubscription(replicas, id)).toMatchObject({ status: 'canceled' });
    renewed += renewals.length;
  }
  expect(renewed).toBeGreaterThanOrEqual(Math.floor(rounds / 4));
  expect(replicas.errors).toEqual([]);
});
