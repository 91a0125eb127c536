import { newId } from '@app/contracts/ids';
import { announced } from '@app/testing/points';
import { expect, test } from 'vitest';
import { checkPayment } from '../src/charging/check-payment.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { recordDispute } from '../src/disputes/record-dispute.ts';
import { newestPaymentsRead } from '../src/points/points.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import { untilAborted } from '../src/processors/until-aborted.ts';
import { dayMs, hourMs, newAccount, type Replica, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicasOf, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicasOf('stripe', '2026-02-01T12:00:00.000Z');

/** A buyer whose renewal is due. */
async function dueRenewal(account: string, by: Replica) {
  const orderId = newId('order', replicas.clock.nowMs());
  const input = startInput({ orderId, paymentMethod: replicas.outside.card('sim_ok') });
  await startPayment(by.deps, { accountId: account, requestId: 'r' }, input);
  const { id } = await subscribe(replicas, account, { orderId, paymentMethod: null });
  return { id, orderId };
}

/** One whose renewal never reached Stripe. */
async function lostRenewal(account: string, by: Replica) {
  const { id, orderId } = await dueRenewal(account, by);
  replicas.clock.advance(31 * dayMs);
  return { id, ...(await loseRenewal(account, orderId, by)) };
}

async function loseRenewal(account: string, orderId: string, by: Replica) {
  by.fail('request_lost');
  await by.renew(account);
  const { charges, payments } = await replicas.money(account, orderId);
  const renewal = payments.find(({ step }) => step === 'renewal');
  expect(renewal).toMatchObject({ status: 'unknown' });
  return { orderId, renewal: renewal?.id ?? '', charge: charges[0] as (typeof charges)[0] };
}
type Lost = Awaited<ReturnType<typeof loseRenewal>>;

const chargedOf = async (account: string) =>
  (await replicas.books(account)).filter(({ kind, status }) => kind === 'charge' && status === 'succeeded').length;

test('a renewal that got lost is not sent again once the list that is read before shows a refund of its order', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  const { id, charge } = await lostRenewal(account, replica);
  expect(replicas.outside.refundThere(charge.reference)).toBe(true);
  replicas.clock.advance(hourMs);
  await replicas.start().round();
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'canceled' });
  expect(await chargedOf(account)).toBe(1);
  for (let day = 0; day < 3; day += 1) {
    replicas.clock.advance(dayMs);
    await replicas.start().daily(account);
  }
  expect(await chargedOf(account)).toBe(1);
});

/** A process whose lists wait until something was done. */
const listingAfter = (act: () => Promise<unknown>): Wrap => ({
  processor: (inner): PaymentProcessor => ({
    ...inner,
    async *list(...of) {
      await act();
      yield* inner.list(...of);
    },
  }),
});

test('one of a payment that is disputed while the list is read waits, and one that is too late by then is not sent', async () => {
  const [account, replica] = [newAccount(), replicas.start()];
  const { orderId, charge } = await lostRenewal(account, replica);
  replicas.clock.advance(hourMs);
  const dispute = async () => {
    const about = { paymentId: charge.id, orderId, about: charge.reference, openedAt: replicas.clock.now() };
    const money = { amountCents: 100, currency: charge.currency, takenCents: 0 };
    const shown = { reason: 'fraudulent', status: 'needs_response', refundable: false, evidenceDueBy: null } as const;
    const scope = { accountId: account, processor: charge.processor, test: false };
    await recordDispute(replica.deps, scope, { reference: `du_${charge.id}`, ...about, ...money, ...shown });
  };
  await replicas.start(listingAfter(dispute)).round();
  expect(await chargedOf(account)).toBe(1);

  const other = newAccount();
  await lostRenewal(other, replica);
  replicas.clock.advance(hourMs);
  let slept = false;
  const sleep = async () => {
    if (!slept) replicas.clock.advance(23 * hourMs);
    slept = true;
  };
  await replicas.start(listingAfter(sleep)).round();
  expect(slept).toBe(true);
  expect(await chargedOf(other)).toBe(1);
});

/** A process that waits only a moment for the list of an account, which the processor gives when it is told to. */
function listingSlowly(account: string) {
  const told = Promise.withResolvers<void>();
  const seen = { lists: 0, ended: false };
  const replica = replicas.start({
    listWaitMs: 50,
    processor: (inner): PaymentProcessor => ({
      ...inner,
      async *list(from, to, call) {
        if (call.accountId === account) {
          seen.lists += 1;
          try {
            await untilAborted(call.signal, () => told.promise);
          } finally {
            seen.ended = true;
          }
        }
        yield* inner.list(from, to, call);
      },
    }),
  });
  return { replica, seen, tell: () => told.resolve() };
}

test('a list that takes long keeps nobody waiting: it is read on, and the renewal is sent by a look-up after that', async () => {
  const [slow, other, replica] = [newAccount(), newAccount(), replicas.start()];
  const due = [await dueRenewal(slow, replica), await dueRenewal(other, replica)] as const;
  replicas.clock.advance(31 * dayMs);
  const [ofSlow, ofOther] = [
    await loseRenewal(slow, due[0].orderId, replica),
    await loseRenewal(other, due[1].orderId, replica),
  ];
  replicas.clock.advance(hourMs);
  const { replica: reading, seen, tell } = listingSlowly(slow);
  await reading.round();
  expect(await chargedOf(slow)).toBe(1);
  const isSentAfterTheList = async (account: string, { orderId, renewal }: Lost) => {
    await announced(newestPaymentsRead, ({ accountId }) => accountId === account);
    await checkPayment(reading.deps, account, orderId, renewal);
    expect(await chargedOf(account)).toBe(2);
  };
  await isSentAfterTheList(other, ofOther);
  await checkPayment(reading.deps, slow, ofSlow.orderId, ofSlow.renewal);
  expect([await chargedOf(slow), seen]).toEqual([1, { lists: 1, ended: false }]);
  tell();
  await isSentAfterTheList(slow, ofSlow);
});

test('a list that is read on ends with its process, and nothing is sent', async () => {
  const account = newAccount();
  await lostRenewal(account, replicas.start());
  replicas.clock.advance(hourMs);
  const { replica, seen } = listingSlowly(account);
  await replica.round();
  expect(seen).toEqual({ lists: 1, ended: false });
  await replica.close();
  expect(seen).toEqual({ lists: 1, ended: true });
  expect(await chargedOf(account)).toBe(1);
});
