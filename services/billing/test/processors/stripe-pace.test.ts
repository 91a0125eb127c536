import { newId } from '@app/contracts/ids';
import { type Database, openDatabase } from '@app/service-kit/database';
import { fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions, migrate } from '../../src/db/migrate.ts';
import { createOngoingCalls } from '../../src/payments/ongoing-calls.ts';
import { createStripePace, endpointOf } from '../../src/processors/stripe/stripe-pace.ts';
import { openStripeProcessor, type StripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import { StripeStandIn } from '../stripe/stripe-stand-in.ts';

guardLeaks();

const perSecond = 40;
const clock = fakeClock('2026-03-15T12:00:00.000Z');
const deadlineMs = 1_000;

let place: TestDatabase;
let stripe: StripeStandIn;
const databases: Database[] = [];
const replicas: StripeProcessor[] = [];
beforeAll(async () => {
  place = await createMigratedDatabase('billing', migrate);
  stripe = await StripeStandIn.start(clock);
  stripe.accept('sk_live_shop');
  for (let replica = 0; replica < 2; replica += 1) {
    const database = await openDatabase(databaseOptions(place.url));
    databases.push(database);
    const pace = createStripePace(database, perSecond);
    replicas.push(openStripeProcessor(database, { apiUrl: stripe.url, deadlineMs, pace }));
  }
});
afterAll(async () => {
  for (const replica of replicas) replica.close();
  await stripe.close();
  for (const database of databases) await database.close();
  await place.close();
});

const accountId = newId('account', clock.nowMs());
const how = { accountId, secretKey: 'sk_live_shop', test: false };
const buyer = (paymentId: string) => ({
  ...{ paymentId, orderId: newId('order', clock.nowMs()), amountCents: 4_900, currency: 'usd' },
  ...{ paymentMethod: 'pm_card_visa', customerEmail: 'ada@example.com', returnUrl: null },
});

test('renewals of two replicas keep to the rate for longer than a deadline, and buyers go before them', async () => {
  const calls = createOngoingCalls(deadlineMs);
  const [first, second] = replicas as [StripeProcessor, StripeProcessor];
  const paid = await first.charge(buyer(newId('payment', clock.nowMs())), {
    ...how,
    signal: AbortSignal.timeout(10_000),
  });
  if (paid.status !== 'succeeded') throw new Error('expected success');
  // Twice what a deadline has turns for: their wait is no part of it.
  stripe.limit(perSecond + 10);
  const ids = Array.from({ length: perSecond * 2 }, () => newId('payment', clock.nowMs()));
  const renewals = ids.map((paymentId, index) => {
    const { paymentMethod: _, returnUrl: __, ...request } = buyer(paymentId);
    const replica = index % 2 === 0 ? first : second;
    const sent = { ...request, savedMethod: paid.savedMethod ?? '' };
    return calls.make((signal, untimed) => replica.chargeSaved(sent, { ...how, signal, untimed, isBackground: true }));
  });
  await stripe.arrived(ids[0] ?? '');
  const bought = newId('payment', clock.nowMs());
  const purchase = await second.charge(buyer(bought), { ...how, signal: AbortSignal.timeout(10_000) });
  expect(purchase).toMatchObject({ status: 'succeeded' });
  const before = stripe.requests.findIndex(({ idempotencyKey }) => idempotencyKey === bought);
  expect((await Promise.all(renewals)).filter(({ status }) => status !== 'succeeded')).toEqual([]);
  expect(stripe.limited).toBe(0);
  // A customer, the charge, and the few renewals that had their turn already.
  expect(before).toBeLessThan(perSecond);
  await calls.close();
});

test('a buyer who would wait too long is told that nothing was done', async () => {
  const other = newId('account', clock.nowMs());
  const call = () => ({ ...how, accountId: other, signal: AbortSignal.timeout(20_000) });
  const many = Array.from({ length: perSecond * 5 }, () =>
    replicas[0]?.charge(buyer(newId('payment', clock.nowMs())), call()),
  );
  const outcomes = await Promise.all(many);
  const undone = outcomes.filter((outcome) => outcome?.status === 'not_done');
  expect(undone.length).toBeGreaterThan(0);
  expect(undone[0]).toMatchObject({ why: 'rate_limited' });
  expect(outcomes.filter((outcome) => outcome?.status === 'succeeded').length).toBeGreaterThan(0);
});

test.each([
  ['POST', '/v1/payment_intents', 'POST /v1/payment_intents'],
  ['GET', '/v1/payment_intents?limit=100&customer=cus_1', 'GET /v1/payment_intents'],
  ['POST', '/v1/payment_intents/pi_3Ab/capture', 'POST /v1/payment_intents/{id}/capture'],
  ['GET', '/v1/setup_intents/seti_1Xy', 'GET /v1/setup_intents/{id}'],
  ['GET', '/v1/refunds/re_3Zz?expand[0]=payment_intent', 'GET /v1/refunds/{id}'],
])('%s %s counts as %s', (method, path, endpoint) => {
  expect(endpointOf(method, path)).toBe(endpoint);
});
