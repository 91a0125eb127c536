import { expect, test } from 'vitest';
import { accountsToVisit } from '../src/daily-run/accounts-to-visit.ts';
import { previewDailyRun } from '../src/daily-run/preview-daily-run.ts';
import { noCounts } from '../src/runs/daily-counts.rules.ts';
import { cancelOfRefundedOrders } from '../src/subscriptions/cancel-refunded.ts';
import { getSubscription } from '../src/subscriptions/get-subscription.ts';
import { takeRenewalCounts } from '../src/subscriptions/renewals/take-renewal-counts.ts';
import { cancelSubscription, keepSubscription, pauseSubscription } from '../src/subscriptions/subscriptions.ts';
import { dyingAt } from './dying-process.ts';
import { putPaymentMethod } from './new-cards.ts';
import { runOf } from './payment-replicas.ts';
import { commandOf, openReplicas, replicas } from './set-up.ts';
import { beginLife, type Life, readStory } from './subscriptions-of-tests.ts';

/** Guarantee: what was canceled for the end of its period is charged no more, and ends then, once. */
openReplicas();

const at = (time: string): void => replicas.clock.set(new Date(time));

/** A monthly subscription of 31 January at noon; it is 10 February. */
async function begin(fields: Parameters<typeof beginLife>[1] = {}): Promise<Life> {
  at('2026-01-31T12:00:00.000Z');
  const life = await beginLife(replicas, fields);
  at('2026-02-10T08:00:00.000Z');
  return life;
}

const cancelAtEnd = ({ account, id, replica }: Life, by: 'seller' | 'buyer' = 'buyer') =>
  cancelSubscription(replica.deps, commandOf(account), id, { at: 'period_end', by });
const keep = ({ account, id, replica }: Life) => keepSubscription(replica.deps, commandOf(account), id);
const read = ({ account, id }: Life) => getSubscription(replicas, account, id);
const story = ({ account, id }: Life) => readStory(replicas, account, id);
const preview = ({ account }: Life) => previewDailyRun(replicas, account, {});
const bookedCount = async ({ account }: Life) => (await replicas.books(account)).length;
/** What a run's result counts. */
async function countsOf({ account, replica }: Life) {
  const counts = noCounts();
  await takeRenewalCounts(replica.deps, runOf(account, replica.deps), counts);
  return counts;
}
async function visited(): Promise<string[]> {
  const accounts: string[] = [];
  for await (const account of accountsToVisit(replicas.database, replicas.clock.now())) accounts.push(account);
  return accounts;
}

const end = '2026-02-28T12:00:00.000Z';

test('it stays active until the end of its period; the daily run from then on ends it, and charges and counts nothing', async () => {
  const life = await begin();
  const canceled = { status: 'active', cancel_at: end, next_charge_at: null, canceled_at: null };
  expect(await cancelAtEnd(life)).toMatchObject(canceled);
  expect(await cancelAtEnd(life, 'seller')).toMatchObject(canceled);
  await life.replica.daily(life.account);
  expect(await read(life)).toMatchObject(canceled);
  expect([await story(life), await visited()]).toEqual([[], []]);
  at('2026-03-01T03:00:00.000Z');
  expect(await visited()).toEqual([life.account]);
  const planned = await preview(life);
  expect(planned.totals).toMatchObject({ renewals: { count: 0 }, cancellations: 1 });
  const action = { kind: 'cancellation', id: life.id, amount_cents: 0, due_at: end, attempt: null };
  expect([planned.data, planned.next]).toEqual([[expect.objectContaining(action)], null]);
  await life.replica.daily(life.account);
  const ended = { status: 'canceled', canceled_at: '2026-03-01T03:00:00.000Z', cancel_at: null, next_charge_at: null };
  expect(await read(life)).toMatchObject(ended);
  await life.replica.daily(life.account);
  expect(await story(life)).toMatchObject([
    { event: 'canceled', reason: 'buyer', statusBefore: 'active', sendWebhook: true, canceledAt: ended.canceled_at },
  ]);
  expect(await bookedCount(life)).toBe(0);
  expect(await countsOf(life)).toMatchObject({ charged: 0, canceled: 0 });
  expect([(await preview(life)).data, await visited()]).toEqual([[], []]);
});

test('one that is kept renews on its date, and may be canceled for the end of its period again', async () => {
  const life = await begin();
  await cancelAtEnd(life);
  expect(await keep(life)).toMatchObject({ status: 'active', cancel_at: null, next_charge_at: end });
  expect(await keep(life)).toMatchObject({ cancel_at: null, next_charge_at: end });
  at(end);
  expect(await life.replica.renew(life.account)).toMatchObject({ charged: 1 });
  expect(await cancelAtEnd(life)).toMatchObject({ cancel_at: '2026-03-31T12:00:00.000Z' });
  at('2026-03-31T12:00:00.000Z');
  await life.replica.daily(life.account);
  expect(await read(life)).toMatchObject({ status: 'canceled' });
  expect((await story(life)).map(({ event }) => event)).toEqual(['rebilled', 'canceled']);
  expect(await bookedCount(life)).toBe(1);
  await expect(keep(life)).rejects.toMatchObject({ code: 'invalid_transition' });
});

test('one that is past due, paused, or not charged yet though its period is over ends at once', async () => {
  const [pastDue, paused, overdue] = [await begin({ paymentMethod: 'sim_declined' }), await begin(), await begin()];
  await pauseSubscription(paused.replica.deps, commandOf(paused.account), paused.id);
  expect(await cancelAtEnd(paused)).toMatchObject({ status: 'canceled', cancel_at: null });
  at(end);
  await pastDue.replica.renew(pastDue.account);
  for (const life of [pastDue, overdue]) {
    expect(await cancelAtEnd(life)).toMatchObject({ status: 'canceled', cancel_at: null, canceled_at: end });
    expect((await story(life)).at(-1)).toMatchObject({ event: 'canceled', reason: 'buyer' });
  }
});

test('a renewal that is under way pays its period, and the end moves with it', async () => {
  const life = await begin();
  at(end);
  life.replica.fail('answer_lost');
  await life.replica.renew(life.account);
  expect(await cancelAtEnd(life)).toMatchObject({ status: 'active', cancel_at: end, renewal_under_way: true });
  await life.replica.daily(life.account);
  expect(await read(life)).toMatchObject({ status: 'active' });
  replicas.clock.advance(2 * 60_000);
  await life.replica.round();
  expect(await read(life)).toMatchObject({
    status: 'active',
    cancel_at: '2026-03-31T12:00:00.000Z',
    next_charge_at: null,
  });
  at('2026-03-31T12:00:00.000Z');
  await life.replica.daily(life.account);
  expect((await story(life)).map(({ event }) => event)).toEqual(['rebilled', 'canceled']);
  expect(await bookedCount(life)).toBe(1);
});

test.each([
  ['was declined', 'sim_renewal_declined', 'answer_lost', 1],
  ['got lost on its way', 'sim_ok', 'request_lost', 0],
] as const)(
  'a renewal under way that %s is not tried again: the next run ends the subscription',
  async (_, paymentMethod, fault, calls) => {
    const life = await begin({ paymentMethod });
    at(end);
    life.replica.fail(fault);
    await life.replica.renew(life.account);
    await cancelAtEnd(life);
    at('2026-03-02T12:00:00.000Z');
    await life.replica.round();
    await life.replica.daily(life.account);
    expect((await story(life)).map(({ event }) => event)).toEqual(['canceled']);
    expect(await bookedCount(life)).toBe(calls);
    expect(await countsOf(life)).toMatchObject({ charged: 0, retried: 0, canceled: 0 });
  },
);

test('an external one ends at the end of the period that the seller has collected, and is kept without a charge', async () => {
  const [life, kept] = [await begin({ paymentMethod: null }), await begin({ paymentMethod: null })];
  at('2026-03-15T12:00:00.000Z');
  for (const each of [life, kept])
    expect(await cancelAtEnd(each, 'seller')).toMatchObject({
      cancel_at: '2026-03-31T12:00:00.000Z',
      next_charge_at: null,
    });
  expect(await keep(kept)).toMatchObject({ cancel_at: null, next_charge_at: null });
  at('2026-04-01T12:00:00.000Z');
  expect(await read(life)).toMatchObject({ status: 'active', current_period_end: '2026-03-31T12:00:00.000Z' });
  for (const each of [life, kept]) await each.replica.daily(each.account);
  expect(await read(life)).toMatchObject({ status: 'canceled', current_period_end: '2026-03-31T12:00:00.000Z' });
  expect(await story(life)).toMatchObject([{ event: 'canceled', reason: 'seller' }]);
  expect(await read(kept)).toMatchObject({ status: 'active', current_period_end: '2026-04-30T12:00:00.000Z' });
});

test('until its end it is not paused, a new card does not keep it, and the refund of its order ends it at once', async () => {
  const life = await begin();
  const { account, id, orderId, replica } = life;
  await cancelAtEnd(life);
  await expect(pauseSubscription(replica.deps, commandOf(account), id)).rejects.toMatchObject({
    code: 'invalid_transition',
  });
  await putPaymentMethod(replica.deps, commandOf(account), id, 'sim_renewal_insufficient_funds');
  expect(await read(life)).toMatchObject({ cancel_at: end });
  const data = { orderId, refundedAt: replicas.clock.now().toISOString() } as never;
  const event = { id: 'evt_1', accountId: account, occurredAt: '', requestId: null, traceparent: undefined, data };
  await replicas.database.transaction((client) => cancelOfRefundedOrders(client, [event]));
  expect(await read(life)).toMatchObject({ status: 'canceled', cancel_at: null });
  expect(await story(life)).toMatchObject([{ event: 'canceled', reason: 'refund' }]);
});

test('a run that dies before or after the end is written leaves one end and one event', async () => {
  let fewest = 0;
  for (let seam = 1; seam <= 60; seam += 1) {
    const life = await begin();
    await cancelAtEnd(life);
    at(end);
    const dying = { ...life, replica: replicas.start(dyingAt(seam)) };
    const died = await dying.replica.daily(life.account).then(
      () => false,
      () => true,
    );
    await life.replica.daily(life.account);
    expect([seam, await read(life)]).toMatchObject([seam, { status: 'canceled' }]);
    expect([seam, (await story(life)).map(({ event }) => event)]).toEqual([seam, ['canceled']]);
    if (!died) break;
    fewest = seam;
  }
  expect(fewest).toBeGreaterThan(5);
});
