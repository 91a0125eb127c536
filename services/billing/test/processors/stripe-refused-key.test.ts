import { startDailyRun } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { startPayment } from '@app/contracts/payments';
import { query } from '@app/testing/sql';
import { afterEach, expect, test } from 'vitest';
import { startInput } from '../payment-samples.ts';
import { orderEvent } from '../samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import type { PaymentIntent } from '../stripe/objects.ts';

const dayMs = 86_400_000;
/** As many renewals of an account are sent to Stripe at once. */
const atOnce = 64;
const [renewals, until] = [200, 100];

startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });
afterEach(() => stripe.mend());

const context = (accountId: string) => ({ ...commandOf(accountId), waitMs: 100_000 });
const run = (account: string) =>
  harness.requester.request(startDailyRun, { accountId: account, force: true }, context(account));

/** An account that sells through the key, with subscriptions that fall due together. */
async function shop(key: string, count: number): Promise<string> {
  const account = newId('account', harness.clock.nowMs());
  stripe.accept(key, `acct_${key}`);
  const live = { secretKey: key, publishableKey: 'pk_live_shop' };
  const body = { processor: 'stripe' as const, live };
  await harness.requester.request(putPaymentProcessor, { body }, context(account));
  const paidAt = harness.clock.now().toISOString();
  const sell = async (orderId: string): Promise<void> => {
    const input = startInput({ orderId, paymentMethod: 'pm_card_visa', savesCard: true });
    const paid = await harness.requester.request(startPayment, input, context(account));
    expect(paid).toMatchObject({ status: 'succeeded' });
    await harness.deliver(orderPaid, orderEvent(account, { orderId, paidAt, paymentMethod: null }));
  };
  const orders = Array.from({ length: count }, () => newId('order', harness.clock.nowMs()));
  for (let sold = 0; sold < count; sold += 20) await Promise.all(orders.slice(sold, sold + 20).map(sell));
  return account;
}

const renewedAt = (key: string) =>
  stripe
    .booksOf(key)
    .all<PaymentIntent>('payment_intent')
    .filter(({ status, metadata }) => status === 'succeeded' && metadata.funnelry_call === 'chargeSaved').length;
const subscriptionsOf = async (account: string) =>
  await query<{ status: string; period: number; failed_tries: number; count: number }>(
    harness.databaseUrl,
    `select status, period, failed_tries, count(*)::int as count from subscriptions where account_id = $1
     group by status, period, failed_tries order by period`,
    [account],
  );
const notices = async (account: string) =>
  (await harness.publishedOf(account)).filter(({ data }) => String(data.summary).includes('does not accept'));

test('a key that is revoked within a run ends the account’s part of it: what was under way alone is refused, and other accounts are charged', async () => {
  const account = await shop('sk_live_revoked', renewals);
  const other = await shop('sk_live_other', 3);
  harness.clock.advance(31 * dayMs);
  let charges = 0;
  stripe.disturb(({ method, path, secretKey }) => {
    if (secretKey === 'sk_live_revoked' && method === 'POST' && path === '/v1/payment_intents') charges += 1;
    if (charges === until) stripe.revoke('sk_live_revoked');
    return undefined;
  });
  const stopped = await run(account);
  expect(stopped).toMatchObject({ ok: false, problems: [{ code: 'key_refused' }] });
  const charged = renewedAt('sk_live_revoked');
  expect(charged).toBeGreaterThanOrEqual(until);
  expect(charged).toBeLessThan(until + atOnce);
  expect(new Set(stripe.refused)).toEqual(new Set(['POST /v1/payment_intents']));
  expect(stripe.refused.length).toBeLessThanOrEqual(atOnce);
  expect(await subscriptionsOf(account)).toEqual([
    { status: 'active', period: 1, failed_tries: 0, count: renewals - charged },
    { status: 'active', period: 2, failed_tries: 0, count: charged },
  ]);
  expect(await run(other)).toMatchObject({ ok: true, rebills: { charged: 3 } });

  // The same day and the next: the list is refused, and with it everything.
  for (const passMs of [0, dayMs]) {
    harness.clock.advance(passMs);
    stripe.refused.length = 0;
    expect(await run(account)).toMatchObject({ ok: false, rebills: { charged: 0 } });
    expect(stripe.refused).toHaveLength(1);
  }
  const said = await notices(account);
  expect(said).toHaveLength(2);
  // By it the seller gets an email.
  expect(said.map(({ data }) => data.code)).toEqual(['key_refused', 'key_refused']);

  stripe.accept('sk_live_revoked', 'acct_sk_live_revoked');
  stripe.mend();
  expect(await run(account)).toMatchObject({ ok: true, rebills: { charged: renewals - charged } });
  expect(renewedAt('sk_live_revoked')).toBe(renewals);
  expect(await subscriptionsOf(account)).toEqual([{ status: 'active', period: 2, failed_tries: 0, count: renewals }]);
});

test('a refused key of test mode is said apart, and leaves the notice of the day to the live one', async () => {
  const account = await shop('sk_live_both', 0);
  stripe.accept('sk_test_both', 'acct_sk_live_both');
  const body = { processor: 'stripe' as const, test: { secretKey: 'sk_test_both', publishableKey: 'pk_test_shop' } };
  await harness.requester.request(putPaymentProcessor, { body }, context(account));
  stripe.revoke('sk_test_both');
  stripe.revoke('sk_live_both');
  for (const isTest of [true, true, false, false]) {
    const input = startInput({ paymentMethod: 'pm_card_visa', test: isTest });
    const refused = await harness.requester.request(startPayment, input, context(account));
    expect(refused).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  }
  const said = (await notices(account)).map(({ data }) => ({ test: data.test, summary: String(data.summary) }));
  expect(said).toEqual([
    { test: true, summary: expect.stringMatching(/API key for test mode.*until then test purchases are not paid/) },
    { test: false, summary: expect.stringMatching(/your account’s API key\. .*buyers must try again later/) },
  ]);
});
