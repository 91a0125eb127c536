import type { EventDefinition, EventEnvelope } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { listOrderPayments } from '@app/contracts/payments';
import * as contract from '@app/contracts/subscriptions';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { nowMs, orderEvent } from './samples.ts';
import { harness, startService } from './set-up.ts';

startService();

const run = <Row extends object>(sql: string, values: unknown[] = []) => query<Row>(harness.databaseUrl, sql, values);

const { cancelSubscription, keepSubscription, pauseSubscription, resumeSubscription, putPaymentMethod } = contract;
type Action = typeof cancelSubscription | typeof keepSubscription | typeof pauseSubscription;
type Fields = Parameters<typeof orderEvent>[1];

interface Seen {
  readonly account: string;
  readonly id: string;
  readonly orderId: string;
}

/** A monthly subscription of 31 January whose first period ended on 28 February; the clock stands at 15 March. */
async function subscribe(fields: Fields = {}, account = newId('account', nowMs)): Promise<Seen> {
  const order = orderEvent(account, { paymentMethod: 'sim_ok', ...fields });
  await harness.deliver(orderPaid, order);
  const orderId = order.data.orderId;
  const rows = await run<{ id: string }>('select id from subscriptions where order_id = $1', [orderId]);
  return { account, id: rows[0]?.id ?? '', orderId };
}

const context = (accountId: string, commandId = newIdSuffix(harness.clock.nowMs())) => ({
  accountId,
  requestId: 'r',
  commandId,
});
const act = (action: Action, { account, id }: Seen, commandId?: string, by?: 'seller' | 'buyer') =>
  harness.requester.request(
    action as typeof pauseSubscription,
    { subscriptionId: id, by },
    context(account, commandId),
  );
const cancelAtEnd = ({ account, id }: Seen, by: 'seller' | 'buyer') =>
  harness.requester.request(
    cancelSubscription,
    { subscriptionId: id, body: { at: 'period_end' }, by },
    context(account),
  );
const putCard = ({ account, id }: Seen, paymentMethod: string) =>
  harness.requester.request(putPaymentMethod, { subscriptionId: id, body: { paymentMethod } }, context(account));
const get = ({ account, id }: Seen) =>
  harness.requester.request(contract.getSubscription, { subscriptionId: id }, { accountId: account, requestId: 'r' });

/** All that was published of the subscription after its start, as soon as nothing of its account waits in the outbox. */
async function reported({ account, id }: Seen): Promise<EventEnvelope<Record<string, unknown>>[]> {
  const published = await harness.publishedOf(account);
  return published.filter(({ data }) => data.subscriptionId === id && !('startedAt' in data));
}

const parsed = <E extends EventDefinition>(definition: E, event: EventEnvelope<unknown> | undefined) =>
  definition.data.parse(event?.data);

const columns = `status, payment_method, processor, last_four, hard_declined, free_attempt, failed_tries, anchor, anchor_period,
  period, current_period_end, next_charge_at`;
async function rowOf({ account, id }: Seen): Promise<Record<string, unknown>> {
  const [row] = await run<Record<string, unknown>>(
    `select ${columns} from subscriptions where account_id = $1 and id = $2`,
    [account, id],
  );
  return row ?? {};
}

const pastDue = ({ id }: Seen) =>
  run(
    `update subscriptions set status = 'past_due', failed_tries = 2, hard_declined = true,
       next_charge_at = '2026-03-18T00:00:00Z', processor = 'simulated', last_four = '0002' where id = $1`,
    [id],
  );

test('a canceled subscription is reported once with the state it left, however often it is canceled', async () => {
  const seen = await subscribe();
  const commandId = newIdSuffix(harness.clock.nowMs());
  const [first, again] = [
    await act(cancelSubscription, seen, commandId),
    await act(cancelSubscription, seen, commandId),
  ];
  expect(first).toMatchObject({ status: 'canceled', next_charge_at: null, canceled_at: '2026-03-15T12:00:00.000Z' });
  expect(again).toEqual(first);
  expect(await Promise.all([act(cancelSubscription, seen), act(cancelSubscription, seen)])).toEqual([first, first]);
  const events = await reported(seen);
  expect(events).toHaveLength(1);
  expect(parsed(contract.subscriptionCanceled, events[0])).toEqual({
    subscriptionId: seen.id,
    orderId: seen.orderId,
    productId: expect.stringMatching(/^prd_/),
    productName: 'Club',
    customerEmail: 'buyer@example.com',
    amountCents: 1900,
    currency: 'usd',
    billingInterval: 'month',
    mrrCents: 1900,
    canceledAt: '2026-03-15T12:00:00.000Z',
    statusBefore: 'active',
    reason: 'seller',
    sendWebhook: true,
    test: false,
  });
});

test('two cancellations at the same moment are reported once', async () => {
  const seen = await subscribe();
  await Promise.all(Array.from({ length: 6 }, () => act(cancelSubscription, seen)));
  expect(await reported(seen)).toHaveLength(1);
});

test('one that is canceled for the end of its period says so until it is kept, and publishes nothing', async () => {
  const seen = await subscribe({ billingInterval: 'year' });
  const end = '2027-01-31T12:00:00.000Z';
  for (const by of ['buyer', 'seller'] as const)
    expect(await cancelAtEnd(seen, by)).toMatchObject({ status: 'active', cancel_at: end, next_charge_at: null });
  const rows = await run('select cancel_requested_by from subscriptions where id = $1', [seen.id]);
  expect(rows).toEqual([{ cancel_requested_by: 'buyer' }]);
  expect(await act(keepSubscription, seen)).toMatchObject({ cancel_at: null, next_charge_at: end });
  expect(await reported(seen)).toEqual([]);
});

test('a buyer’s cancellation is published with its reason, and sent to webhooks as the seller’s is', async () => {
  const seen = await subscribe();
  const request = { subscriptionId: seen.id, by: 'buyer' as const };
  await harness.requester.request(cancelSubscription, request, context(seen.account));
  const [event] = await reported(seen);
  expect(parsed(contract.subscriptionCanceled, event)).toMatchObject({ reason: 'buyer', sendWebhook: true });
});

test('canceled is final', async () => {
  const seen = await subscribe();
  await act(cancelSubscription, seen);
  const before = await rowOf(seen);
  for (const refused of [
    () => act(pauseSubscription, seen),
    () => act(resumeSubscription, seen),
    () => act(keepSubscription, seen),
    () => putCard(seen, 'sim_ok_2'),
  ])
    await expect(refused()).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await rowOf(seen)).toEqual(before);
  expect(await reported(seen)).toHaveLength(1);
});

test('pause and resumption are reported once each, and paused time is not billed', async () => {
  const seen = await subscribe();
  for (let turn = 0; turn < 2; turn += 1)
    expect(await act(pauseSubscription, seen)).toMatchObject({
      status: 'paused',
      paused_at: '2026-03-15T12:00:00.000Z',
      next_charge_at: null,
    });
  for (let turn = 0; turn < 2; turn += 1)
    expect(await act(resumeSubscription, seen)).toMatchObject({
      status: 'active',
      paused_at: null,
      paused_by: null,
      current_period_end: '2026-03-15T12:00:00.000Z',
      next_charge_at: '2026-03-15T12:00:00.000Z',
    });
  expect(await rowOf(seen)).toMatchObject({ anchor: harness.clock.now(), anchor_period: 1, period: 1 });
  const [paused, resumed, ...more] = await reported(seen);
  expect(more).toEqual([]);
  expect(parsed(contract.subscriptionPaused, paused)).toMatchObject({ statusBefore: 'active', mrrCents: 1900 });
  expect(parsed(contract.subscriptionResumed, resumed)).toMatchObject({
    ...{ statusAfter: 'active', nextChargeAt: '2026-03-15T12:00:00.000Z' },
  });
});

test('what is past due resumes past due, with its failed attempts and their date, and says so', async () => {
  const seen = await subscribe();
  await pastDue(seen);
  expect(await act(pauseSubscription, seen)).toMatchObject({ status: 'paused', failed_tries: 2, next_charge_at: null });
  const due = '2026-03-18T00:00:00.000Z';
  const resumed = { status: 'past_due', failed_tries: 2, next_charge_at: due };
  for (let turn = 0; turn < 2; turn += 1) expect(await act(resumeSubscription, seen)).toMatchObject(resumed);
  const [paused, back, ...more] = await reported(seen);
  expect(more).toEqual([]);
  expect(parsed(contract.subscriptionPaused, paused)).toMatchObject({ statusBefore: 'past_due' });
  expect(parsed(contract.subscriptionResumed, back)).toMatchObject({ statusAfter: 'past_due', nextChargeAt: due });
  await act(pauseSubscription, seen);
  await putCard(seen, 'sim_refund_fails');
  expect(await act(resumeSubscription, seen)).toMatchObject({
    ...{ status: 'past_due', failed_tries: 2, next_charge_at: '2026-03-15T12:00:00.000Z' },
  });
  expect(await rowOf(seen)).toMatchObject({ free_attempt: true, hard_declined: false });
});

test('a buyer does not undo the seller’s pause, also where the buyer had paused before, and the seller undoes each', async () => {
  const [bySeller, byBuyer, byBoth] = [await subscribe(), await subscribe(), await subscribe()];
  const pause = async (seen: Seen, by: 'seller' | 'buyer') =>
    (await act(pauseSubscription, seen, undefined, by)).paused_by;
  const resume = (seen: Seen, by: 'seller' | 'buyer') => act(resumeSubscription, seen, undefined, by);
  expect([await pause(bySeller, 'seller'), await pause(bySeller, 'buyer')]).toEqual(['seller', 'seller']);
  expect([await pause(byBuyer, 'buyer'), await pause(byBoth, 'buyer')]).toEqual(['buyer', 'buyer']);
  expect(await pause(byBoth, 'seller')).toBe('seller');
  for (const seen of [bySeller, byBoth]) {
    await expect(resume(seen, 'buyer')).rejects.toMatchObject({ code: 'not_allowed_by_seller' });
    expect(await get(seen)).toMatchObject({ status: 'paused', paused_by: 'seller', next_charge_at: null });
    expect(await reported(seen)).toHaveLength(1);
    expect(await resume(seen, 'seller')).toMatchObject({ status: 'active', paused_by: null });
  }
  expect(await resume(byBuyer, 'buyer')).toMatchObject({ status: 'active', paused_by: null });
});

test('who resumes before the period’s end keeps its date', async () => {
  const seen = await subscribe({ billingInterval: 'year' });
  await act(pauseSubscription, seen);
  const end = '2027-01-31T12:00:00.000Z';
  expect(await act(resumeSubscription, seen)).toMatchObject({ current_period_end: end, next_charge_at: end });
  expect(await rowOf(seen)).toMatchObject({ anchor: new Date(nowMs), anchor_period: 0 });
});

/** A renewal that is at the processor: what a daily run has committed before it calls. */
async function beginRenewal({ account, id, orderId }: Seen): Promise<string> {
  const paymentId = newId('payment', harness.clock.nowMs());
  await run(
    `insert into payments (id, account_id, order_id, step, period, attempt_no, call, request, amount_cents, currency, status,
       processor, customer_email, product_name, test, created_at, next_check_at)
     values ($1, $2, $3, 'renewal', 2, 1, 'chargeSaved', '{}', 1900, 'usd', 'sent', 'simulated', 'buyer@example.com',
       'Club', false, $4, $4::timestamptz + interval '1 day')`,
    [paymentId, account, orderId, harness.clock.now()],
  );
  await run(
    `insert into renewals (account_id, subscription_id, period, starts_at, ends_at, amount_cents, currency, status, run_id,
       payment_id)
     values ($1, $2, 2, '2026-02-28T12:00:00Z', '2026-03-31T12:00:00Z', 1900, 'usd', 'processing', 'drn_1', $3)`,
    [account, id, paymentId],
  );
  return paymentId;
}

test('every action holds while a renewal is at the processor, and a resumption keeps the dates that it pays for', async () => {
  const [resumed, stopped] = [await subscribe(), await subscribe()];
  for (const seen of [resumed, stopped]) await beginRenewal(seen);
  await act(pauseSubscription, resumed);
  expect(await act(resumeSubscription, resumed)).toMatchObject({
    status: 'active',
    current_period_end: '2026-02-28T12:00:00.000Z',
    next_charge_at: '2026-02-28T12:00:00.000Z',
  });
  expect(await rowOf(resumed)).toMatchObject({ anchor: new Date(nowMs), anchor_period: 0 });
  expect(await act(cancelSubscription, stopped)).toMatchObject({ status: 'canceled', next_charge_at: null });
});

test('a new card of a past-due subscription is due at once for a free attempt, and the same card again is not', async () => {
  const seen = await subscribe();
  await pastDue(seen);
  expect(await putCard(seen, 'sim_refund_fails')).toMatchObject({
    status: 'past_due',
    failed_tries: 2,
    last_four: '0702',
    payment_method: { status: 'saved', url: null },
    next_charge_at: '2026-03-15T12:00:00.000Z',
  });
  const saved = expect.stringMatching(/^sim_pm_/);
  const replaced = { payment_method: saved, processor: 'simulated', free_attempt: true, hard_declined: false };
  expect(await rowOf(seen)).toMatchObject(replaced);
  await run(
    `update subscriptions set free_attempt = false, hard_declined = true, next_charge_at = '2026-03-18T00:00:00Z' where id = $1`,
    [seen.id],
  );
  expect(await putCard(seen, 'sim_refund_fails')).toMatchObject({ next_charge_at: '2026-03-18T00:00:00.000Z' });
  expect(await rowOf(seen)).toMatchObject({ free_attempt: false, hard_declined: true });
  expect(await reported(seen)).toEqual([]);
  expect(JSON.stringify([await get(seen), harness.published])).not.toContain('sim_refund_fails');
});

test('a new card of an active subscription waits for its date', async () => {
  const seen = await subscribe();
  expect(await putCard(seen, 'sim_refund_declined')).toMatchObject({ next_charge_at: '2026-02-28T12:00:00.000Z' });
  expect(await rowOf(seen)).toMatchObject({ last_four: '0701', free_attempt: false });
});

test('a card makes an external subscription automatic from its next period on', async () => {
  const seen = await subscribe({ paymentMethod: null });
  expect(await get(seen)).toMatchObject({ collection: 'external', next_charge_at: null });
  // The second period, which the seller has collected, ends on 31 March.
  expect(await putCard(seen, 'sim_ok')).toMatchObject({
    collection: 'automatic',
    current_period_end: '2026-03-31T12:00:00.000Z',
    next_charge_at: '2026-03-31T12:00:00.000Z',
  });
  expect(await rowOf(seen)).toMatchObject({ period: 2, anchor_period: 0 });
});

test('an external subscription is in the period of the day, up to its pause or its end', async () => {
  const seen = await subscribe({ paymentMethod: null });
  const endOf = async () => (await get(seen)).current_period_end;
  const listed = async () => {
    const query = { collection: 'external' as const };
    const of = { accountId: seen.account, requestId: 'r' };
    return (await harness.requester.request(contract.listSubscriptions, query, of)).data.map(
      (one) => one.current_period_end,
    );
  };
  const third = '2026-03-31T12:00:00.000Z';
  expect([await endOf(), await listed()]).toEqual([third, [third]]);
  const nowAt = harness.clock.now();
  harness.clock.set(new Date('2026-06-30T12:00:00.000Z'));
  expect(await endOf()).toBe('2026-07-31T12:00:00.000Z');
  expect(await act(pauseSubscription, seen)).toMatchObject({ current_period_end: '2026-07-31T12:00:00.000Z' });
  harness.clock.set(new Date('2026-12-15T12:00:00.000Z'));
  expect(await endOf()).toBe('2026-07-31T12:00:00.000Z');
  expect(await act(cancelSubscription, seen)).toMatchObject({ current_period_end: '2026-07-31T12:00:00.000Z' });
  harness.clock.set(new Date('2027-12-15T12:00:00.000Z'));
  expect(await endOf()).toBe('2026-07-31T12:00:00.000Z');
  harness.clock.set(nowAt);
});

test('the database refuses a subscription that is due while it is paused, canceled or external, and a state without its time', async () => {
  const seen = await subscribe();
  for (const [change, constraint] of [
    [`status = 'paused', paused_at = now()`, 'charged_while_alive'],
    [`status = 'canceled', canceled_at = now()`, 'charged_while_alive'],
    [`collection = 'external'`, 'only_automatic_ones_are_charged'],
    [`status = 'past_due', cancel_requested_by = 'buyer'`, 'only_active_ones_end_later'],
    [`status = 'paused', next_charge_at = null`, 'paused_has_time'],
    [`status = 'canceled', next_charge_at = null`, 'canceled_has_time'],
    [`anchor_period = 2`, 'a_period_ends_at_its_anchor_or_later'],
    [`anchor = '2026-03-01'`, 'a_period_ends_at_its_anchor_or_later'],
  ])
    await expect(run(`update subscriptions set ${change} where id = $1`, [seen.id])).rejects.toMatchObject({
      constraint,
    });
});

test('a subscription is read with its periods and the payments of its renewals, newest first', async () => {
  const seen = await subscribe();
  const first = {
    period: 1,
    starts_at: '2026-01-31T12:00:00.000Z',
    ends_at: '2026-02-28T12:00:00.000Z',
    amount_cents: 1900,
    status: 'paid',
    paid_at: '2026-01-31T12:00:00.000Z',
  };
  expect(await get(seen)).toMatchObject({ periods: [first], payments: [] });
  const paymentId = await beginRenewal(seen);
  const second = {
    ...{ period: 2, starts_at: first.ends_at, ends_at: '2026-03-31T12:00:00.000Z', amount_cents: 1900 },
    ...{ status: 'processing', paid_at: null },
  };
  expect(await get(seen)).toMatchObject({
    periods: [second, first],
    payments: [{ id: paymentId, step: 'renewal', try_no: 1, status: 'sent', amount_cents: 1900 }],
  });
  const { account: accountId, orderId } = seen;
  expect(await harness.requester.request(listOrderPayments, { orderId }, { accountId, requestId: 'r' })).toEqual({
    data: [],
    disputes: [],
    fees: [],
  });
});

test('lists filter by status, collection, product and email, alone and together', async () => {
  const account = newId('account', nowMs);
  const productId = newId('product', nowMs);
  const automatic = await subscribe({ productId, customerEmail: 'Ada@münchen.example' }, account);
  const external = await subscribe({ productId, paymentMethod: null }, account);
  const other = await subscribe({}, account);
  await subscribe({ test: true, productId }, account);
  await act(cancelSubscription, other);
  const list = async (query: object) => {
    const { data } = await harness.requester.request(contract.listSubscriptions, query, {
      accountId: account,
      requestId: 'r',
    });
    return data.map(({ id }) => id);
  };
  const newestFirst = [other, external, automatic].map(({ id }) => id);
  expect(await list({})).toEqual(newestFirst);
  expect(await list({ status: 'canceled' })).toEqual([other.id]);
  expect(await list({ collection: 'external' })).toEqual([external.id]);
  expect(await list({ productId })).toEqual([external.id, automatic.id]);
  expect(await list({ email: 'ada@MÜNCHEN.example' })).toEqual([automatic.id]);
  expect(
    await list({ productId, status: 'active', collection: 'automatic', email: 'ada@xn--mnchen-3ya.example' }),
  ).toEqual([automatic.id]);
  expect(await list({ productId, status: 'past_due' })).toEqual([]);
  expect(await list({ productId, limit: 1, before: external.id })).toEqual([automatic.id]);
});

test('another account’s subscription is as unknown as one that never was', async () => {
  const seen = await subscribe();
  const stranger = newId('account', nowMs);
  const before = await rowOf(seen);
  for (const foreign of [
    { ...seen, account: stranger },
    { ...seen, id: newId('subscription', nowMs) },
  ])
    for (const refused of [
      () => act(cancelSubscription, foreign),
      () => act(pauseSubscription, foreign),
      () => act(resumeSubscription, foreign),
      () => act(keepSubscription, foreign),
      () => cancelAtEnd(foreign, 'buyer'),
      () => putCard(foreign, 'sim_theirs'),
      () => get(foreign),
    ])
      await expect(refused()).rejects.toMatchObject({ code: 'subscription_not_found' });
  expect(await rowOf(seen)).toEqual(before);
});
