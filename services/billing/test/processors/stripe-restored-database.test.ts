import { newId } from '@app/contracts/ids';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { settleHold } from '../../src/advancing/settle-hold.ts';
import { startPayment } from '../../src/charging/start-payment.ts';
import { dailySteps } from '../../src/daily-run/steps.ts';
import type { PaymentProcessor, ProcessorCall } from '../../src/processors/port.ts';
import { NoProcessorError } from '../../src/processors/processor-registry.ts';
import { openStripeProcessor, type StripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import { lookUpAttempt } from '../../src/reconciliation/lost-attempts.ts';
import { noCounts } from '../../src/runs/daily-counts.rules.ts';
import { copyDatabase } from '../database-copy.ts';
import { dayMs, hourMs, minuteMs, newAccount, runOf } from '../payment-replicas.ts';
import { startInput, upsell } from '../payment-samples.ts';
import { openReplicas, replicas } from '../set-up.ts';
import type { PaymentIntent } from '../stripe/objects.ts';
import { StripeStandIn } from '../stripe/stripe-stand-in.ts';
import { readSubscription, subscribe } from '../subscriptions-of-tests.ts';

openReplicas('2026-01-31T12:00:00.000Z');

let stripe: StripeStandIn;
let adapter: StripeProcessor;
let key: string;
let account: string;
beforeAll(async () => {
  stripe = await StripeStandIn.start({ nowMs: () => replicas.clock.nowMs() });
  adapter = openStripeProcessor(replicas.database, { apiUrl: stripe.url, deadlineMs: 20_000 });
});
beforeEach(() => {
  account = newAccount();
  key = `sk_live_${account.slice(-26)}`;
  stripe.accept(key, `acct_${account.slice(-26)}`);
});
afterAll(async () => {
  adapter.close();
  await stripe.close();
});

/** Stripe with the account's key. */
function withKey(): PaymentProcessor {
  const keyed = (call: ProcessorCall) => ({ ...call, secretKey: key });
  return {
    name: adapter.name,
    authorize: (request, call) => adapter.authorize(request, keyed(call)),
    charge: (request, call) => adapter.charge(request, keyed(call)),
    saveMethod: (request, call) => adapter.saveMethod(request, keyed(call)),
    chargeSaved: (request, call) => adapter.chargeSaved(request, keyed(call)),
    capture: (request, call) => adapter.capture(request, keyed(call)),
    refund: (request, call) => adapter.refund(request, keyed(call)),
    release: (request, call) => adapter.release(request, keyed(call)),
    lookUp: (sent, call) => adapter.lookUp(sent, keyed(call)),
    readDispute: (reference, call) => adapter.readDispute(reference, keyed(call)),
    list: (from, to, call) => adapter.list(from, to, keyed(call)),
  };
}

interface Chosen {
  /** The seller has chosen `none` since: what renews goes on. */
  readonly none?: boolean;
  /** The seller has looked up what the database lacked. */
  readonly confirmsUnmatched?: boolean;
}

/** A daily run by a process that knows nothing of an earlier one. */
async function daily({ none = false, confirmsUnmatched = false }: Chosen = {}): Promise<unknown[]> {
  const { deps } = replicas.start({ processor: withKey });
  const chosen = () => Promise.reject(new NoProcessorError());
  const by = none ? { ...deps, processors: { ...deps.processors, chosen } } : deps;
  const counts = noCounts();
  const run = { ...runOf(account, by), confirmsUnmatched };
  for (const step of dailySteps(by)) await step(by, run, counts);
  return counts.problems;
}

/** A buyer pays at Stripe and has a subscription from then on. */
async function sell(paymentMethod = 'pm_card_visa'): Promise<{ id: string; orderId: string }> {
  const { deps } = replicas.start({ processor: withKey });
  const orderId = newId('order', replicas.clock.nowMs());
  const input = startInput({ orderId, paymentMethod, savesCard: true });
  const paid = await startPayment(deps, { accountId: account, requestId: 'r' }, input);
  expect(paid).toMatchObject({ status: 'succeeded' });
  return await subscribe(replicas, account, { orderId, paymentMethod: null });
}

/** Orders of the renewals that Stripe has charged, and how often. */
function renewedThere(): Record<string, number> {
  const renewed: Record<string, number> = {};
  for (const { status, metadata } of stripe.booksOf(key).all<PaymentIntent>('payment_intent')) {
    const { funnelry_call: call, funnelry_order: order = '' } = metadata;
    if (status === 'succeeded' && call === 'chargeSaved') renewed[order] = (renewed[order] ?? 0) + 1;
  }
  return renewed;
}
async function renewedHere(): Promise<Record<string, number>> {
  const { rows } = await replicas.database.pool.query<{ order_id: string; count: number }>(
    `select order_id, count(*)::int as count from charges where account_id = $1 and step = 'renewal' group by order_id`,
    [account],
  );
  return Object.fromEntries(rows.map(({ order_id, count }) => [order_id, count]));
}
const once = (sold: readonly { orderId: string }[]) => Object.fromEntries(sold.map(({ orderId }) => [orderId, 1]));
const methodsOf = async () =>
  (
    await replicas.database.pool.query<{ order_id: string; method: string }>(
      'select order_id, method from payment_methods where account_id = $1',
      [account],
    )
  ).rows;

test.each<{ what: string; passMs: number } & Chosen>([
  { what: 'while Stripe has the keys', passMs: hourMs },
  { what: 'when Stripe has forgotten the keys', passMs: 2 * dayMs },
  { what: 'and the account has chosen none and was never compared', passMs: 2 * dayMs, none: true },
])('a backup from before a run charges no period again: $what', async ({ passMs, none = false }) => {
  const sold = [];
  for (let made = 0; made < 10; made += 1) sold.push(await sell());
  const declined = await sell('pm_card_chargeCustomerFail');
  replicas.clock.advance(29 * dayMs);
  const backup = await copyDatabase(replicas.database);
  await daily({ none });
  expect(renewedThere()).toEqual(once(sold));
  await backup.restore();
  expect(await renewedHere()).toEqual({});
  replicas.clock.advance(passMs);
  expect(await daily({ none })).toMatchObject([{ code: 'charging_stopped' }]);
  expect(await daily({ none, confirmsUnmatched: true })).toEqual([]);
  expect(renewedThere()).toEqual(once(sold));
  expect(await renewedHere()).toEqual(once(sold));
  expect(await readSubscription(replicas, declined.id)).toMatchObject({ status: 'past_due', period: 1 });
});

test('a backup without any payment of the account charges no period again that its subscriptions, begun anew by their events, have paid', async () => {
  const empty = await copyDatabase(replicas.database);
  const sold = [await sell(), await sell(), await sell()];
  const paidAt = replicas.clock.now().toISOString();
  const methods = await methodsOf();
  for (let month = 0; month < 2; month += 1) {
    replicas.clock.advance(31 * dayMs);
    await daily();
  }
  const twice = Object.fromEntries(sold.map(({ orderId }) => [orderId, 2]));
  expect(renewedThere()).toEqual(twice);
  await empty.restore();
  for (const { order_id: orderId, method: paymentMethod } of methods) {
    await subscribe(replicas, account, { orderId, paymentMethod, paidAt });
  }
  replicas.clock.advance(2 * dayMs);
  await daily();
  expect(renewedThere()).toEqual(twice);
  expect(await renewedHere()).toEqual(twice);
});

test('a period that was paid with a card that the backup does not know is recorded, and not sent again', async () => {
  const [moved, other] = [await sell(), await sell()];
  replicas.clock.advance(29 * dayMs);
  const backup = await copyDatabase(replicas.database);
  const method = (await methodsOf()).find(({ order_id }) => order_id === other.orderId)?.method;
  await replicas.database.pool.query('update subscriptions set payment_method = $2 where id = $1', [moved.id, method]);
  await daily();
  await backup.restore();
  for (const passMs of [2 * dayMs, dayMs, dayMs]) {
    replicas.clock.advance(passMs);
    await daily();
    expect(renewedThere()).toEqual(once([moved, other]));
  }
  expect(await renewedHere()).toEqual(once([moved, other]));
});

const anAttempt = 'the next attempt';
test.each([
  [anAttempt, 3, 'a minute', minuteMs, 10 * minuteMs],
  [anAttempt, 3, 'five hours', 5 * hourMs, 10 * minuteMs],
  [anAttempt, 3, 'three days', 3 * dayMs, 10 * minuteMs],
  ['the same one, when Stripe has forgotten its key,', 2, 'five hours', 5 * hourMs, 2 * dayMs],
])(
  '%s (%i) finds what a lost database charged %s after an attempt of which nothing was done',
  async (_, again, __, passMs, laterMs) => {
    const orderId = newId('order', replicas.clock.nowMs());
    const { deps } = replicas.start({ processor: withKey });
    const attempt = (attemptNo: number, begunAt = replicas.clock.now().toISOString()) => {
      const input = startInput({ orderId, attemptNo, begunAt, paymentMethod: 'pm_card_visa' });
      return startPayment(deps, { accountId: account, requestId: 'r' }, input);
    };
    stripe.revoke(key);
    expect(await attempt(1)).toMatchObject({ status: 'declined', reason: 'try_again_later' });
    stripe.accept(key, `acct_${account.slice(-26)}`);
    const backup = await copyDatabase(replicas.database);
    replicas.clock.advance(passMs);
    const begunAt = replicas.clock.now().toISOString();
    // Checkout keeps the order after what says nothing of the card.
    expect(await attempt(2)).toMatchObject({ status: 'succeeded' });
    await backup.restore();
    replicas.clock.advance(laterMs);
    const found = await attempt(again, again === 2 ? begunAt : undefined);
    expect(found).toMatchObject({ attemptNo: 2, status: 'succeeded' });
    const charged = stripe.booksOf(key).all<PaymentIntent>('payment_intent');
    expect(charged.map(({ status }) => status)).toEqual(['succeeded']);
  },
);

/** Every amount that Stripe took. */
const taken = () =>
  stripe
    .booksOf(key)
    .all<PaymentIntent>('payment_intent')
    .map(({ amount_received: amount }) => amount)
    .filter((amount) => amount > 0);

test.each([
  ['an expired hold', 'pm_standin_hold_expired', 'declined', [4_900], hourMs],
  ['an expired hold', 'pm_standin_hold_expired', 'declined', [4_900], 2 * dayMs],
  ['an expired hold', 'pm_standin_hold_expired', 'declined', [4_900], 10 * dayMs],
  ['a captured hold with its upsell', 'pm_card_visa', 'accepted', [4_900, 1_500], hourMs],
  ['a captured hold with its upsell', 'pm_card_visa', 'accepted', [4_900, 1_500], 2 * dayMs],
] as const)(
  '%s (%s) that a backup does not know is charged no second time',
  async (_, paymentMethod, decision, charged, laterMs) => {
    const orderId = newId('order', replicas.clock.nowMs());
    const caller = { accountId: account, requestId: 'r' };
    const begunAt = replicas.clock.now().toISOString();
    const input = startInput({ orderId, begunAt, paymentMethod, hold: { upsell, decisionMinutes: 60 } });
    const { deps } = replicas.start({ processor: withKey });
    const backup = await copyDatabase(replicas.database);
    expect(await startPayment(deps, caller, input)).toMatchObject({ status: 'held' });
    expect(await settleHold(deps, caller, orderId, decision)).toMatchObject({ status: 'settled', decision });
    expect(taken()).toEqual(charged);
    await backup.restore();
    replicas.clock.advance(laterMs);
    // Checkout requests how the attempt stands; its buyer decides once more.
    const again = replicas.start({ processor: withKey }).deps;
    expect(await lookUpAttempt(again, caller, input)).toMatchObject({ status: 'held' });
    expect(await settleHold(again, caller, orderId, decision)).toMatchObject({ status: 'settled', decision });
    expect(taken()).toEqual(charged);
  },
);

test('a hold that its buyer confirmed, and that expired before it was known, keeps another card from being charged, also for a backup', async () => {
  const orderId = newId('order', replicas.clock.nowMs());
  const caller = { accountId: account, requestId: 'r' };
  const { deps } = replicas.start({ processor: withKey });
  const attempt = (attemptNo: number, paymentMethod: string | null, by = deps) => {
    const begunAt = replicas.clock.now().toISOString();
    const how = { returnUrl: 'https://shop.example/c/shop/course', hold: { upsell, decisionMinutes: 60 } };
    const input = startInput({ orderId, attemptNo, begunAt, ...how });
    return paymentMethod === null
      ? lookUpAttempt(by, caller, input)
      : startPayment(by, caller, { ...input, paymentMethod });
  };
  const backup = await copyDatabase(replicas.database);
  const { action } = await attempt(1, 'pm_card_authenticationRequiredOnSetup');
  await fetch(action?.url ?? '', { redirect: 'manual' });
  replicas.clock.advance(8 * dayMs);
  expect(await attempt(2, 'pm_card_visa')).toMatchObject({ status: 'held', attemptNo: 1 });
  expect(await settleHold(deps, caller, orderId, 'declined')).toMatchObject({ status: 'settled' });
  expect(taken()).toEqual([4_900]);
  await backup.restore();
  replicas.clock.advance(dayMs);
  const again = replicas.start({ processor: withKey }).deps;
  expect(await attempt(2, null, again)).toMatchObject({ status: 'held', attemptNo: 1 });
  expect(await settleHold(again, caller, orderId, 'declined')).toMatchObject({ status: 'settled' });
  expect(taken()).toEqual([4_900]);
});
