import { newId } from '@app/contracts/ids';
import { type Database, openDatabase } from '@app/service-kit/database';
import { fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions, migrate } from '../../src/db/migrate.ts';
import { createStripePace, endpointOf } from '../../src/processors/stripe/stripe-pace.ts';
import { openStripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import { StripeStandIn } from '../stripe/stripe-stand-in.ts';

guardLeaks();

const clock = fakeClock('2026-03-15T12:00:00.000Z');

let own: TestDatabase;
const databases: Database[] = [];
beforeAll(async () => {
  own = await createMigratedDatabase('billing', migrate);
  for (let replica = 0; replica < 2; replica += 1) databases.push(await openDatabase(databaseOptions(own.url)));
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await own.close();
});

const callOf = (accountId = newId('account', clock.nowMs())) => ({
  ...{ accountId, secretKey: 'sk_live_shop', test: false, signal: AbortSignal.timeout(40_000) },
});
const pacesOf = (perSecond: number) => databases.map((database) => createStripePace(database, perSecond));
const card = () => ({
  ...{ paymentId: newId('payment', clock.nowMs()), orderId: newId('order', clock.nowMs()), amountCents: 4_900 },
  ...{ currency: 'usd', paymentMethod: 'pm_card_visa', customerEmail: 'ada@example.com', returnUrl: null },
});

test('what two replicas send of an account keeps one rate for each endpoint', async () => {
  const [perSecond, slots] = [100, 60];
  const call = callOf();
  const now = async () =>
    (await query<{ ms: number }>(own.url, 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms'))[0]
      ?.ms ?? 0;
  const startMs = await now();
  const paces = pacesOf(perSecond);
  await Promise.all(
    Array.from({ length: slots }, (_, index) =>
      paces[index % 2]?.turn({ ...call, isBackground: index % 3 > 0 }, 'POST /a'),
    ),
  );
  await paces[0]?.turn(call, 'POST /b');
  const next = `select endpoint, extract(epoch from next_at)::float8 * 1000 - $2 as ms from processor_pace
    where account_id = $1 order by endpoint`;
  const [a] = await query<{ endpoint: string; ms: number }>(own.url, next, [call.accountId, startMs]);
  expect(a?.endpoint).toBe('POST /a');
  expect(a?.ms).toBeGreaterThanOrEqual((slots * 1_000) / perSecond);
  // The last turn has come when it resolved.
  expect(await now()).toBeGreaterThanOrEqual(startMs + ((slots - 1) * 1_000) / perSecond);
});

test('of an account as many renewals are sent at once as go out within two seconds, and 64 at most', () => {
  const [database] = databases as [Database];
  const atOnce = (perSecond: number) => {
    const stripe = openStripeProcessor(database, {
      apiUrl: 'http://127.0.0.1:1',
      deadlineMs: 8_000,
      pace: createStripePace(database, perSecond),
    });
    stripe.close();
    return stripe.renewalsAtOnce;
  };
  expect([1, 20, 1_000].map(atOnce)).toEqual([2, 40, 64]);
});

test('buyers go before work in the background', async () => {
  const call = callOf();
  const [pace] = pacesOf(4);
  const order: string[] = [];
  const turn = async (what: string, isBackground: boolean) => {
    await pace?.turn({ ...call, isBackground }, 'POST /a');
    order.push(what);
  };
  const first = turn('renewal', true);
  const renewals = Array.from({ length: 7 }, () => turn('renewal', true));
  await first;
  await turn('buyer', false);
  const position = order.indexOf('buyer');
  await Promise.all(renewals);
  // The first one's turn had come, and the next one may have had its own.
  expect(position).toBeLessThan(5);
  expect(order).toHaveLength(9);
});

test('a buyer who would wait too long reads that nothing was done', async () => {
  const stripe = await StripeStandIn.start(clock);
  stripe.accept('sk_live_shop');
  const [pace] = pacesOf(20);
  const processor = openStripeProcessor(databases[0] as Database, {
    apiUrl: stripe.url,
    deadlineMs: 2_000,
    ...(pace && { pace }),
  });
  const call = callOf();
  const busy = `insert into processor_pace values ($1, false, 'POST /v1/customers', now() + interval '1 hour')`;
  await query(own.url, busy, [call.accountId]);
  expect(await processor.charge(card(), call)).toMatchObject({ status: 'not_done', why: 'rate_limited' });
  expect(stripe.requests).toEqual([]);
  processor.close();
  await stripe.close();
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
