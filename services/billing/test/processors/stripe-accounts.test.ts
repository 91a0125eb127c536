import { newId } from '@app/contracts/ids';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payment-processors';
import { expect, test } from 'vitest';
import { dayMs } from '../payment-replicas.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import { openStripeShop } from '../stripe-shop.ts';

/** A Stripe account that may not charge is seen before its buyers say so. */
startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });

const disabled = { reason: 'requirements.past_due', due: ['company.tax_id', 'external_account'] };
const shownOf = async (account: string) =>
  (await harness.requester.request(getPaymentProcessor, {}, commandOf(account))).stripe?.live;
const stopped = {
  charges_enabled: false,
  disabled_reason: 'requirements.past_due',
  requirements_due: ['company.tax_id', 'external_account'],
};
const working = { charges_enabled: true, disabled_reason: null, requirements_due: [] };

test('when keys are stored it is read whether their Stripe account may charge, and what Stripe wants of it', async () => {
  const account = newId('account', harness.clock.nowMs());
  const [live, test] = (['live', 'test'] as const).map((mode) => {
    const secretKey = `sk_${mode}_stopped`;
    stripe.accept(secretKey, 'acct_stopped');
    stripe.booksOf(secretKey).disabled = disabled;
    return { secretKey, publishableKey: `pk_${mode}_stopped` };
  });
  const stored = await harness.requester.request(
    putPaymentProcessor,
    { body: { processor: 'stripe', live, test } },
    commandOf(account),
  );
  expect(stored.stripe?.live).toMatchObject({ ...stopped, account_checked_at: harness.clock.now().toISOString() });
  // Test mode takes test cards whatever becomes of the account.
  expect(stored.stripe?.test).toMatchObject({ charges_enabled: null, account_checked_at: null });
});

test('an account that stops charging is seen by the daily run, and its seller is notified once a day, however many buyers come', async () => {
  const shop = await openStripeShop();
  await shop.subscribe();
  expect(await shownOf(shop.account)).toMatchObject(working);
  harness.clock.advance(31 * dayMs);
  stripe.booksOf(shop.key).disabled = disabled;
  for (let buyer = 0; buyer < 3; buyer += 1) await shop.pay();
  // Not `charging_stopped`: its seller would confirm payments that nobody has looked up.
  expect(await shop.run()).toMatchObject({ problems: [{ code: 'charges_disabled' }] });
  await shop.run();
  expect(await shownOf(shop.account)).toMatchObject(stopped);
  const notifications = async () => (await shop.notified()).filter((text) => text.includes('takes no payments'));
  expect(await notifications()).toHaveLength(1);
  harness.clock.advance(dayMs);
  await shop.run();
  expect(await notifications()).toEqual([expect.anything(), expect.stringContaining('company.tax_id')]);
  stripe.booksOf(shop.key).disabled = undefined;
  harness.clock.advance(dayMs);
  expect(await shop.run()).toMatchObject({ problems: [] });
  expect(await shownOf(shop.account)).toMatchObject(working);
});

test('of an account that the key may not read it is shown as unknown whether it may charge', async () => {
  const shop = await openStripeShop('rk_live_blind');
  stripe.restrict(shop.key, ['accounts_kyc_basic_read']);
  expect(await shop.run()).toMatchObject({ ok: true, problems: [] });
  expect(await shownOf(shop.account)).toMatchObject({ charges_enabled: null, disabled_reason: null });
});
