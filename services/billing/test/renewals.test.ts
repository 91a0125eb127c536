import { newIdSuffix } from '@app/contracts/ids';
import type { Database } from '@app/service-kit/database';
import { createArrivals } from '@app/testing/arrivals';
import { announced } from '@app/testing/points';
import { inTurn, wholeWork } from '@app/testing/whole-work';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { renewalsRead } from '../src/points/points.ts';
import { NotInTimeError, type OngoingCalls } from '../src/processors/ongoing-calls.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { callsOfAccountMax, unansweredMax } from '../src/subscriptions/renewals/renew-due.ts';
import { cancelSubscription, pauseSubscription } from '../src/subscriptions/subscriptions.ts';
import { putPaymentMethod } from './new-cards.ts';
import { dayMs, hourMs, minuteMs, newAccount } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readRenewals, readStory, readSubscription, subscribe, subscribeMany } from './subscriptions-of-tests.ts';

openReplicas();

const at = (time: string): void => replicas.clock.set(new Date(time));

test('a renewal is charged on its day, once, and its period, charge and event say so', async () => {
  const account = newAccount();
  at('2026-01-31T12:00:00.000Z');
  const { id, orderId } = await subscribe(replicas, account);
  const replica = replicas.start();
  at('2026-02-28T11:59:59.999Z');
  expect(await replica.renew(account)).toEqual({ charged: 0, chargedCents: 0, retried: 0, canceled: 0 });
  at('2026-02-28T12:00:00.000Z');
  expect(await replica.renew(account)).toEqual({ charged: 1, chargedCents: 1900, retried: 0, canceled: 0 });
  expect(await replica.renew(account)).toEqual({ charged: 0, chargedCents: 0, retried: 0, canceled: 0 });
  expect(await readSubscription(replicas, id)).toMatchObject({
    ...{ status: 'active', failed_tries: 0, period: 2, last_four: '4242' },
    current_period_end: new Date('2026-03-31T12:00:00.000Z'),
    next_charge_at: new Date('2026-03-31T12:00:00.000Z'),
  });
  const [story] = await readStory(replicas, account, id);
  expect(story).toMatchObject({
    ...{ event: 'rebilled', period: 2, attempt: 1, statusBefore: 'active', statusAfter: 'active', amountCents: 1900 },
    ...{ periodStart: '2026-02-28T12:00:00.000Z', periodEnd: '2026-03-31T12:00:00.000Z' },
    chargedAt: '2026-02-28T12:00:00.000Z',
  });
  expect(await readRenewals(replicas, id)).toEqual([
    {
      ...{ period: 2, status: 'paid', payment_id: story?.paymentId, paid_at: new Date('2026-02-28T12:00:00.000Z') },
      ...{ starts_at: new Date('2026-02-28T12:00:00.000Z'), ends_at: new Date('2026-03-31T12:00:00.000Z') },
    },
  ]);
  const books = await replicas.books(account);
  expect(books).toEqual([expect.objectContaining({ orderId, kind: 'charge', status: 'succeeded', amountCents: 1900 })]);
  expect(books[0]?.paymentId).toBe(story?.paymentId);
});

test('a renewal says whether its order named an affiliate', async () => {
  const account = newAccount();
  at('2026-01-31T12:00:00.000Z');
  const named = await subscribe(replicas, account, { affiliateCode: 'PAT' });
  const unnamed = await subscribe(replicas, account);
  at('2026-02-28T12:00:00.000Z');
  await replicas.start().renew(account);
  const reported = async ({ id }: { id: string }) =>
    (await readStory(replicas, account, id)).map((one) => one.affiliateNamed);
  expect([await reported(named), await reported(unnamed)]).toEqual([[true], [false]]);
});

test('a card that is declined is tried on three more days, three days apart, and after the fourth attempt the subscription ends', async () => {
  const account = newAccount();
  at('2026-01-01T15:00:00.000Z');
  const { id } = await subscribe(replicas, account, { paymentMethod: 'sim_renewal_declined' });
  const replica = replicas.start();
  const runs: unknown[] = [];
  for (
    let time = Date.parse('2026-01-31T09:00:00.000Z');
    time < Date.parse('2026-02-20T00:00:00.000Z');
    time += dayMs
  ) {
    replicas.clock.set(new Date(time));
    const { charged, retried, canceled } = await replica.renew(account);
    if (charged + retried + canceled > 0)
      runs.push([replicas.clock.now().toISOString().slice(0, 10), retried, canceled]);
  }
  expect(runs).toEqual([
    ['2026-02-05', 1, 0],
    ['2026-02-08', 1, 0],
    ['2026-02-11', 1, 1],
  ]);
  const story = await readStory(replicas, account, id);
  expect(
    story.map(({ event, attempt, nextTryDays, statusBefore, statusAfter }) => [
      event,
      attempt,
      nextTryDays,
      statusBefore,
      statusAfter,
    ]),
  ).toEqual([
    ['payment-failed', 1, 3, 'active', 'past_due'],
    ['payment-failed', 2, 3, 'past_due', 'past_due'],
    ['payment-failed', 3, 3, 'past_due', 'past_due'],
    ['payment-failed', 4, 0, 'past_due', 'canceled'],
    ['canceled', undefined, undefined, 'past_due', undefined],
  ]);
  expect(story.at(-1)).toMatchObject({
    reason: 'payment_failed',
    sendWebhook: false,
    canceledAt: '2026-02-11T09:00:00.000Z',
  });
  expect(await readSubscription(replicas, id)).toMatchObject({
    status: 'canceled',
    next_charge_at: null,
    failed_tries: 4,
  });
  expect(await readRenewals(replicas, id)).toMatchObject([{ period: 2, status: 'failed' }]);
});

test('of a thousand renewals none is claimed before its call may begin', async () => {
  const account = newAccount();
  at('2026-01-01T12:00:00.000Z');
  const [due, first, calls] = [1_000, unansweredMax, callsOfAccountMax];
  await subscribeMany(replicas, account, due);
  at('2026-02-01T12:00:00.000Z');
  const began = createArrivals<number>();
  let pages = 0;
  // What is begun together may be of two pages.
  const areRead = announced(renewalsRead, ({ accountId }) => accountId === account && ++pages === 2);
  let claimed = 0;
  const replica = replicas.start({
    deadlineMs: 50_000,
    database: afterClaims((count) => {
      claimed += count;
    }),
    processor: (inner) => ({
      ...inner,
      chargeSaved: async (request, call) => {
        began.push(claimed - began.list.length);
        const until = began.list.length <= first ? first : first + calls;
        if (began.list.length <= until) await Promise.all([areRead, began.wait(until, { what: 'calls' })]);
        return await inner.chargeSaved(request, call);
      },
    }),
  });
  expect(await replica.renew(account)).toMatchObject({ charged: due });
  // All calls that may be made at once are claimed in one transaction: the first ones, and then more.
  expect(began.list[0]).toBe(first);
  expect(began.list[first]).toBe(calls);
  expect(Math.max(...began.list)).toBeLessThanOrEqual(calls);
});

test('of a processor that limits the rate no more renewals are claimed than it takes at once', async () => {
  const account = newAccount();
  at('2026-01-01T12:00:00.000Z');
  await subscribeMany(replicas, account, 100);
  at('2026-02-01T12:00:00.000Z');
  const atOnce = 8;
  let [claimed, answered, most] = [0, 0, 0];
  const replica = replicas.start({
    database: afterClaims((count) => {
      claimed += count;
      most = Math.max(most, claimed - answered);
    }),
    processor: (inner) => ({
      ...inner,
      renewalsAtOnce: atOnce,
      chargeSaved: async (request, call) => {
        const outcome = await inner.chargeSaved(request, call);
        answered += 1;
        return outcome;
      },
    }),
  });
  expect(await replica.renew(account)).toMatchObject({ charged: 100 });
  expect(most).toBe(atOnce);
});

test('what the seller cancels, pauses or gives back while its renewal waits here is not charged, nor is a card that was replaced', async () => {
  const account = newAccount();
  at('2026-01-01T12:00:00.000Z');
  const busy = await subscribeMany(replicas, account, unansweredMax);
  replicas.clock.advance(1_000);
  const [canceled, paused, replaced] = await subscribeMany(replicas, account, 3);
  const refunded = startInput();
  const caller = { accountId: account, requestId: 'r' };
  await startPayment(replicas.start().deps, caller, refunded);
  await subscribe(replicas, account, { orderId: refunded.orderId, paymentMethod: null });
  at('2026-02-02T12:00:00.000Z');
  const began = createArrivals<string>();
  const gate = Promise.withResolvers<void>();
  const { deps, renew } = replicas.start({
    deadlineMs: 50_000,
    processor: (inner) => ({
      ...inner,
      chargeSaved: async (request, call) => {
        began.push(request.orderId);
        await gate.promise;
        return await inner.chargeSaved(request, call);
      },
    }),
  });
  const running = renew(account);
  await began.wait(busy.length, { what: 'calls' });
  const context = () => ({ ...caller, commandId: newIdSuffix(0) });
  const stop = async (action: typeof cancelSubscription, { id }: { id: string } = { id: '' }) =>
    (await action(deps, context(), id)).renewal_under_way;
  const underWay = [
    await stop(cancelSubscription, canceled),
    await stop(pauseSubscription, paused),
    (await refundCharges(deps, caller, refunded.orderId)).renewalUnderWay ?? false,
    ...[await stop(cancelSubscription, busy[0]), await stop(pauseSubscription, busy[1])],
    (await refundCharges(deps, caller, busy[2]?.orderId ?? '')).renewalUnderWay,
  ];
  await putPaymentMethod(deps, context(), replaced?.id ?? '', 'sim_slow');
  gate.resolve();
  expect(await running).toMatchObject({ charged: busy.length });
  expect(underWay).toEqual([false, false, false, true, true, true]);
  const charged = (await replicas.books(account)).filter(({ kind }) => kind === 'charge').map(({ orderId }) => orderId);
  expect(charged.toSorted()).toEqual([refunded.orderId, ...busy.map(({ orderId }) => orderId)].toSorted());
  for (const { id } of [canceled, paused, replaced].filter((each) => each !== undefined)) {
    expect(await readRenewals(replicas, id)).toEqual([]);
  }
});

/** Calls back right after a batch of renewals was claimed. */
const afterClaims =
  (callBack: (count: number) => void) =>
  (database: Database): Database => ({
    ...database,
    transaction: async (work, lastOf) => {
      let claimed = 0;
      const result = await database.transaction((client) => {
        const query = async (config: { name?: string }, values?: unknown[]) => {
          const written = await client.query(config as never, values);
          if (config.name === 'renewals-claim') claimed += written.rows.length;
          return written;
        };
        return wholeWork(work, lastOf)(inTurn(client, query));
      });
      if (claimed > 0) callBack(claimed);
      return result;
    },
  });

/** A list of which other money of the same account fills a hundred pages a day, before what is ours. */
async function withForeignPages(pageMinutes: number) {
  const account = newAccount();
  // How long the list has been silent, by the minutes that its pages take.
  let silentMinutes = 0;
  const replica = replicas.start({
    processor: (inner) => ({
      ...inner,
      list: async function* (from, to, call) {
        for (let page = 0; page < 100; page += 1) {
          silentMinutes += pageMinutes;
          if (silentMinutes > limitMinutes) throw new NotInTimeError('no answer in time');
          call.onProgress?.();
        }
        yield* inner.list(from, to, call);
      },
    }),
  });
  let limitMinutes = 0;
  const { processorCalls } = replica.deps;
  const make: OngoingCalls['make'] = (call, options = {}) => {
    limitMinutes = (options.limitMs ?? 0) / minuteMs;
    const heard = () => {
      silentMinutes = 0;
    };
    heard();
    return processorCalls.make((signal, untimed) => call(signal, untimed, heard), options);
  };
  Object.assign(replica.deps, { processorCalls: { ...processorCalls, make } });
  const { id } = await subscribe(replicas, account);
  replicas.clock.advance(35 * dayMs);
  await replica.daily(account);
  const compared = 'select compared_until from processor_comparisons where account_id = $1';
  const { rows } = await replicas.database.pool.query<{ compared_until: Date }>(compared, [account]);
  return { account, period: (await readSubscription(replicas, id)).period, compared: rows };
}

test('other money of the same account makes the processor’s list slow, however much it is, and keeps nothing from being charged', async () => {
  const { account, period, compared } = await withForeignPages(4);
  expect(await replicas.books(account)).toMatchObject([{ kind: 'charge', status: 'succeeded' }]);
  expect(period).toBe(2);
  expect(compared.map(({ compared_until }) => compared_until.getTime() > replicas.clock.nowMs() - hourMs)).toEqual([
    true,
  ]);
});

test('a processor that gives no page of its list in time is not waited for: nothing is charged', async () => {
  const { account, period, compared } = await withForeignPages(6);
  expect([await replicas.books(account), period, compared]).toEqual([[], 1, []]);
});
