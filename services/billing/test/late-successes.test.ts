import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { lookUpDeclined } from '../src/charging/given-up-attempts.ts';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { dyingAt } from './dying-process.ts';
import { charged, completed } from './outcomes.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { answeredAt } from './sellers-acts.ts';
import { openReplicas, replicas } from './set-up.ts';

openReplicas();

const start = (replica: Replica, accountId: string, input: StartInput) =>
  startPayment(replica.deps, { accountId, requestId: 'r' }, input);

/** An order whose first attempt the processor gets only after it was given up here. */
async function givenUp(fields: Partial<StartInput> = {}) {
  const [account, replica] = [newAccount(), replicas.start()];
  const input = startInput({ orderId: newId('order', replicas.clock.nowMs()), ...fields });
  replica.fail('late');
  const { paymentId } = await start(replica, account, input);
  replicas.clock.advance(minuteMs);
  await replica.round();
  const [first] = (await replicas.money(account, input.orderId)).payments;
  expect(first).toMatchObject({ id: paymentId, status: 'declined', declineReason: 'not_received' });
  const again = (attemptNo: number) => start(replica, account, { ...input, attemptNo });
  const lookUp = () => lookUpDeclined(replica.deps, { id: paymentId, accountId: account, orderId: input.orderId });
  const money = () => replicas.money(account, input.orderId);
  return { account, replica, input, paymentId, again, lookUp, money };
}

const notices = async (account: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.payment.noticed.v1')
    .map(({ data }) => String(data.summary));

const standing = async (account: string) => {
  const books = await replicas.books(account);
  const refunded = new Set(
    books.filter(({ kind, status }) => kind === 'refund' && status === 'succeeded').map(({ about }) => about),
  );
  return (await charged(account)).filter(({ reference }) => !refunded.has(reference));
};

test('a success that comes after the payment was given up counts: the order follows', async () => {
  const { account, replica, lookUp, money } = await givenUp();
  await replica.processor.deliverLate();
  expect(await lookUp()).toBe('done');
  expect(await money()).toMatchObject({ payments: [{ status: 'succeeded' }], charges: [{ amountCents: 4_900 }] });
  expect(await completed(account)).toEqual([
    [1, 'declined', 'try_again_later'],
    [1, 'succeeded', null],
  ]);
  expect(await lookUp()).toBe('done');
  expect(await completed(account)).toHaveLength(2);
});

test('the next attempt looks up what was given up before it charges: the buyer pays once', async () => {
  const { account, replica, again, paymentId } = await givenUp();
  await replica.processor.deliverLate();
  expect(await again(2)).toMatchObject({ status: 'succeeded', paymentId, attemptNo: 1 });
  expect(await charged(account)).toHaveLength(1);
});

test('while that look-up is not answered nothing else is charged', async () => {
  const { account, replica, again } = await givenUp();
  await replica.processor.deliverLate();
  replica.fail('throws_before');
  expect(await again(2)).toMatchObject({ status: 'processing', attemptNo: 1 });
  expect(await charged(account)).toHaveLength(1);
  replicas.clock.advance(6 * minuteMs);
  await replica.round();
  expect(await again(2)).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  expect(await charged(account)).toHaveLength(1);
});

test('an attempt that cannot be looked up while the next one is charged in another tab does not fail', async () => {
  const { account, input, again } = await givenUp();
  const other = replicas.start();
  const inOtherTab = () => start(other, account, { ...input, attemptNo: 2 });
  const replica = replicas.start(answeredAt('before', inOtherTab));
  replica.fail('throws_before');
  expect(await start(replica, account, { ...input, attemptNo: 3 })).toMatchObject({
    status: 'succeeded',
    attemptNo: 2,
  });
  expect(await again(3)).toMatchObject({ status: 'succeeded', attemptNo: 2 });
  expect(await charged(account)).toHaveLength(1);
});

test('what arrives after the next attempt was charged goes back by itself, and the seller reads it', async () => {
  const { account, replica, again, lookUp, money } = await givenUp();
  expect(await again(2)).toMatchObject({ status: 'succeeded', attemptNo: 2 });
  await replica.processor.deliverLate();
  expect(await standing(account)).toHaveLength(2);
  expect(await lookUp()).toBe('done');
  await replica.round();
  expect(await standing(account)).toHaveLength(1);
  const { payments, charges } = await money();
  const of = (step: string) => payments.filter((payment) => payment.step === step);
  expect(of('main')).toMatchObject([{ status: 'declined', declineReason: 'reversed' }, { status: 'succeeded' }]);
  expect(of('reversal')).toMatchObject([{ call: 'refund', status: 'succeeded', amountCents: 4_900 }]);
  expect(charges).toMatchObject([{ amountCents: 4_900, refundedCents: 0 }]);
  expect(await notices(account)).toEqual([expect.stringContaining('The buyer gets it back now')]);
  await replica.daily(account);
  expect(await lookUp()).toBe('done');
  expect(await notices(account)).toHaveLength(1);
});

test('a hold that arrives beside a charged order is released', async () => {
  const hold = { upsell, decisionMinutes: 60 };
  const { account, replica, input, again, lookUp, money } = await givenUp({ hold });
  expect(await again(2)).toMatchObject({ status: 'held', attemptNo: 2 });
  await replica.processor.deliverLate();
  expect(await lookUp()).toBe('done');
  await replica.round();
  const caller = { accountId: account, requestId: 'r' };
  expect(await settleHold(replica.deps, caller, input.orderId, 'declined')).toMatchObject({ status: 'settled' });
  expect((await money()).payments.find(({ step }) => step === 'reversal')).toMatchObject({
    call: 'release',
    status: 'succeeded',
  });
  const books = await replicas.books(account);
  expect(books.filter(({ kind, status }) => kind === 'capture' && status === 'succeeded')).toHaveLength(1);
});

test('while the next attempt is open what arrives waits for its end', async () => {
  const { account, replica, again, lookUp, money } = await givenUp();
  replica.fail('answered', 'answer_lost');
  expect(await again(2)).toMatchObject({ status: 'processing', attemptNo: 2 });
  await replica.processor.deliverLate();
  expect(await lookUp()).toBe('later');
  replicas.clock.advance(2 * minuteMs);
  await replica.round();
  expect(await lookUp()).toBe('done');
  await replica.round();
  expect(await standing(account)).toHaveLength(1);
  const succeeded = (await money()).payments.filter(({ status }) => status === 'succeeded');
  expect(succeeded.map(({ step }) => step).toSorted()).toEqual(['main', 'reversal']);
});

test('the comparison with the processor’s list finds it as well', async () => {
  const { account, replica, again, money } = await givenUp();
  await again(2);
  await replica.processor.deliverLate();
  replicas.clock.advance(hourMs);
  await replica.daily(account);
  await replica.round();
  expect(await standing(account)).toHaveLength(1);
  const reversals = (await money()).payments.filter(({ step }) => step === 'reversal');
  expect(reversals).toMatchObject([{ status: 'succeeded' }]);
  replicas.clock.advance(dayMs);
  await replica.daily(account);
  const noticed = (await replicas.events(account)).filter(({ subject }) => subject.includes('daily-run.noticed'));
  expect(noticed).toEqual([]);
});

test('two processes that find it at once, give it back once', async () => {
  const { account, again, paymentId, input, replica } = await givenUp();
  await again(2);
  await replica.processor.deliverLate();
  const of = { id: paymentId, accountId: account, orderId: input.orderId };
  await Promise.all([lookUpDeclined(replica.deps, of), lookUpDeclined(replicas.start().deps, of)]);
  await replica.round();
  const books = await replicas.books(account);
  expect(books.filter(({ kind }) => kind === 'refund')).toHaveLength(1);
});

test('a process that dies before or after any statement or call leaves neither two payments nor one given back twice', async () => {
  for (let seam = 1; ; seam += 1) {
    const { account, again, paymentId, input, replica } = await givenUp();
    await again(2);
    await replica.processor.deliverLate();
    const dying = dyingAt(seam);
    const of = { id: paymentId, accountId: account, orderId: input.orderId };
    const dead = replicas.start(dying);
    await lookUpDeclined(dead.deps, of)
      .then(() => dead.round())
      .catch(() => undefined);
    replicas.clock.advance(hourMs);
    await replica.round();
    await replica.daily(account);
    await replica.round();
    expect([seam, (await standing(account)).length]).toEqual([seam, 1]);
    const refunds = (await replicas.books(account)).filter(({ kind }) => kind === 'refund');
    expect([seam, refunds.length]).toEqual([seam, 1]);
    if (!dying.dead) break;
  }
});

test('two tabs that pay again while what was given up cannot be looked up charge nothing beside it', async () => {
  const { account, replica, input, money } = await givenUp();
  await replica.processor.deliverLate();
  const other = replicas.start();
  for (const each of [replica, other]) each.fail('throws_before');
  const tab = (by: Replica, attemptNo: number) => start(by, account, { ...input, attemptNo });
  const said = await Promise.all([tab(replica, 2), tab(other, 3)]);
  expect(said.map(({ status }) => status)).toEqual(['processing', 'processing']);
  expect(await charged(account)).toHaveLength(1);
  replicas.clock.advance(6 * minuteMs);
  await replica.round();
  expect((await money()).payments.filter(({ status }) => status === 'succeeded')).toHaveLength(1);
});
