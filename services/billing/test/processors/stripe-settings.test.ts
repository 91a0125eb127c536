import { startDailyRun } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payment-processors';
import * as contract from '@app/contracts/payments';
import { cancelSubscription } from '@app/contracts/subscriptions';
import { listen } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { domainsCompared, endpointCompared } from '../../src/points/points.ts';
import { startInput } from '../payment-samples.ts';
import { orderEvent } from '../samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import type { PaymentIntent, SetupIntent } from '../stripe/objects.ts';

startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 3_000, PUBLIC_URL: 'http://shop.example' });

const newAccount = (): string => newId('account', harness.clock.nowMs());
const get = (account: string) => harness.requester.request(getPaymentProcessor, {}, commandOf(account));
type Body = Parameters<typeof harness.requester.request<typeof putPaymentProcessor>>[1]['body'];
const put = (account: string, body: Body) =>
  harness.requester.request(putPaymentProcessor, { body }, commandOf(account));
const pay = (account: string, fields: Parameters<typeof startInput>[0] = {}) =>
  harness.requester.request(
    contract.startPayment,
    startInput({ paymentMethod: 'pm_card_visa', ...fields }),
    commandOf(account),
  );
/** A key pair that Stripe accepts, of a Stripe account. */
function pair(name: string, at: string, mode: 'live' | 'test' = 'live') {
  const secretKey = `sk_${mode}_${name}`;
  stripe.accept(secretKey, at);
  return { secretKey, publishableKey: `pk_${mode}_${name}` };
}
const intentsOf = (secretKey: string) => stripe.booksOf(secretKey).all<PaymentIntent>('payment_intent');
const faultsOf = (errors: object[]) => ({
  code: 'validation_failed',
  errors: errors.map((one) => expect.objectContaining(one)),
});

test('keys are stored sealed, each for its mode, with whose they are; the seller sells through them, rehearsals too', async () => {
  const account = newAccount();
  const [live, rehearsal] = [pair('mara', 'acct_mara'), pair('mara', 'acct_mara', 'test')];
  const from = listen();
  const stored = await put(account, { processor: 'stripe', live, test: rehearsal });
  await from.announced(endpointCompared, ({ accountId }) => accountId === account, 2);
  await from.announced(domainsCompared, ({ accountId }) => accountId === account, 2);
  const stored_at = harness.clock.now().toISOString();
  const key = {
    account: 'acct_mara',
    account_name: 'Shop of acct_mara',
    missing_permissions: [],
    stored_at,
    settlement_currency: 'usd',
  };
  expect(stored).toMatchObject({
    processor: 'stripe',
    secrets: ['live.secretKey', 'test.secretKey'],
    stripe: { live: { ...key, publishable_key: 'pk_live_mara' }, test: { ...key, publishable_key: 'pk_test_mara' } },
  });
  // Stripe sends nothing to an address without https, and shows no wallets there: neither is requested.
  const none = { webhooks: 'no_public_url', wallets: { status: 'no_public_url', domains: [] } } as const;
  const { live: ofLive, test: ofTest } = stored.stripe ?? {};
  expect(await get(account)).toEqual({
    ...stored,
    stripe: { live: { ...ofLive, ...none }, test: { ...ofTest, ...none } },
  });
  expect(stripe.requests.filter(({ path }) => /webhook|domain/.test(path))).toEqual([]);
  expect(await pay(account)).toMatchObject({ status: 'succeeded' });
  expect(await pay(account, { test: true })).toMatchObject({ status: 'succeeded' });
  expect([intentsOf(live.secretKey).length, intentsOf(rehearsal.secretKey).length]).toEqual([1, 1]);
  const tables = ['processor_keys', 'processor_settings', 'commands', 'payments'];
  const all = tables.map((table) => `select t::text as row from ${table} as t`).join(' union all ');
  const hex = Buffer.from('sk_').toString('hex');
  const rows = await query<{ row: string }>(harness.databaseUrl, all);
  expect(rows.filter(({ row }) => row.includes('sk_') || row.includes(`x${hex}`))).toEqual([]);
});

test('without keys for them rehearsals are simulated, and without live keys no card is charged', async () => {
  const [account, other] = [newAccount(), newAccount()];
  const live = pair('ada', 'acct_ada');
  await put(account, { processor: 'stripe', live });
  expect(await pay(account, { test: true, paymentMethod: 'sim_ok' })).toMatchObject({ status: 'succeeded' });
  expect(intentsOf(live.secretKey)).toEqual([]);
  const rehearsal = pair('other', 'acct_other', 'test');
  await put(other, { processor: 'stripe', test: rehearsal });
  expect(await pay(other)).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  expect(await pay(other, { test: true })).toMatchObject({ status: 'succeeded' });
});

test.each([
  {
    what: 'a test key as a live one',
    live: { secretKey: 'sk_test_x', publishableKey: 'pk_live_x' },
    field: 'live.secretKey',
  },
  {
    what: 'a pair of two modes',
    live: { secretKey: 'sk_live_x', publishableKey: 'pk_test_x' },
    field: 'live.publishableKey',
  },
  {
    what: 'the keys the wrong way round',
    live: { secretKey: 'pk_live_x', publishableKey: 'sk_live_x' },
    field: 'live.secretKey',
  },
  { what: 'no key at all', live: { secretKey: 'hunter2', publishableKey: 'pk_live_x' }, field: 'live.secretKey' },
  {
    what: 'a key that Stripe does not accept',
    live: { secretKey: 'sk_live_nobodys', publishableKey: 'pk_live_x' },
    field: 'live.secretKey',
  },
])('$what is refused, and named', async ({ live, field }) => {
  const account = newAccount();
  await expect(put(account, { processor: 'stripe', live })).rejects.toMatchObject(faultsOf([{ field }]));
  expect(await get(account)).toMatchObject({ processor: 'simulated', stripe: null });
});

test('stripe is not chosen without keys; keys fit their processor; a Stripe that is away changes nothing', async () => {
  const account = newAccount();
  const live = pair('away', 'acct_away');
  await expect(put(account, { processor: 'stripe' })).rejects.toMatchObject(faultsOf([{ field: 'live' }]));
  await expect(put(account, { processor: 'stripe', secretKey: 'x', live })).rejects.toMatchObject(
    faultsOf([{ field: 'secretKey' }]),
  );
  await expect(put(account, { processor: 'simulated', live })).rejects.toMatchObject(faultsOf([{ field: 'live' }]));
  stripe.disturb(({ path }) => (path === '/v1/account' ? 'error_after' : undefined));
  await expect(put(account, { processor: 'stripe', live })).rejects.toMatchObject({ code: 'service_unavailable' });
  stripe.mend();
  expect(await get(account)).toMatchObject({ processor: 'simulated' });
  expect(await put(account, { processor: 'stripe', live })).toMatchObject({ processor: 'stripe' });
  expect(await put(account, { processor: 'stripe' })).toMatchObject({ secrets: ['live.secretKey'] });
});

test('a restricted key says what it may not do', async () => {
  const secretKey = 'rk_live_narrow';
  stripe.accept(secretKey, 'acct_narrow');
  stripe.restrict(secretKey, ['charge_write', 'event_read']);
  const stored = await put(newAccount(), {
    processor: 'stripe',
    live: { secretKey, publishableKey: 'pk_live_narrow' },
  });
  expect(stored.stripe?.live?.missing_permissions).toEqual(['Charges and Refunds: write', 'Events: read']);
  // What the publishable key was tried with is ended.
  expect(
    stripe
      .booksOf(secretKey)
      .all<SetupIntent>('setup_intent')
      .map(({ status }) => status),
  ).toEqual(['canceled']);
  expect(stripe.booksOf(secretKey).all('customer')).toEqual([]);
});

test('a publishable key of another Stripe account, or a revoked one, is refused and named', async () => {
  const account = newAccount();
  const live = pair('mine', 'acct_mine');
  stripe.accept('pk_live_theirs', 'acct_theirs');
  stripe.accept('pk_live_revoked', 'acct_mine');
  stripe.revoke('pk_live_revoked');
  const field = 'live.publishableKey';
  for (const publishableKey of ['pk_live_theirs', 'pk_live_revoked']) {
    const mixed = put(account, { processor: 'stripe', live: { ...live, publishableKey } });
    await expect(mixed).rejects.toMatchObject(faultsOf([{ field, code: 'refused' }]));
  }
  expect(await get(account)).toMatchObject({ stripe: null });
  expect(await put(account, { processor: 'stripe', live })).toMatchObject({ processor: 'stripe' });
});

test('another key of the same Stripe account takes over; that of another one waits until nothing is open at the first', async () => {
  const account = newAccount();
  await put(account, { processor: 'stripe', live: pair('first', 'acct_first') });
  const orderId = newId('order', harness.clock.nowMs());
  await pay(account, { orderId, savesCard: true });
  await harness.deliver(orderPaid, orderEvent(account, { orderId, paymentMethod: null }));
  const again = pair('rolled', 'acct_first');
  expect(await put(account, { processor: 'stripe', live: again })).toMatchObject({
    stripe: { live: { account: 'acct_first' } },
  });
  stripe.revoke('sk_live_first');
  const run = () => harness.requester.request(startDailyRun, { accountId: account, force: false }, commandOf(account));
  expect(await run()).toMatchObject({ ok: true, rebills: { charged: 1 } });
  const elsewhere = pair('second', 'acct_second');
  const refused = { code: 'invalid_transition', message: expect.stringContaining('1 subscription that renews') };
  await expect(put(account, { processor: 'stripe', live: elsewhere })).rejects.toMatchObject(refused);
  const of = 'select id from subscriptions where account_id = $1';
  const [subscription] = await query<{ id: string }>(harness.databaseUrl, of, [account]);
  await harness.requester.request(cancelSubscription, { subscriptionId: subscription?.id ?? '' }, commandOf(account));
  expect(await put(account, { processor: 'stripe', live: elsewhere })).toMatchObject({
    stripe: { live: { account: 'acct_second' } },
  });
  expect(await pay(account)).toMatchObject({ status: 'succeeded' });
  expect(intentsOf(elsewhere.secretKey)).toHaveLength(1);
  // What was made at the first one is refunded there.
  expect(await harness.requester.request(contract.refundCharges, { orderId }, commandOf(account))).toMatchObject({
    status: 'refunded',
  });
});

test('who has sold through Stripe never sells live through the simulated processor again; none takes no payments', async () => {
  const account = newAccount();
  const orderId = newId('order', harness.clock.nowMs());
  await harness.deliver(orderPaid, orderEvent(account, { orderId, paymentMethod: 'sim_ok' }));
  await put(account, { processor: 'stripe', live: pair('real', 'acct_real') });
  // Nothing was sold yet.
  expect(await put(account, { processor: 'simulated' })).toMatchObject({ processor: 'simulated' });
  await put(account, { processor: 'stripe' });
  expect(await pay(account)).toMatchObject({ status: 'succeeded' });
  const refused = { code: 'invalid_transition', message: expect.stringContaining('simulated') };
  await expect(put(account, { processor: 'simulated' })).rejects.toMatchObject(refused);
  expect(await put(account, { processor: 'none' })).toMatchObject({ processor: 'none' });
  expect(await pay(account)).toMatchObject({ status: 'declined', reason: 'try_again_later' });
});
