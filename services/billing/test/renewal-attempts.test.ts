import { newAccountSettings } from '@app/contracts/accounts';
import { newIdSuffix } from '@app/contracts/ids';
import type { Database } from '@app/service-kit/database';
import { createArrivals } from '@app/testing/arrivals';
import { announced } from '@app/testing/points';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { previewDailyRun } from '../src/daily-run/preview-daily-run.ts';
import { answersRecorded } from '../src/points/points.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { callsOfAccountMax, unansweredMax } from '../src/subscriptions/renewals/renew-due.ts';
import { cancelSubscription, pauseSubscription, resumeSubscription } from '../src/subscriptions/subscriptions.ts';
import { putPaymentMethod } from './new-cards.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { actedAt } from './sellers-acts.ts';
import { openReplicas, replicas } from './set-up.ts';
import {
  beginPaidLife,
  readRenewals,
  readStory,
  readSubscription,
  subscribe,
  subscribeMany,
} from './subscriptions-of-tests.ts';

openReplicas('2026-01-01T12:00:00.000Z');

/** One subscription of a new account, whose first renewal is due in an hour. */
async function dueSoon(card: string) {
  const account = newAccount();
  const { id, orderId } = await subscribe(replicas, account, { paymentMethod: card });
  replicas.clock.set('2026-02-01T11:00:00.000Z');
  return { account, id, orderId, replica: replicas.start(), context: contextOf(account) };
}
const contextOf = (accountId: string) => () => ({ accountId, requestId: 'r', commandId: newIdSuffix(0) });
const reported = async (account: string, id: string) =>
  (await readStory(replicas, account, id)).map(({ event, attempt, statusAfter }) => [event, attempt, statusAfter]);
const charges = async (account: string) =>
  (await replicas.books(account)).filter(({ kind, status }) => kind === 'charge' && status === 'succeeded').length;
const nextRun = async (replica: Replica, account: string, afterMs: number) => {
  replicas.clock.advance(afterMs);
  return await replica.renew(account);
};

test('a card that was lost is not tried again: its days are counted and reported until a new card comes', async () => {
  const { account, id, replica } = await dueSoon('sim_renewal_lost_card');
  await nextRun(replica, account, hourMs);
  expect(await readSubscription(replicas, id)).toMatchObject({
    status: 'past_due',
    hard_declined: true,
    failed_tries: 1,
  });
  for (const _ of [2, 3]) expect(await nextRun(replica, account, 3 * dayMs)).toMatchObject({ charged: 0, retried: 1 });
  expect(await nextRun(replica, account, 3 * dayMs)).toMatchObject({ retried: 1, canceled: 1 });
  expect(await reported(account, id)).toEqual([
    ...[1, 2, 3].map((attempt) => ['payment-failed', attempt, 'past_due']),
    ['payment-failed', 4, 'canceled'],
    ['canceled', undefined, undefined],
  ]);
  const story = await readStory(replicas, account, id);
  const ofAttempts = story.filter(({ event }) => event === 'payment-failed');
  expect(ofAttempts.map(({ paymentId, reason }) => [paymentId === null, reason])).toEqual([
    [false, 'lost_card'],
    ...[2, 3, 4].map(() => [true, 'lost_card']),
  ]);
  expect((await replicas.books(account)).length).toBe(1);
});

test('a new card has one attempt that does not count, and the attempts of the renewal go on after it', async () => {
  const { account, id, replica, context } = await dueSoon('sim_renewal_lost_card');
  await nextRun(replica, account, hourMs);
  await putPaymentMethod(replica.deps, context(), id, 'sim_renewal_declined');
  expect(await nextRun(replica, account, hourMs)).toMatchObject({ charged: 0, retried: 1 });
  expect(await readSubscription(replicas, id)).toMatchObject({
    failed_tries: 1,
    free_attempt: false,
    hard_declined: false,
  });
  await nextRun(replica, account, 3 * dayMs);
  await putPaymentMethod(replica.deps, context(), id, 'sim_ok');
  expect(await nextRun(replica, account, 0)).toMatchObject({ charged: 1, retried: 1 });
  expect(await reported(account, id)).toEqual([
    ['payment-failed', 1, 'past_due'],
    ['payment-failed', 1, 'past_due'],
    ['payment-failed', 2, 'past_due'],
    ['rebilled', 2, 'active'],
  ]);
  expect(await readSubscription(replicas, id)).toMatchObject({
    ...{ status: 'active', failed_tries: 0, period: 2, last_four: '4242' },
    next_charge_at: new Date('2026-03-01T12:00:00.000Z'),
  });
});

test('webhooks of a subscription that ended unpaid are sent if the account wants it', async () => {
  const { account, id, replica } = await dueSoon('sim_renewal_declined');
  const settings = { ...newAccountSettings, handle: 'shop', businessName: 'Shop', supportEmail: 'a@example.com' };
  await replicas.database.pool.query(
    'insert into account_settings (account_id, revision, settings) values ($1, 1, $2)',
    [account, JSON.stringify({ ...settings, cancellationNotices: true })],
  );
  for (const wait of [hourMs, 3 * dayMs, 3 * dayMs, 3 * dayMs]) await nextRun(replica, account, wait);
  expect((await readStory(replicas, account, id)).at(-1)).toMatchObject({ event: 'canceled', sendWebhook: true });
  const { rows } = await replicas.database.pool.query<{ at: string }>(
    `select payload::json ->> 'occurredAt' as at from outbox where payload::json ->> 'accountId' = $1 order by id desc limit 2`,
    [account],
  );
  const [canceledMs = 0, failedMs = 0] = rows.map(({ at }) => Date.parse(at));
  expect(canceledMs - failedMs).toBe(1);
});

test('an unknown outcome is no attempt: it keeps everything else out until the processor has said how it ended', async () => {
  const { account, id, replica } = await dueSoon('sim_ok');
  replica.fail('answer_lost');
  expect(await nextRun(replica, account, hourMs)).toEqual({ charged: 0, chargedCents: 0, retried: 0, canceled: 0 });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'active', failed_tries: 0, period: 1 });
  expect(await readRenewals(replicas, id)).toMatchObject([{ status: 'processing' }]);
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await reported(account, id)).toEqual([['rebilled', 1, 'active']]);
  expect(await charges(account)).toBe(1);
});

test('what got lost on its way is not sent again once the seller has canceled, and counts as no attempt', async () => {
  const { account, id, orderId, replica, context } = await dueSoon('sim_ok');
  replica.fail('request_lost');
  await nextRun(replica, account, hourMs);
  await cancelSubscription(replica.deps, context(), id);
  for (const wait of [minuteMs, 5 * minuteMs, hourMs]) {
    replicas.clock.advance(wait);
    await replica.round();
  }
  replicas.clock.advance(dayMs);
  await replica.daily(account);
  expect(await replicas.books(account)).toEqual([]);
  expect(await reported(account, id)).toEqual([['canceled', undefined, undefined]]);
  const { payments } = await replicas.money(account, orderId);
  expect(payments).toMatchObject([{ status: 'declined', declineReason: 'not_received' }]);
});

test('what got lost on its way is not sent again once a refund of its order was requested, which then waits for its end', async () => {
  const { account, orderId, replica, caller } = await beginPaidLife(replicas);
  replica.fail('request_lost');
  await nextRun(replica, account, 31 * dayMs);
  expect(await refundCharges(replica.deps, caller, orderId)).toMatchObject({
    ...{ status: 'processing', renewalUnderWay: true },
  });
  for (const wait of [minuteMs, 5 * minuteMs, hourMs]) {
    replicas.clock.advance(wait);
    await replica.round();
  }
  replicas.clock.advance(dayMs);
  await replica.daily(account);
  await replica.round();
  const books = (await replicas.books(account)).map(({ kind, amountCents }) => [kind, amountCents]);
  expect(books.toSorted()).toEqual([
    ['charge', 4_900],
    ['refund', 4_900],
  ]);
});

test('a payment that the processor never got for a day is made anew, and no failed attempt was counted', async () => {
  const { account, id, replica } = await dueSoon('sim_ok');
  replica.fail('request_lost', 'throws_before');
  await nextRun(replica, account, hourMs);
  replicas.clock.advance(dayMs);
  // The first call of it was the charge, the second one the look-up that failed.
  await replica.daily(account);
  await replica.daily(account);
  expect(await reported(account, id)).toEqual([['rebilled', 1, 'active']]);
  expect(await charges(account)).toBe(1);
});

test('a renewal that the processor did not get three times in a row is reported, once for its period', async () => {
  const { account, replica } = await dueSoon('sim_ok');
  replica.fail('request_lost');
  await nextRun(replica, account, hourMs);
  const notices = async () =>
    (await replicas.events(account)).filter(({ subject }) => subject.includes('payment.noticed')).length;
  const reported: number[] = [];
  for (let day = 0; day < 5; day += 1) {
    replicas.clock.advance(dayMs);
    // The look-up of the one before, and the charge that is made instead.
    replica.fail('answered', 'request_lost');
    await replica.daily(account);
    reported.push(await notices());
  }
  expect(reported).toEqual([0, 0, 1, 1, 1]);
});

test('one period at most is charged for each subscription and UTC day, however often runs come and whatever the seller does', async () => {
  const { account, id, replica, context } = await dueSoon('sim_ok');
  replicas.clock.set('2026-05-15T12:00:00.000Z');
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  const others = [replicas.start(), replicas.start(), replicas.start()];
  await Promise.all(others.map((other) => other.renew(account)));
  await pauseSubscription(replica.deps, context(), id);
  await resumeSubscription(replica.deps, context(), id);
  await replica.renew(account);
  for (const card of ['sim_slow', 'sim_ok']) await putPaymentMethod(replica.deps, context(), id, card);
  replicas.clock.set('2026-05-15T23:59:59.999Z');
  await replica.daily(account);
  expect(await charges(account)).toBe(1);
  expect(await readSubscription(replicas, id)).toMatchObject({
    ...{ status: 'active', period: 2, next_charge_at: new Date('2026-05-16T00:00:00.000Z') },
  });
  replicas.clock.set('2026-05-16T00:00:00.000Z');
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
});

test('overdue periods are charged one a day, each on its own dates', async () => {
  const { account, id, replica } = await dueSoon('sim_ok');
  replicas.clock.set('2026-05-15T12:00:00.000Z');
  for (const period of [2, 3, 4, 5]) {
    expect(await replica.renew(account)).toMatchObject({ charged: 1 });
    expect(await readSubscription(replicas, id)).toMatchObject({ period });
    replicas.clock.advance(dayMs);
  }
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  expect((await readRenewals(replicas, id)).map(({ ends_at }) => ends_at.toISOString().slice(0, 10))).toEqual([
    ...['2026-03-01', '2026-04-01', '2026-05-01', '2026-06-01'],
  ]);
});

test('a second period costs nothing on the same day either, and a new card may pay the one that failed that day', async () => {
  const { account, id, replica, context } = await dueSoon('sim_renewal_declined');
  replicas.clock.set('2026-05-15T12:00:00.000Z');
  await replica.renew(account);
  await putPaymentMethod(replica.deps, context(), id, 'sim_ok');
  expect(await replica.renew(account)).toMatchObject({ charged: 1, retried: 1 });
  await replicas.database.pool.query('update subscriptions set amount_cents = 0 where id = $1', [id]);
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  expect(await nextRun(replica, account, dayMs)).toMatchObject({ charged: 1, chargedCents: 0 });
});

test('a paused subscription is not charged, and one that is resumed late begins anew without paying the pause', async () => {
  const { account, id, replica, context } = await dueSoon('sim_ok');
  await pauseSubscription(replica.deps, context(), id);
  expect(await nextRun(replica, account, 60 * dayMs)).toMatchObject({ charged: 0 });
  await resumeSubscription(replica.deps, context(), id);
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  const [renewal] = await readRenewals(replicas, id);
  expect(renewal).toMatchObject({
    ...{ period: 2, status: 'paid', starts_at: new Date('2026-04-02T11:00:00.000Z') },
    ends_at: new Date('2026-05-02T11:00:00.000Z'),
  });
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
});

test('the refund of an order gives back the order’s charge and never those of renewals', async () => {
  const { account, id, orderId, replica, caller } = await beginPaidLife(replicas);
  replicas.clock.advance(31 * dayMs);
  expect(await replica.renew(account)).toMatchObject({ charged: 1, chargedCents: 1900 });
  expect(await readSubscription(replicas, id)).toMatchObject({ period: 2 });
  expect(await refundCharges(replica.deps, caller, orderId)).toMatchObject({
    status: 'refunded',
    refundedCents: 4900,
  });
  const refunds = (await replicas.books(account)).filter(({ kind }) => kind === 'refund');
  expect(refunds.map(({ amountCents }) => amountCents)).toEqual([4900]);
  const reported = (await replicas.events(account)).filter(
    ({ subject }) => subject === 'evt.billing.charges.refunded.v1',
  );
  expect(reported.map(({ data }) => data.refundedCents)).toEqual([4900]);
});

test('an order that is being given back renews no more, and its subscription ends with the look-up that finds the refund', async () => {
  const { account, id, orderId, replica, caller } = await beginPaidLife(replicas);
  const planned = async () => (await previewDailyRun(replica.deps, account, {})).totals.renewals.count;
  replicas.clock.advance(31 * dayMs);
  expect(await planned()).toBe(1);
  replica.fail('answer_lost');
  expect(await refundCharges(replica.deps, caller, orderId)).toMatchObject({ status: 'processing' });
  replicas.clock.advance(2 * minuteMs);
  expect(await planned()).toBe(0);
  // The run's look-up finds that the money was given back.
  await replica.daily(account);
  expect(await refundCharges(replica.deps, caller, orderId)).toMatchObject({ status: 'refunded' });
  expect(await planned()).toBe(0);
  await replica.daily(account);
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'canceled', period: 1 });
});

test('an order whose refund was refused renews as before; one whose refund was taken renews no more, also where it fails later', async () => {
  const account = newAccount();
  const replica = replicas.start();
  const caller = { accountId: account, requestId: 'r' };
  const paidWith = async (paymentMethod: string) => {
    const input = startInput({ paymentMethod });
    await startPayment(replica.deps, caller, input);
    await subscribe(replicas, account, { orderId: input.orderId, paymentMethod: null });
    return input.orderId;
  };
  const [refused, failing] = [await paidWith('sim_refund_declined'), await paidWith('sim_refund_fails')];
  replicas.clock.advance(31 * dayMs);
  expect(await refundCharges(replica.deps, caller, refused)).toMatchObject({ status: 'failed' });
  expect(await refundCharges(replica.deps, caller, failing)).toMatchObject({ status: 'refunded' });
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  replicas.clock.advance(2 * hourMs);
  // It finds the failed refund.
  await replica.daily(account);
  expect((await replicas.money(account, failing)).charges).toMatchObject([{ refundedCents: 0 }]);
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
});

test.each([
  ['recorded with a card', {}],
  ['given away by the checkout, without a card', { source: 'checkout', paymentMethod: null }],
] as const)('a period that costs nothing is renewed without the processor: %s', async (_, fields) => {
  const account = newAccount();
  const { id } = await subscribe(replicas, account, { priceCents: 0, ...fields });
  const replica = replicas.start();
  expect(await nextRun(replica, account, 31 * dayMs)).toMatchObject({ charged: 1, chargedCents: 0 });
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  const [rebilled] = await readStory(replicas, account, id);
  expect(rebilled).toMatchObject({ event: 'rebilled', paymentId: null, period: 2, amountCents: 0 });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'active', period: 2 });
  expect(await nextRun(replica, account, 31 * dayMs)).toMatchObject({ charged: 1, chargedCents: 0 });
  expect(await replicas.books(account)).toEqual([]);
});

test('a run of rehearsals charges test subscriptions at its own time, and leaves the others alone', async () => {
  const account = newAccount();
  const real = await subscribe(replicas, account);
  const rehearsed = await subscribe(replicas, account, { test: true, paymentMethod: 'sim_renewal_declined' });
  const replica = replicas.start();
  const future = new Date('2027-03-03T09:00:00.000Z');
  expect(await replica.renew(account, { test: true, now: () => future })).toMatchObject({ charged: 0, retried: 0 });
  expect(await readSubscription(replicas, rehearsed.id)).toMatchObject({
    ...{ status: 'past_due', next_charge_at: new Date('2027-03-06T00:00:00.000Z') },
  });
  expect((await readStory(replicas, account, rehearsed.id))[0]).toMatchObject({ failedAt: future.toISOString() });
  expect(await readSubscription(replicas, real.id)).toMatchObject({ status: 'active', period: 1 });
});

test('a processor that gives no answers is not troubled with everything that is due', async () => {
  const account = newAccount();
  const replica = await startUnanswered(account);
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  expect(replica.processor.calls.length).toBe(unansweredMax);
  expect(errorsOf(account)).toHaveLength(1);
});

test('nor is it where a renewal of the first ones was canceled', async () => {
  const account = newAccount();
  const cancel = () =>
    replicas.database.pool.query(
      `update subscriptions set cancel_requested_by = 'seller'
       where id = (select id from subscriptions where account_id = $1 order by next_charge_at, id limit 1)`,
      [account],
    );
  const replica = await startUnanswered(account, actedAt('renewals-lock-to-claim', 'before', cancel));
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  expect(replica.processor.calls.length).toBe(2 * unansweredMax - 1);
  expect(errorsOf(account)).toHaveLength(1);
});

test('a run that gave up says so, whatever is answered afterwards', async () => {
  const account = newAccount();
  const atOnce = unansweredMax + callsOfAccountMax;
  await subscribeMany(replicas, account, atOnce + 100);
  replicas.clock.advance(31 * dayMs);
  const lost = new Set<string>();
  const isRecorded = announced(answersRecorded, ({ paymentIds }) => paymentIds.some((id) => lost.has(id)));
  const began = createArrivals<string>();
  const replica = replicas.start({
    deadlineMs: 50_000,
    processor: (inner) => ({
      ...inner,
      chargeSaved: async (request, call) => {
        began.push(request.paymentId);
        const number = began.list.length;
        if (number <= unansweredMax) return await inner.chargeSaved(request, call);
        await began.wait(atOnce, { what: 'calls' });
        if (number > 2 * unansweredMax) {
          await isRecorded;
          return await inner.chargeSaved(request, call);
        }
        lost.add(request.paymentId);
        throw new Error('the connection broke');
      },
    }),
  });
  expect(await replica.renew(account)).toMatchObject({ charged: callsOfAccountMax });
  expect(began.list.length).toBe(atOnce);
  expect(errorsOf(account)).toHaveLength(1);
});

test('a process that closes meanwhile does not say that the processor gives no answers', async () => {
  const account = newAccount();
  const replica = await startUnanswered(account);
  const isClosing = () => replica.processor.calls.length === unansweredMax;
  expect(await replica.renew(account, { isClosing })).toMatchObject({ charged: 0 });
  expect(errorsOf(account)).toEqual([]);
});

test('a page that cannot be read while others are charged ends the run, and not the process', async () => {
  const account = newAccount();
  await subscribeMany(replicas, account, unansweredMax);
  replicas.clock.advance(31 * dayMs);
  const replica = replicas.start({
    database: whenQueried('subscriptions-due', 2, () => Promise.reject(new Error('the connection was lost'))),
  });
  // It fails before the first claim; a rejection that nothing handles makes Vitest's run fail.
  await expect(replica.renew(account)).rejects.toThrow('the connection was lost');
});

/** A process whose processor answers none of the 200 renewals that are due. */
async function startUnanswered(account: string, wrap: Wrap = {}): Promise<Replica> {
  await subscribeMany(replicas, account, 200);
  replicas.clock.advance(31 * dayMs);
  const replica = replicas.start(wrap);
  replica.fail(...Array.from({ length: 200 }, () => 'throws_before' as const));
  return replica;
}

/** What was logged as errors of the account. */
const errorsOf = (account: string) => replicas.errors.filter((line) => JSON.stringify(line).includes(account));

/** A database that does something before the n-th query with this name. @param number n, from 1 on */
const whenQueried =
  (name: string, number: number, work: () => Promise<void>) =>
  (database: Database): Database => {
    let count = 0;
    const query = async (config: { name?: string }) => {
      if (config.name === name && ++count === number) await work();
      return await database.pool.query(config as never);
    };
    return { ...database, pool: Object.assign(Object.create(database.pool), { query }) };
  };
