import { newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import type { SentOutcome } from '../src/processors/port.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { copyDatabase } from './database-copy.ts';
import { putPaymentMethod } from './new-cards.ts';
import { charged, completed } from './outcomes.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas();

const start = (replica: Replica, accountId: string, input: StartInput) =>
  startPayment(replica.deps, { accountId, requestId: 'r' }, input);

test('a payment with which the processor did nothing ends at once: its buyer may try again, and nothing else is blocked', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const input = startInput({ orderId: newId('order', replicas.clock.nowMs()) });
  replica.fail('not_done');
  expect(await start(replica, account, input)).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  expect(await start(replica, account, { ...input, attemptNo: 2 })).toMatchObject({
    status: 'succeeded',
    attemptNo: 2,
  });
  expect(await completed(account)).toEqual([
    [1, 'declined', 'try_again_later'],
    [2, 'succeeded', null],
  ]);
  expect(replica.processor.calls.map(({ method }) => method)).toEqual(['charge', 'charge']);
  expect(await charged(account)).toHaveLength(1);
});

test('an attempt that began before a restore and finds the processor away is looked up before another card is charged', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const orderId = newId('order', replicas.clock.nowMs());
  const input = startInput({ orderId, begunAt: replicas.clock.now().toISOString() });
  const copy = await copyDatabase(replicas.database);
  const paid = await start(replica, account, input);
  await copy.restore();
  replicas.clock.advance(minuteMs);
  replica.fail('not_done');
  expect(await start(replica, account, input)).toMatchObject({ status: 'processing' });
  expect(await start(replica, account, { ...input, attemptNo: 2 })).toMatchObject({
    status: 'processing',
    attemptNo: 1,
  });
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await start(replica, account, { ...input, attemptNo: 2 })).toEqual(paid);
  expect(await charged(account)).toHaveLength(1);
});

test('a capture with which the processor did nothing is sent again under its key, and is no failed capture', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const hold = { upsell: { upsellId: 'ups_1', headline: 'More', amountCents: 1500 }, decisionMinutes: 60 };
  const input = startInput({ hold });
  await start(replica, account, input);
  replica.fail('not_done');
  const caller = { accountId: account, requestId: 'r' };
  expect(await settleHold(replica.deps, caller, input.orderId, 'declined')).toMatchObject({ status: 'settling' });
  replicas.clock.advance(minuteMs);
  await replica.round();
  const { hold: settled, payments } = await replicas.money(account, input.orderId);
  expect(settled).toMatchObject({ status: 'settled', capturedCents: 4900 });
  expect(payments.filter(({ step }) => step === 'capture')).toHaveLength(1);
});

test('a renewal with which the processor did nothing waits for the next run: no attempt is counted, and its order is not blocked', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const { id, orderId } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  for (let run = 1; run <= 3; run += 1) {
    // What was sent before is looked up first: the processor does not have it.
    replica.fail(...(run === 1 ? [] : (['answered'] as const)), 'not_done');
    expect(await replica.renew(account)).toMatchObject({ charged: 0, retried: 0, canceled: 0 });
    expect(await readSubscription(replicas, id)).toMatchObject({ status: 'active', period: 1, failed_tries: 0 });
    const { payments } = await replicas.money(account, orderId);
    expect(payments.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
    replicas.clock.advance(dayMs);
  }
  const reported = (await replicas.events(account)).filter(({ data }) =>
    String(data.summary).includes('three times in a row'),
  );
  expect(reported).toHaveLength(1);
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'active', period: 2, failed_tries: 0 });
  expect(await charged(account)).toHaveLength(1);
  const renewals = (await replicas.money(account, orderId)).payments.filter(({ step }) => step === 'renewal');
  expect(renewals).toMatchObject([{ attemptNo: 1, status: 'succeeded' }]);
});

test('a renewal with which the processor did nothing is sent again on the card that the subscription has by then', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const { id } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  replica.fail('not_done');
  await replica.renew(account);
  await putPaymentMethod(replica.deps, commandOf(account), id, 'sim_renewal_lost_card');
  replicas.clock.advance(dayMs);
  await replica.renew(account);
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'past_due', hard_declined: true });
});

test('a renewal that waits beside an open payment of its order is not sent again until that has an end', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const { id, orderId } = await subscribe(replicas, account);
  const { paymentId } = await start(replica, account, startInput({ orderId }));
  replicas.clock.advance(31 * dayMs);
  replica.fail('not_done');
  await replica.renew(account);
  replica.fail('throws_before');
  await refundPayment(replica.deps, commandOf(account), paymentId, { amountCents: 100 });
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  expect(await readSubscription(replicas, id)).toMatchObject({ period: 2 });
});

test('a renewal that was sent before and is sent again to a processor that is away stays unknown', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const { id, orderId } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  // It is on its way: a look-up does not find it yet, and what is sent again meets no processor.
  replica.fail('late', 'answered', 'not_done');
  await replica.renew(account);
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect((await replicas.money(account, orderId)).payments).toMatchObject([{ status: 'unknown', step: 'renewal' }]);
  await replica.processor.deliverLate();
  replicas.clock.advance(hourMs);
  await replica.round();
  expect(await readSubscription(replicas, id)).toMatchObject({ period: 2 });
  expect(await charged(account)).toHaveLength(1);
});

test('that nothing was done with a sending, answered after its deadline, ends no renewal that was sent again meanwhile', async () => {
  const account = newAccount();
  const { id } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  const first = Promise.withResolvers<SentOutcome>();
  const arrived = Promise.withResolvers<void>();
  let sendings = 0;
  const replica = replicas.start({
    deadlineMs: 300,
    processor: (inner) => ({
      ...inner,
      chargeSaved: async (request, call) => {
        sendings += 1;
        if (sendings === 1) return await first.promise;
        const answer = await inner.chargeSaved(request, call);
        if (sendings > 2) return answer;
        arrived.resolve();
        return await new Promise<never>(() => undefined);
      },
    }),
  });
  await replica.renew(account);
  replicas.clock.advance(minuteMs);
  const round = replica.round();
  await arrived.promise;
  first.resolve({ status: 'not_done', why: 'no_connection', message: 'No connection could be made.' });
  await round;
  replicas.clock.advance(hourMs);
  await replica.round();
  replicas.clock.advance(dayMs);
  await replica.renew(account);
  expect(await readSubscription(replicas, id)).toMatchObject({ period: 2 });
  expect(await charged(account)).toHaveLength(1);
});
