import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { recordDispute } from '../src/disputes/record-dispute.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import { dayMs, hourMs, newAccount, type Replica, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicasOf, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicasOf('stripe', '2026-02-01T12:00:00.000Z');

/** A buyer whose renewal never reached Stripe. */
async function lostRenewal(account: string, by: Replica) {
  const orderId = newId('order', replicas.clock.nowMs());
  const input = startInput({ orderId, paymentMethod: replicas.outside.card('sim_ok') });
  await startPayment(by.deps, { accountId: account, requestId: 'r' }, input);
  const { id } = await subscribe(replicas, account, { orderId, paymentMethod: null });
  replicas.clock.advance(31 * dayMs);
  by.fail('request_lost');
  await by.renew(account);
  const { charges, payments } = await replicas.money(account, orderId);
  expect(payments.find(({ step }) => step === 'renewal')).toMatchObject({ status: 'unknown' });
  return { id, orderId, charge: charges[0] as (typeof charges)[0] };
}

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
