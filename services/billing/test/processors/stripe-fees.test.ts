import { getDailyRun, listDailyRuns, startDailyRun } from '@app/contracts/daily-runs';
import { getFees, listOrderFees } from '@app/contracts/fees';
import { newId } from '@app/contracts/ids';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { listOrderPayments, settleHold, startPayment } from '@app/contracts/payments';
import { beforeEach, expect, test } from 'vitest';
import { startInput, upsell } from '../payment-samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';

startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });

let account: string;
let key: string;
let shops = 0;
const context = () => commandOf(account);
beforeEach(async () => {
  shops += 1;
  account = newId('account', harness.clock.nowMs());
  key = `sk_live_shop${shops}`;
  stripe.accept(key, `acct_${shops}`);
  const body = { processor: 'stripe' as const, live: { secretKey: key, publishableKey: 'pk_live_shop' } };
  await harness.requester.request(putPaymentProcessor, { body }, context());
});

async function sold(over: Parameters<typeof startInput>[0] = {}): Promise<string> {
  const orderId = newId('order', harness.clock.nowMs());
  await harness.requester.request(
    startPayment,
    startInput({ orderId, paymentMethod: 'pm_card_visa', ...over }),
    context(),
  );
  return orderId;
}
async function run() {
  harness.clock.advance(60_000);
  const { data } = await harness.requester
    .request(startDailyRun, { accountId: account, force: true }, context())
    .then(() => harness.requester.request(listDailyRuns, { limit: 1 }, context()));
  return await harness.requester.request(getDailyRun, { runId: data[0]?.id ?? '' }, context());
}
const feesOf = async (orderId: string) =>
  (await harness.requester.request(listOrderPayments, { orderId }, context())).fees?.map(
    ({ kind, amount_cents, currency }) => [kind, amount_cents, currency],
  );
const sums = async () => (await harness.requester.request(getFees, {}, context())).data;

test('what Stripe keeps of a charge, a capture and an upsell is the order’s once a run has read its list, and once', async () => {
  stripe.booksOf(key).settlesIn = 'usd';
  const orderId = await sold({ hold: { upsell, decisionMinutes: 60 } });
  await harness.requester.request(settleHold, { orderId, decision: 'accepted' }, context());
  const other = await sold();
  expect(await feesOf(orderId)).toEqual([]);
  // 2.9 % of 4900 and of 1500, and 30 each.
  expect((await run()).books?.fees).toEqual([{ currency: 'usd', amount_cents: 172 + 74 + 172 }]);
  const kept = [
    ['charge', 172, 'usd'],
    ['charge', 74, 'usd'],
  ];
  expect(await feesOf(orderId)).toEqual(kept);
  await run();
  expect(await feesOf(orderId)).toEqual(kept);
  expect(await sums()).toEqual([{ currency: 'usd', fee_currency: 'usd', charges_cents: 418, disputes_cents: 0 }]);
  const { data } = await harness.requester.request(listOrderFees, { orderIds: [orderId, other] }, context());
  expect(data.map(({ order_id, amount_cents }) => [order_id, amount_cents])).toEqual([
    [orderId, 172],
    [orderId, 74],
    [other, 172],
  ]);
});

test('a fee in another currency than the charge stays in its own', async () => {
  const orderId = await sold();
  await run();
  expect(await feesOf(orderId)).toEqual([['charge', 1_720, 'sek']]);
  expect(await sums()).toEqual([{ currency: 'usd', fee_currency: 'sek', charges_cents: 1_720, disputes_cents: 0 }]);
});

test('what a dispute costs stays when it is won, and is counted apart from what the charge cost', async () => {
  stripe.booksOf(key).settlesIn = 'usd';
  const orderId = await sold({ paymentMethod: 'pm_card_createDispute' });
  expect((await run()).books?.fees).toEqual([{ currency: 'usd', amount_cents: 172 + 1_500 }]);
  const kept = [
    ['charge', 172, 'usd'],
    ['dispute', 1_500, 'usd'],
  ];
  expect(await feesOf(orderId)).toEqual(kept);
  const [dispute] = stripe.booksOf(key).all<{ id: string; object: string; created: number }>('dispute');
  stripe.booksOf(key).disputeBecomes(dispute?.id ?? '', 'won');
  await run();
  expect(await feesOf(orderId)).toEqual(kept);
  expect(await sums()).toEqual([{ currency: 'usd', fee_currency: 'usd', charges_cents: 172, disputes_cents: 1_500 }]);
});
