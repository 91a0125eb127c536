import { newIdSuffix } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { recordFoundRefund } from '../src/reconciliation/unmatched-payments/record-found-refund.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { dayMs, newAccount } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';

openReplicas();

const refundsThere = async (account: string) =>
  (await replicas.books(account)).flatMap(({ kind, status, amountCents }) =>
    kind === 'refund' && status === 'succeeded' ? [amountCents] : [],
  );

/** A refund that the processor gets only after it was given up. */
async function refundGivenUp(amountCents?: number) {
  const [account, replica, input] = [newAccount(), replicas.start(), startInput()];
  const caller = { accountId: account, requestId: 'r' };
  const { paymentId } = await startPayment(replica.deps, caller, input);
  const command = () => ({ ...caller, commandId: newIdSuffix(replicas.clock.nowMs()) });
  const part = (cents: number | undefined = amountCents) =>
    refundPayment(replica.deps, command(), paymentId, cents === undefined ? undefined : { amountCents: cents });
  replica.fail('late');
  expect(await part()).toMatchObject({ status: 'processing' });
  replicas.clock.advance(dayMs);
  await replica.round();
  const refunds = async () =>
    (await replicas.money(account, input.orderId)).payments.filter(({ step }) => step === 'refund');
  expect(await refunds()).toMatchObject([{ status: 'declined', decline_reason: 'not_received' }]);
  const charge = async () => (await replicas.money(account, input.orderId)).charges[0];
  return { account, replica, caller, input, part, refunds, charge };
}

test('an amount whose refund was given up and went through after all is not given back once more', async () => {
  const { account, replica, part, refunds, charge } = await refundGivenUp(1_000);
  await replica.processor.deliverLate();
  await expect(part()).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await refundsThere(account)).toEqual([1_000]);
  expect(await refunds()).toMatchObject([{ status: 'succeeded' }]);
  expect(await charge()).toMatchObject({ refunded_cents: 1_000 });
  expect(await part(500)).toMatchObject({ status: 'refunded', refundedCents: 1_500 });
});

test('while it cannot be known whether it went through, nothing more is given back', async () => {
  const { account, replica, part, refunds } = await refundGivenUp(1_000);
  await replica.processor.deliverLate();
  replica.fail('throws_before');
  await expect(part()).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await refunds()).toMatchObject([{ status: 'unknown' }]);
  await expect(part()).rejects.toMatchObject({ code: 'invalid_transition' });
  replicas.clock.advance(dayMs);
  await replica.daily(account);
  expect(await refunds()).toMatchObject([{ status: 'succeeded' }]);
  expect(await refundsThere(account)).toEqual([1_000]);
});

test('the refund of the order counts one that went through, and gives back the rest', async () => {
  const { account, replica, caller, input, charge } = await refundGivenUp(1_000);
  await replica.processor.deliverLate();
  expect(await refundCharges(replica.deps, caller, input.orderId)).toMatchObject({ status: 'refunded' });
  expect(await refundsThere(account)).toEqual([1_000, 3_900]);
  expect(await charge()).toMatchObject({ refunded_cents: 4_900 });
});

test('one that never arrived is requested again', async () => {
  const { account, part } = await refundGivenUp(1_000);
  expect(await part()).toMatchObject({ status: 'refunded', refundedCents: 1_000 });
  expect(await refundsThere(account)).toEqual([1_000]);
});

test('one that went through beside refunds that leave too little for it does not keep the rest back', async () => {
  const { account, replica, caller, input, refunds, charge } = await refundGivenUp(2_000);
  const made = {
    reference: 're_failing',
    paymentId: null,
    kind: 'refund',
    status: 'succeeded',
    message: null,
  } as const;
  const money = { amountCents: 4_000, currency: 'usd', recordedAt: replicas.clock.now() };
  const about = (await charge())?.reference ?? null;
  const found = { ...made, ...money, orderId: input.orderId, about };
  await recordFoundRefund(replica.deps, { accountId: account, processor: 'simulated' }, found);
  await replica.processor.deliverLate();
  expect(await refundCharges(replica.deps, caller, input.orderId)).toMatchObject({ status: 'refunded' });
  expect(await refundsThere(account)).toEqual([2_000, 900]);
  expect((await refunds()).map(({ status }) => status)).toEqual(['declined', 'succeeded', 'succeeded']);
});
