import { beforeEach, expect, test } from 'vitest';
import { lookUpDeclined } from '../src/charging/given-up-attempts.ts';
import type { Payment } from '../src/charging/payment.types.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { cancelSubscription, pauseSubscription } from '../src/subscriptions/subscriptions.ts';
import { dayMs, hourMs } from './payment-replicas.ts';
import { actedAt } from './sellers-acts.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';
import { beginPaidLife, readStory, readSubscription } from './subscriptions-of-tests.ts';

openReplicas();

type Life = Awaited<ReturnType<typeof beginPaidLife>>;
let life: Life;
let late: Payment;

/** A subscription whose renewal the processor gets only after it was given up here. */
beforeEach(async () => {
  life = await beginPaidLife(replicas);
  replicas.clock.advance(31 * dayMs);
  life.replica.fail('late');
  await life.replica.renew(life.account);
  replicas.clock.advance(dayMs);
  await life.replica.round();
  late = (await renewals())[0] as Payment;
  expect(late).toMatchObject({ status: 'declined', declineReason: 'not_received', period: 2 });
});

const renewals = async () =>
  (await replicas.money(life.account, life.orderId)).payments.filter(({ step }) => step === 'renewal');

async function arrive(deps = life.replica.deps) {
  await life.replica.processor.deliverLate();
  const found = await lookUpDeclined(deps, late);
  await life.replica.round();
  return found;
}

/** What the buyer has paid for renewals at the processor, and what of it went back. */
async function takenThere() {
  const books = await replicas.books(life.account);
  const own = new Set((await renewals()).map(({ id }) => id));
  const taken = books.filter(({ paymentId, status }) => own.has(paymentId) && status === 'succeeded');
  const references = new Set(taken.map(({ reference }) => reference));
  const back = books.filter(
    ({ kind, status, about }) => kind === 'refund' && status === 'succeeded' && references.has(about ?? ''),
  );
  return { taken: taken.length, back: back.length };
}

const rebilled = async () =>
  (await readStory(replicas, life.account, life.id)).filter(({ event }) => event === 'rebilled').length;

test('a renewal that arrives after it was given up renews', async () => {
  expect(await arrive()).toBe('done');
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'active', period: 2 });
  expect(await takenThere()).toEqual({ taken: 1, back: 0 });
  expect(await rebilled()).toBe(1);
});

test.each([
  ['canceled', () => cancelSubscription(life.replica.deps, commandOf(life.account), life.id)],
  [
    'canceled for the end of its period',
    () => cancelSubscription(life.replica.deps, commandOf(life.account), life.id, { at: 'period_end', by: 'buyer' }),
  ],
  ['ended by the refund of its order', () => refundCharges(life.replica.deps, life.caller, life.orderId)],
] as const)('one whose subscription was %s meanwhile goes back: nobody pays for what has ended', async (_, end) => {
  await end();
  const before = await readSubscription(replicas, life.id);
  expect(await arrive()).toBe('done');
  expect(await readSubscription(replicas, life.id)).toEqual(before);
  expect(await takenThere()).toEqual({ taken: 1, back: 1 });
  expect(await rebilled()).toBe(0);
});

test('one whose subscription is canceled at the moment at which it is recorded goes back too', async () => {
  const cancel = () => cancelSubscription(life.replica.deps, commandOf(life.account), life.id);
  const acting = replicas.start(actedAt('payments-late-renewed', 'after', cancel));
  expect(await arrive(acting.deps)).toBe('done');
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'canceled', period: 1 });
  expect(await takenThere()).toEqual({ taken: 1, back: 1 });
});

test('one whose subscription is paused renews it, and it stays paused', async () => {
  await pauseSubscription(life.replica.deps, commandOf(life.account), life.id);
  expect(await arrive()).toBe('done');
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'paused', period: 2 });
  expect(await takenThere()).toEqual({ taken: 1, back: 0 });
});

test('beside another attempt that renewed it, it goes back', async () => {
  await life.replica.renew(life.account);
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'active', period: 2 });
  expect(await arrive()).toBe('done');
  expect(await takenThere()).toEqual({ taken: 2, back: 1 });
  expect(await rebilled()).toBe(1);
});

test('one that arrives while the next attempt is claimed is paid once', async () => {
  await life.replica.processor.deliverLate();
  const other = replicas.start();
  await Promise.allSettled([lookUpDeclined(other.deps, late), life.replica.renew(life.account)]);
  replicas.clock.advance(2 * hourMs);
  await life.replica.round();
  await lookUpDeclined(other.deps, late);
  await life.replica.round();
  const { taken, back } = await takenThere();
  expect(taken - back).toBe(1);
  expect(await readSubscription(replicas, life.id)).toMatchObject({ status: 'active', period: 2 });
  expect(replicas.errors).toEqual([]);
});
