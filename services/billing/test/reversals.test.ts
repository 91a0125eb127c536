import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { lookUpDeclined } from '../src/charging/given-up-attempts.ts';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import { dayMs, hourMs, minuteMs, newAccount } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';

openReplicas();

/** An order that was paid by its second attempt, and whose first one arrives only then. */
async function paidTwice(card: string, fields: Partial<StartInput> = {}) {
  const [account, replica] = [newAccount(), replicas.start()];
  const input = startInput({ orderId: newId('order', replicas.clock.nowMs()), paymentMethod: card, ...fields });
  const caller = { accountId: account, requestId: 'r' };
  replica.fail('late');
  const { paymentId } = await startPayment(replica.deps, caller, input);
  replicas.clock.advance(minuteMs);
  await replica.round();
  await startPayment(replica.deps, caller, { ...input, attemptNo: 2, paymentMethod: 'sim_ok' });
  await replica.processor.deliverLate();
  const lookUp = () => lookUpDeclined(replica.deps, { id: paymentId, accountId: account, orderId: input.orderId });
  const reversal = async () =>
    (await replicas.money(account, input.orderId)).payments.find(({ step }) => step === 'reversal');
  return { account, replica, input, caller, lookUp, reversal };
}

const notices = async (account: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.payment.noticed.v1')
    .map(({ data }) => String(data.summary));

const givenBack = expect.stringContaining('The buyer gets it back now');
const notGivenBack = expect.stringContaining('Give them back at the payment processor');

test('of money that goes back, and whose refund fails later, the seller reads that the buyer has paid for nothing', async () => {
  const { account, replica, lookUp, reversal } = await paidTwice('sim_refund_fails');
  await lookUp();
  await replica.round();
  expect(await reversal()).toMatchObject({ status: 'succeeded' });
  for (let day = 0; day < 3; day += 1) {
    replicas.clock.advance(dayMs);
    await replica.daily(account);
  }
  expect(await reversal()).toMatchObject({ status: 'declined', declineReason: 'refund_failed' });
  expect(await notices(account)).toEqual([givenBack, notGivenBack]);
});

test('of money whose refund is refused the seller reads it once', async () => {
  const { account, replica, lookUp, reversal } = await paidTwice('sim_refund_declined');
  await lookUp();
  for (let day = 0; day < 3; day += 1) {
    await replica.round();
    replicas.clock.advance(dayMs);
    await replica.daily(account);
  }
  expect(await reversal()).toMatchObject({ status: 'declined' });
  expect(await notices(account)).toEqual([givenBack, notGivenBack]);
});

test('a hold that expired before it could be released holds nothing: the seller has nothing to do', async () => {
  const hold = { upsell, decisionMinutes: 60 };
  const { account, replica, lookUp, reversal } = await paidTwice('sim_ok', { hold });
  replicas.clock.advance(8 * dayMs);
  await lookUp();
  await replica.round();
  await replica.round();
  expect((await reversal())?.status).not.toBe('sent');
  expect(await notices(account)).not.toContainEqual(notGivenBack);
});

/** A processor whose list is empty. */
const unlisted = (inner: PaymentProcessor): PaymentProcessor => ({ ...inner, list: async function* () {} });

/** A decided hold whose capture the processor gets only after it was given up here. */
async function lateCapture(wrap: Parameters<typeof replicas.start>[0] = {}) {
  const [account, replica] = [newAccount(), replicas.start(wrap)];
  const input = startInput({
    orderId: newId('order', replicas.clock.nowMs()),
    hold: { upsell, decisionMinutes: 60 },
  });
  const caller = { accountId: account, requestId: 'r' };
  await startPayment(replica.deps, caller, input);
  replica.fail('late');
  expect(await settleHold(replica.deps, caller, input.orderId, 'declined')).toMatchObject({ status: 'settling' });
  const money = () => replicas.money(account, input.orderId);
  const [capture] = (await money()).payments.filter(({ step }) => step === 'capture');
  if (capture === undefined) throw new Error('nothing was captured');
  return { account, replica, caller, input, money, capture };
}

const backThere = async (account: string) =>
  (await replicas.books(account)).filter(({ kind, status }) => kind === 'refund' && status === 'succeeded');

test('a capture that was found under another payment, and is found once more under its own, is one: it stays', async () => {
  const { account, replica, caller, input, money, capture } = await lateCapture();
  replicas.clock.advance(dayMs);
  await replica.round();
  expect((await money()).payments.find(({ id }) => id === capture.id)).toMatchObject({
    declineReason: 'not_received',
  });
  // The second capture meets the first one, which has arrived by then.
  await replica.processor.deliverLate();
  await replica.daily(account);
  expect(await settleHold(replica.deps, caller, input.orderId, 'declined')).toMatchObject({ status: 'settled' });
  expect(await lookUpDeclined(replica.deps, capture)).toBe('done');
  await replica.round();
  expect(await backThere(account)).toEqual([]);
  expect((await money()).charges).toMatchObject([{ amountCents: 4_900, refundedCents: 0 }]);
});

test('a capture that is found after its hold counted as captured elsewhere is the order’s money: it stays', async () => {
  const { account, replica, caller, input, money, capture } = await lateCapture({ processor: unlisted });
  replicas.clock.advance(dayMs);
  await replica.round();
  await replica.processor.deliverLate();
  await replica.daily(account);
  replicas.clock.advance(2 * hourMs);
  await replica.round();
  expect(await settleHold(replica.deps, caller, input.orderId, 'declined')).toMatchObject({
    status: 'settled',
    capturedCents: 0,
  });
  expect(await lookUpDeclined(replica.deps, capture)).toBe('done');
  await replica.round();
  expect(await backThere(account)).toEqual([]);
  expect((await money()).charges).toMatchObject([{ amountCents: 4_900, refundedCents: 0 }]);
});
