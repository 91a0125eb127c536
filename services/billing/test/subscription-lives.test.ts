import { expect, test } from 'vitest';
import { getSubscription } from '../src/subscriptions/get-subscription.ts';
import { cancelSubscription, pauseSubscription, resumeSubscription } from '../src/subscriptions/subscriptions.ts';
import { putPaymentMethod } from './new-cards.ts';
import { dayMs } from './payment-replicas.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';
import { beginLife, type Life, readStory } from './subscriptions-of-tests.ts';

/** Guarantee: what the seller does to a subscription, and what daily runs charge, go together. */
openReplicas();

const at = (time: string): void => replicas.clock.set(new Date(time));

/** A monthly subscription of 31 January at noon. */
async function begin(fields: Parameters<typeof beginLife>[1] = {}): Promise<Life> {
  at('2026-01-31T12:00:00.000Z');
  return await beginLife(replicas, fields);
}

/** Its first renewal is under way: the processor has taken the charge, the answer got lost, and the seller has paused it. */
async function pausedUnderWay(): Promise<Life> {
  const life = await begin();
  at('2026-02-28T12:00:00.000Z');
  life.replica.fail('answer_lost');
  await life.replica.renew(life.account);
  await act(pauseSubscription, life);
  return life;
}

const act = (action: typeof cancelSubscription, { account, id, replica }: Life) =>
  action(replica.deps, commandOf(account), id);
const putCard = ({ account, id, replica }: Life, method: string) =>
  putPaymentMethod(replica.deps, commandOf(account), id, method);
const read = ({ account, id }: Life) => getSubscription(replicas, account, id);
const chargedCents = async ({ account }: Life): Promise<number> =>
  (await replicas.books(account))
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, e) => sum + e.amountCents, 0);

const story = async ({ account, id }: Life) =>
  (await readStory(replicas, account, id)).map(({ event, attempt, nextTryDays, statusAfter }) => ({
    event,
    ...(attempt === undefined ? {} : { attempt }),
    ...(nextTryDays === undefined ? {} : { nextTryDays }),
    ...(statusAfter === undefined ? {} : { statusAfter }),
  }));

test('paused time is not billed: a buyer who resumes late pays from that day on, and every month on that day', async () => {
  const life = await begin();
  at('2026-02-10T08:00:00.000Z');
  await act(pauseSubscription, life);
  at('2026-05-01T09:30:00.000Z');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
  await act(resumeSubscription, life);
  for (const [day, charged] of [
    ['2026-05-01T10:00:00.000Z', 1],
    ['2026-05-31T12:00:00.000Z', 0],
    ['2026-06-01T09:30:00.000Z', 1],
    ['2026-07-01T09:30:00.000Z', 1],
  ] as const) {
    at(day);
    expect([day, (await life.replica.renew(life.account)).charged]).toEqual([day, charged]);
  }
  const { periods, payments, current_period_end } = await read(life);
  expect(current_period_end).toBe('2026-08-01T09:30:00.000Z');
  expect(periods.map(({ period, starts_at, ends_at, status }) => [period, starts_at, ends_at, status])).toEqual([
    [4, '2026-07-01T09:30:00.000Z', '2026-08-01T09:30:00.000Z', 'paid'],
    [3, '2026-06-01T09:30:00.000Z', '2026-07-01T09:30:00.000Z', 'paid'],
    [2, '2026-05-01T09:30:00.000Z', '2026-06-01T09:30:00.000Z', 'paid'],
    [1, '2026-01-31T12:00:00.000Z', '2026-02-28T12:00:00.000Z', 'paid'],
  ]);
  expect(payments.map(({ step, status }) => [step, status])).toEqual(
    Array.from({ length: 3 }, () => ['renewal', 'succeeded']),
  );
  expect(await chargedCents(life)).toBe(3 * 1_900);
});

test.each(['seller', 'buyer'] as const)(
  'paused and resumed each day by the %s, an unpaid subscription ends after its four attempts, and was not active meanwhile',
  async (by) => {
    const life = await begin({ paymentMethod: 'sim_declined' });
    const { account, id, replica } = life;
    const states: string[] = [];
    at('2026-02-28T12:00:00.000Z');
    for (let day = 0; day < 60; day += 1) {
      await replica.renew(account);
      const { status } = await read(life);
      states.push(status);
      if (status === 'canceled') break;
      await pauseSubscription(replica.deps, commandOf(account), id, { by });
      await resumeSubscription(replica.deps, commandOf(account), id, { by });
      replicas.clock.advance(dayMs);
    }
    expect(states).toEqual([...Array.from({ length: 9 }, () => 'past_due'), 'canceled']);
    expect(await read(life)).toMatchObject({ failed_tries: 4, canceled_at: '2026-03-09T12:00:00.000Z' });
  },
);

test('a renewal that had failed, and was paused and resumed, is charged for the time from then on, with the attempts that it has left', async () => {
  const life = await begin({ paymentMethod: 'sim_declined' });
  for (const day of ['2026-02-28T12:00:00.000Z', '2026-03-03T12:00:00.000Z']) {
    at(day);
    await life.replica.renew(life.account);
  }
  expect(await read(life)).toMatchObject({ status: 'past_due', failed_tries: 2 });
  await act(pauseSubscription, life);
  at('2026-04-20T07:00:00.000Z');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0, retried: 0, canceled: 0 });
  await act(resumeSubscription, life);
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0, canceled: 0 });
  const failed = await read(life);
  expect(failed).toMatchObject({ status: 'past_due', failed_tries: 3, next_charge_at: '2026-04-23T00:00:00.000Z' });
  await putCard(life, 'sim_ok');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1, retried: 1 });
  const { status, failed_tries, periods, payments } = await read(life);
  expect([status, failed_tries]).toEqual(['active', 0]);
  expect(periods[0]).toMatchObject({
    ...{ period: 2, starts_at: '2026-04-20T07:00:00.000Z', ends_at: '2026-05-20T07:00:00.000Z', status: 'paid' },
  });
  expect(payments.map(({ try_no, status: end }) => [try_no, end])).toEqual([
    [4, 'succeeded'],
    [3, 'declined'],
    [2, 'declined'],
    [1, 'declined'],
  ]);
});

test('a new card has one attempt more than the four, and its success keeps the anchor', async () => {
  const life = await begin({ paymentMethod: 'sim_declined' });
  for (const day of ['2026-02-28T12:00:00.000Z', '2026-03-03T12:00:00.000Z', '2026-03-06T12:00:00.000Z']) {
    at(day);
    await life.replica.renew(life.account);
  }
  await putCard(life, 'sim_renewal_insufficient_funds');
  await life.replica.renew(life.account);
  expect(await read(life)).toMatchObject({ status: 'past_due', failed_tries: 3 });
  await putCard(life, 'sim_ok');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1 });
  expect(await read(life)).toMatchObject({
    ...{ status: 'active', failed_tries: 0, current_period_end: '2026-03-31T12:00:00.000Z' },
  });
  const attempts = (await story(life)).map(({ event, attempt }) => [event, attempt]);
  expect(attempts).toEqual([
    ['payment-failed', 1],
    ['payment-failed', 2],
    ['payment-failed', 3],
    ['payment-failed', 3],
    ['rebilled', 3],
  ]);
});

test('a lost card is counted without a call until a new one comes, which is charged at once', async () => {
  const life = await begin({ paymentMethod: 'sim_lost_card' });
  for (const day of ['2026-02-28T12:00:00.000Z', '2026-03-03T12:00:00.000Z']) {
    at(day);
    await life.replica.renew(life.account);
  }
  expect(await replicas.books(life.account)).toHaveLength(1);
  await putCard(life, 'sim_ok');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1, retried: 1 });
  expect(await read(life)).toMatchObject({ status: 'active', last_four: '4242' });
});

test('an external subscription is never charged, until it has a card: then from its next period on', async () => {
  const life = await begin({ paymentMethod: null });
  for (const day of ['2026-02-28T12:00:00.000Z', '2026-03-31T12:00:00.000Z', '2026-04-15T12:00:00.000Z']) {
    at(day);
    expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
  }
  await putCard(life, 'sim_ok');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
  at('2026-04-30T12:00:00.000Z');
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1 });
  expect(await read(life)).toMatchObject({ collection: 'automatic', current_period_end: '2026-05-31T12:00:00.000Z' });
  expect(await chargedCents(life)).toBe(1_900);
});

test('a charge that was under way when the seller paused or canceled is recorded as it ends, and none follows', async () => {
  for (const [action, status] of [
    [pauseSubscription, 'paused'],
    [cancelSubscription, 'canceled'],
  ] as const) {
    const life = await begin();
    at('2026-02-28T12:00:00.000Z');
    // The processor takes the charge, and its answer gets lost.
    life.replica.fail('answer_lost');
    await life.replica.renew(life.account);
    await act(action, life);
    expect(await read(life)).toMatchObject({ status, periods: [{ period: 2, status: 'processing' }, {}] });
    replicas.clock.advance(2 * 60_000);
    await life.replica.round();
    expect(await read(life)).toMatchObject({
      ...{ status, next_charge_at: null, current_period_end: '2026-03-31T12:00:00.000Z' },
      periods: [{ period: 2, status: 'paid' }, {}],
    });
    expect(await story(life)).toEqual([{ event: status }, { event: 'rebilled', attempt: 1, statusAfter: status }]);
    at('2026-04-30T12:00:00.000Z');
    // The one that ended since the last run.
    expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1 });
    expect(await life.replica.renew(life.account)).toMatchObject({ charged: 0 });
    expect(await chargedCents(life)).toBe(1_900);
  }
});

test('a resumption while a charge is under way keeps its period, and charges nothing beside it', async () => {
  const life = await pausedUnderWay();
  at('2026-03-02T12:00:00.000Z');
  await act(resumeSubscription, life);
  await life.replica.renew(life.account);
  await life.replica.round();
  expect(await read(life)).toMatchObject({
    ...{ status: 'active', current_period_end: '2026-03-31T12:00:00.000Z', next_charge_at: '2026-03-31T12:00:00.000Z' },
  });
  expect(await chargedCents(life)).toBe(1_900);
});

test('who resumes when the period of a charge under way has ended too pays nothing of the pause: the charge pays from then on', async () => {
  // The processor takes the charge, and no request can learn for months how it ended.
  const life = await pausedUnderWay();
  at('2026-05-17T12:00:00.000Z');
  await act(resumeSubscription, life);
  await life.replica.round();
  for (let run = 0; run < 3; run += 1) await life.replica.renew(life.account);
  expect(await chargedCents(life)).toBe(1_900);
  expect(await read(life)).toMatchObject({
    ...{ status: 'active', next_charge_at: '2026-06-17T12:00:00.000Z' },
    periods: [{ period: 2, starts_at: '2026-05-17T12:00:00.000Z', ends_at: '2026-06-17T12:00:00.000Z' }, {}],
  });
});
