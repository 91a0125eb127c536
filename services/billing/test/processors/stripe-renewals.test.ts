import { startDailyRun } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { refundCharges, startPayment } from '@app/contracts/payments';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { beforeAll, expect, test } from 'vitest';
import { startInput } from '../payment-samples.ts';
import { orderEvent } from '../samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import type { PaymentIntent, Refund } from '../stripe/objects.ts';
import { randomRequestFaults } from '../stripe/random-request-faults.ts';
import { seededRandom } from './faulty-processor.ts';

const liveKey = 'sk_live_shop';
const [subscriptions, months] = [volume(12, 250), volume(1, 4)];
const dayMs = 86_400_000;

startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });
beforeAll(() => stripe.accept(liveKey));

const account = newId('account', Date.parse('2026-03-15T12:00:00.000Z'));
const context = () => commandOf(account);
const run = () => harness.requester.request(startDailyRun, { accountId: account, force: true }, context());

async function subscribe(): Promise<string> {
  const orderId = newId('order', harness.clock.nowMs());
  const paidAt = harness.clock.now().toISOString();
  const input = startInput({ orderId, paymentMethod: 'pm_card_visa', savesCard: true });
  expect(await harness.requester.request(startPayment, input, context())).toMatchObject({ status: 'succeeded' });
  await harness.deliver(orderPaid, orderEvent(account, { orderId, paidAt, paymentMethod: null }));
  return orderId;
}

const chargedThere = () =>
  stripe
    .booksOf(liveKey)
    .all<PaymentIntent>('payment_intent')
    .filter(({ status, metadata }) => status === 'succeeded' && metadata.funnelry_call === 'chargeSaved')
    .map(({ metadata, amount }) => `${metadata.funnelry_order} ${metadata.funnelry_payment} ${amount}`)
    .toSorted();
const chargedHere = async () => {
  const rows = await query<{ charge: string }>(
    harness.databaseUrl,
    `select p.order_id || ' ' || p.id || ' ' || c.amount_cents as charge from charges as c join payments as p on p.id = c.id
     where c.account_id = $1 and p.step = 'renewal'`,
    [account],
  );
  return rows.map(({ charge }) => charge).toSorted();
};

test('whatever gets lost on the way, each period is charged once, refunds go back once, and both books are equal', async () => {
  await harness.requester.request(
    putPaymentProcessor,
    { body: { processor: 'stripe', live: { secretKey: liveKey, publishableKey: 'pk_live_shop' } } },
    context(),
  );
  const orders: string[] = [];
  for (let made = 0; made < subscriptions; made += 1) orders.push(await subscribe());
  const random = seededRandom(27);
  for (let month = 0; month < months; month += 1) {
    harness.clock.advance(31 * dayMs);
    stripe.disturb(randomRequestFaults(random));
    for (let day = 0; day < 3; day += 1) {
      await run();
      harness.clock.advance(dayMs);
    }
    stripe.mend();
    await run();
    harness.clock.advance(dayMs);
    expect(await run()).toMatchObject({ ok: true, problems: [] });
  }
  expect(await chargedHere()).toEqual(chargedThere());
  const perOrder = Map.groupBy(chargedThere(), (charge) => charge.split(' ')[0]);
  expect([...perOrder.values()].map(({ length }) => length)).toEqual(orders.map(() => months));
  stripe.disturb(randomRequestFaults(random));
  const refunded = orders.slice(0, 5);
  const giveBack = (orderId: string, attempt: number) =>
    harness.requester.request(refundCharges, { orderId, attempt }, context());
  for (const orderId of refunded) await giveBack(orderId, 1);
  for (let day = 0; day < 3; day += 1) {
    harness.clock.advance(dayMs);
    if (day === 1) stripe.mend();
    await run();
  }
  // One that Stripe never got within a day has failed, and the seller requests it again.
  for (const orderId of refunded) expect(await giveBack(orderId, 2)).toMatchObject({ status: 'refunded' });
  const refunds = stripe.booksOf(liveKey).all<Refund>('refund');
  expect(refunds.map(({ status }) => status)).toEqual(refunded.map(() => 'succeeded'));
  expect(new Set(refunds.map(({ payment_intent }) => payment_intent)).size).toBe(refunded.length);
  const given = 'select count(*)::int as count from charges where account_id = $1 and refunded_cents = amount_cents';
  expect(await query(harness.databaseUrl, given, [account])).toEqual([{ count: refunded.length }]);
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  const compared = `select books from daily_runs where account_id = $1 and result is not null order by id`;
  const runs = await query<{ books: { refunds: number; orphan_count: number } }>(harness.databaseUrl, compared, [
    account,
  ]);
  // The first comparison of the last day had them all.
  expect(runs.at(-2)?.books).toMatchObject({ orphan_count: 0 });
  expect(Math.max(...runs.map(({ books }) => books?.refunds ?? 0))).toBeGreaterThan(0);
});

test('a renewal on a card of the processor of before waits for a new card, and the run tells nobody who has chosen to choose', async () => {
  const moved = newId('account', Date.parse('2026-03-15T12:00:00.000Z'));
  const put = (body: { processor: 'simulated' } | { processor: 'stripe'; live: typeof live }) =>
    harness.requester.request(putPaymentProcessor, { body }, commandOf(moved));
  const live = { secretKey: 'sk_live_moved', publishableKey: 'pk_live_moved' };
  stripe.accept(live.secretKey, 'acct_moved');
  await put({ processor: 'simulated' });
  const paidAt = new Date(harness.clock.nowMs() - 40 * 86_400_000).toISOString();
  await harness.deliver(orderPaid, orderEvent(moved, { paidAt, paymentMethod: 'sim_ok' }));
  await query(harness.databaseUrl, `update subscriptions set processor = 'simulated' where account_id = $1`, [moved]);
  await put({ processor: 'stripe', live });
  const result = await harness.requester.request(startDailyRun, { accountId: moved, force: false }, commandOf(moved));
  expect(result).toMatchObject({
    ...{ ok: false, rebills: { charged: 0 } },
    problems: [{ code: 'new_cards_needed', detail: expect.stringContaining('1 renewal waits for a new card') }],
  });
});
