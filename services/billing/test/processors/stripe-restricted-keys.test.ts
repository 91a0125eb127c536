import { newId } from '@app/contracts/ids';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payment-processors';
import { refundCharges, startPayment } from '@app/contracts/payments';
import { stripePermissions } from '@app/contracts/stripe-permissions';
import { expect, test } from 'vitest';
import { dayMs } from '../payment-replicas.ts';
import { startInput } from '../payment-samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import { openStripeShop } from '../stripe-shop.ts';

/** What a restricted key may not do is named where it is stored, or stops what needs it. */
startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });

let made = 0;
/** Stores a key that lacks these permissions. */
async function store(...lacking: readonly string[]) {
  made += 1;
  const account = newId('account', harness.clock.nowMs());
  const secretKey = `rk_live_${made}`;
  stripe.accept(secretKey, `acct_${made}`);
  stripe.restrict(secretKey, lacking);
  const body = { processor: 'stripe' as const, live: { secretKey, publishableKey: 'pk_live_shop' } };
  return await harness.requester.request(putPaymentProcessor, { body }, commandOf(account));
}

test.each(stripePermissions.filter(({ isRequired }) => isRequired))(
  'a key without $name is refused: renewals would fail',
  async ({ name, token }) => {
    const error = { field: 'live.secretKey', code: 'refused', message: expect.stringContaining(name) };
    await expect(store(token)).rejects.toMatchObject({ errors: [error] });
  },
);

test.each(stripePermissions.filter(({ isRequired }) => !isRequired))(
  'a key without $name is stored, and the lack is shown',
  async ({ name, token }) => {
    expect((await store(token)).stripe?.live?.missing_permissions).toEqual([name]);
  },
);

test('a key that has them all lacks nothing, and all that it does in a month was probed', async () => {
  const shop = await openStripeShop('rk_live_whole');
  const stored = await harness.requester.request(getPaymentProcessor, {}, commandOf(shop.account));
  expect(stored.stripe?.live).toMatchObject({ missing_permissions: [] });
  const probed = new Set(stripe.requests.filter(({ secretKey }) => secretKey === shop.key).map(usedOf));
  stripe.requests.length = 0;
  const orderId = await shop.subscribe();
  await shop.pay({ paymentMethod: 'pm_standin_script', returnUrl: null });
  harness.clock.advance(31 * dayMs);
  expect(await shop.run()).toMatchObject({ ok: true, rebills: { charged: 1 } });
  expect(await shop.subscription(orderId)).toMatchObject({ period: 2 });
  const used = new Set(stripe.requests.filter(({ secretKey }) => secretKey === shop.key).map(usedOf));
  expect([...used].filter((one) => !probed.has(one))).toEqual([]);
});

/** The endpoint without its ids, whether it writes, and what it expands. */
const usedOf = ({ method, path, parameters }: (typeof stripe.requests)[number]): string => {
  const resource = path.split('/')[2];
  const names = ((parameters.expand ?? []) as string[])
    .flatMap((one) => one.split('.'))
    .filter((one) => one !== 'data');
  return `${method} ${resource} ${method === 'GET' ? names.join('.') : ''}`;
};

test('whose key it is that may not read its account is known all the same, and the rest is shown as unknown', async () => {
  const stored = await store('accounts_kyc_basic_read');
  expect(stored.stripe?.live).toMatchObject({
    account: `acct_${made}`,
    account_name: null,
    settlement_currency: null,
    missing_permissions: ['Accounts: read'],
  });
});

test('a permission that is taken away stops what needs it alone, and its seller reads which one once a day', async () => {
  const shop = await openStripeShop('rk_live_narrowed');
  const first = await shop.subscribe();
  harness.clock.advance(31 * dayMs);
  stripe.restrict(shop.key, ['balance_transaction_source_read', 'dispute_read', 'event_read']);
  for (let run = 0; run < 2; run += 1) {
    const lacks = { code: 'key_refused', detail: expect.stringContaining('Balance Transaction Sources: read') };
    expect((await shop.run()).problems).toContainEqual(lacks);
  }
  expect(await shop.subscription(first)).toMatchObject({ status: 'active', period: 2 });
  const notified = (await shop.notified()).filter((summary) => summary.includes('lacks the permission'));
  expect(notified).toEqual([expect.stringMatching(/Balance Transaction Sources: read.*Disputes: read.*Events: read/s)]);
});

test('without the permission to charge no renewal is sent a second time in a run, and the buyer’s seller reads which one', async () => {
  const shop = await openStripeShop('rk_live_charges_nothing');
  const orders = [await shop.subscribe(), await shop.subscribe(), await shop.subscribe()];
  harness.clock.advance(31 * dayMs);
  stripe.restrict(shop.key, ['payment_intent_write']);
  stripe.refused.length = 0;
  await shop.run();
  expect(stripe.refused.length).toBeLessThanOrEqual(orders.length);
  for (const orderId of orders) expect(await shop.subscription(orderId)).toMatchObject({ status: 'active', period: 1 });
  const paying = harness.requester.request(
    startPayment,
    startInput({ paymentMethod: 'pm_card_visa' }),
    commandOf(shop.account),
  );
  expect(await paying).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  const notified = (await shop.notified()).filter((summary) => summary.includes('PaymentIntents: write'));
  expect(notified).toHaveLength(1);
});

test('without the permission to refund renewals are charged all the same, and the seller reads which one is lacking', async () => {
  const shop = await openStripeShop('rk_live_refunds_nothing');
  const orderId = await shop.subscribe();
  stripe.restrict(shop.key, ['charge_write']);
  const refunded = await harness.requester.request(refundCharges, { orderId }, commandOf(shop.account));
  expect(refunded).not.toMatchObject({ status: 'refunded' });
  harness.clock.advance(31 * dayMs);
  const other = await shop.subscribe();
  harness.clock.advance(31 * dayMs);
  // Nothing was given back of the first one, so it renews too.
  expect(await shop.run()).toMatchObject({ rebills: { charged: 2 } });
  expect(await shop.subscription(other)).toMatchObject({ status: 'active', period: 2 });
  const notified = (await shop.notified()).filter((summary) => summary.includes('Charges and Refunds: write'));
  expect(notified.length).toBeGreaterThan(0);
  expect(stripe.booksOf(shop.key).all('refund')).toEqual([]);
});
