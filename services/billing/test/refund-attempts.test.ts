import { idOfCommand, newIdSuffix } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { recordFoundRefund } from '../src/reconciliation/unmatched-payments/record-found-refund.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { dayMs, newAccount, type Replica } from './payment-replicas.ts';
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
  expect(await refunds()).toMatchObject([{ status: 'declined', declineReason: 'not_received' }]);
  const charge = async () => (await replicas.money(account, input.orderId)).charges[0];
  return { account, replica, caller, input, part, refunds, charge };
}

test('an amount whose refund was given up and went through after all is not given back once more', async () => {
  const { account, replica, part, refunds, charge } = await refundGivenUp(1_000);
  await replica.processor.deliverLate();
  await expect(part()).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await refundsThere(account)).toEqual([1_000]);
  expect(await refunds()).toMatchObject([{ status: 'succeeded' }]);
  expect(await charge()).toMatchObject({ refundedCents: 1_000 });
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
  expect(await charge()).toMatchObject({ refundedCents: 4_900 });
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

test.each([
  [2_000, 2],
  [1_000, 4],
  [4_900, 1],
  [5_000, 0],
])(
  'of twelve refunds of %i at once, without a key and at two processes, %i go back, and each answer is true',
  async (cents, most) => {
    const [account, at, input] = [newAccount(), [replicas.start(), replicas.start()], startInput()];
    const caller = { accountId: account, requestId: 'r' };
    const { paymentId } = await startPayment((at[0] as Replica).deps, caller, input);
    const commands = Array.from({ length: 12 }, () => newIdSuffix(replicas.clock.nowMs()));
    const request = (commandId: string, index: number) =>
      refundPayment((at[index % 2] as Replica).deps, { ...caller, commandId }, paymentId, { amountCents: cents });
    const given = async () =>
      (await replicas.books(account)).flatMap(({ kind, status, ...entry }) =>
        kind === 'refund' && status === 'succeeded' ? [entry] : [],
      );
    const answers = await Promise.allSettled(commands.map(request));
    const refunded = commands.filter((_, index) => answers[index]?.status === 'fulfilled');
    // Two processes keep each other out: what is answered that nothing was refunded may be requested again.
    expect(refunded.length).toBeGreaterThanOrEqual(Math.min(1, most));
    expect(refunded.length).toBeLessThanOrEqual(most);
    expect((await given()).map(({ paymentId: id, amountCents }) => [id, amountCents]).toSorted()).toEqual(
      refunded.map((commandId) => [idOfCommand('payment', commandId), cents]).toSorted(),
    );
    const sums = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(sums.map(({ status, amountCents }) => [status, amountCents])).toEqual(sums.map(() => ['refunded', cents]));
    expect(sums.map(({ refundedCents }) => refundedCents).toSorted((a, b) => a - b)).toEqual(
      sums.map((_, index) => (index + 1) * cents),
    );
    for (const answer of answers) {
      if (answer.status === 'rejected')
        expect(['invalid_transition', 'validation_failed', 'already_refunded']).toContain(answer.reason.code);
    }
    const [charge] = (await replicas.money(account, input.orderId)).charges;
    expect(charge).toMatchObject({ refundedCents: refunded.length * cents });
    // Each that comes again with its command is answered as before; all others one after the other, until nothing is left for them.
    for (const [index, commandId] of commands.entries()) {
      const again = await request(commandId, index + 1).then(
        ({ status }) => status,
        (err: { code: string }) => err.code,
      );
      if (refunded.includes(commandId)) expect(again).toBe('refunded');
    }
    expect(await given()).toHaveLength(most);
  },
);
