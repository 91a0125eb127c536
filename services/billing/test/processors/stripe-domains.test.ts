import { accountSettingsChanged, newAccountSettings } from '@app/contracts/accounts';
import { newId } from '@app/contracts/ids';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payment-processors';
import { roundEnded } from '@app/service-kit/background-loop';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { announced, listen } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../../src/db/migrate.ts';
import { domainsCompared } from '../../src/points/points.ts';
import { compareDomainsDue, type DomainDeps } from '../../src/processor-domains/compare-domains.ts';
import { expectMoved } from '../../src/processor-domains/domain-rows.ts';
import { createOngoingCalls, type OngoingCalls } from '../../src/processors/ongoing-calls.ts';
import { createProcessorSecrets } from '../../src/processors/processor-secrets.ts';
import { openStripeProcessor, type StripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import { type Harness, secretsKey, startHarness } from '../harness.ts';
import type { MethodDomain } from '../stripe/objects.ts';
import { StripeStandIn } from '../stripe/stripe-stand-in.ts';

guardLeaks();

/** Guarantee: wallets are shown wherever a seller's cards are taken, as far as the seller's key may have that. */
const publicUrl = 'https://shop.example';
let harness: Harness;
let stripe: StripeStandIn;
let database: Database;
let processor: StripeProcessor;
let processorCalls: OngoingCalls;
beforeAll(async () => {
  stripe = await StripeStandIn.start({ nowMs: () => harness.clock.nowMs() });
  const settings = { STRIPE_API_URL: stripe.url, PROCESSOR_DEADLINE_MS: 5_000, STRIPE_REQUESTS_PER_SECOND: 1_000 };
  harness = await startHarness({ STRIPE_PROCESSOR: 'enabled', PUBLIC_URL: publicUrl, ...settings });
  database = await openDatabase(databaseOptions(harness.databaseUrl));
  processor = openStripeProcessor(database, { apiUrl: stripe.url, deadlineMs: 5_000 });
  processorCalls = createOngoingCalls(5_000);
  await announced(roundEnded, isOfDomains);
});
afterAll(async () => {
  await processorCalls.close();
  processor.close();
  await Promise.all([database.close(), harness.close()]);
  await stripe.close();
});

/** Another replica, without a loop. */
const replica = (over: Partial<DomainDeps> = {}): DomainDeps => ({
  ...{ database, clock: harness.clock, logger: silentLogger(), processorCalls, reachableBase: publicUrl },
  ...{ secrets: createProcessorSecrets([secretsKey]), domains: processor.domains, isClockMoved: () => false },
  ...over,
});
const ahead = (ms: number) => fakeClock(new Date(harness.clock.nowMs() + ms).toISOString());
const dayMs = 86_400_000;
/** Until nothing is due. */
const compareAll = async (deps: DomainDeps): Promise<void> => {
  while ((await compareDomainsDue(deps)) > 0);
};
const context = (accountId: string) => ({
  accountId,
  requestId: 'r',
  commandId: newId('event', harness.clock.nowMs()).slice(-26),
});

let sellers = 0;
const newSeller = (mode: 'live' | 'test' = 'live') => {
  sellers += 1;
  const key = `sk_${mode}_d${sellers}`;
  stripe.accept(key, `acct_d${sellers}`);
  return { account: newId('account', harness.clock.nowMs()), key };
};
const isOfDomains = ({ loop }: { readonly loop: string }) => loop === 'billing.processor-domains';
/**
 * Stores the key; resolves when its domains were compared with Stripe, and when the loop has looked once more and found
 * nothing: what is due after that is left to this file's replicas.
 */
async function store(account: string, secretKey: string): Promise<void> {
  const mode = secretKey.includes('_test_') ? 'test' : 'live';
  const from = listen();
  const body = { processor: 'stripe', [mode]: { secretKey, publishableKey: `pk_${mode}_d` } } as const;
  await harness.requester.request(putPaymentProcessor, { body }, context(account));
  await from.announced(domainsCompared, (one) => one.accountId === account && one.test === (mode === 'test'));
  await from.announced(roundEnded, isOfDomains, 2);
}
let revision = 0;
/** The seller's own page moves there. */
async function ownPage(accountId: string, checkoutUrl: string | null): Promise<void> {
  revision += 1;
  const shop = { handle: 'ada', businessName: 'Ada', supportEmail: 'ada@example.com' };
  const settings = { ...newAccountSettings, ...shop, checkoutUrl };
  const data = { ...settings, revision, changedAt: harness.clock.now().toISOString() };
  await harness.deliver(accountSettingsChanged, { id: newId('event', Date.now()), accountId, data });
}
const shown = async (account: string, mode: 'live' | 'test' = 'live') =>
  (await harness.requester.request(getPaymentProcessor, {}, context(account))).stripe?.[mode]?.wallets;
const domainsAt = (key: string) => stripe.booksOf(key).all<MethodDomain>('payment_method_domain');
const namesAt = (key: string) => domainsAt(key).map(({ domain_name }) => domain_name);
const sentTo = (key: string) =>
  stripe.requests.filter(({ secretKey, path }) => secretKey === key && path.includes('domain'));
const on = (domain: string) => ({ domain, apple_pay: 'active', google_pay: 'active', detail: null });

test.each(['live', 'test'] as const)(
  '%s: for a stored key the domain of the deployment is registered, and that of the seller’s own page as it moves',
  async (mode) => {
    const { account, key } = newSeller(mode);
    await store(account, key);
    expect(namesAt(key)).toEqual(['shop.example']);
    expect(await shown(account, mode)).toEqual({ status: 'registered', domains: [on('shop.example')] });
    await ownPage(account, 'https://ada.example/buy');
    await compareAll(replica());
    expect(namesAt(key)).toEqual(['shop.example', 'ada.example']);
    expect((await shown(account, mode))?.domains).toEqual([on('shop.example'), on('ada.example')]);
    const requested = sentTo(key).length;
    await ownPage(account, 'https://ada.example/buy');
    await compareAll(replica());
    expect(sentTo(key)).toHaveLength(requested);
  },
);

test('a key that may not register is called no more; once it may and is stored again, the domain is registered', async () => {
  const { account, key } = newSeller();
  stripe.restrict(key, ['/v1/payment_method_domains']);
  await store(account, key);
  expect(await shown(account)).toEqual({ status: 'not_permitted', domains: [] });
  const refused = stripe.refused.length;
  await ownPage(account, 'https://ada.example/buy');
  await expectMoved(database, 'https://moved.example', harness.clock.now());
  await compareAll(replica({ clock: ahead(30 * dayMs) }));
  expect(stripe.refused).toHaveLength(refused);
  stripe.restrict(key, []);
  await store(account, key);
  expect(await shown(account)).toMatchObject({ status: 'registered' });
});

test('what Apple does not take is shown in Stripe’s words, and validated again each day', async () => {
  const { account, key } = newSeller();
  const detail = 'The domain could not be verified.';
  stripe.booksOf(key).refusedByApple.set('shop.example', detail);
  await store(account, key);
  const without = { ...on('shop.example'), apple_pay: 'inactive', detail };
  expect((await shown(account))?.domains).toEqual([without]);
  stripe.booksOf(key).refusedByApple.clear();
  await compareAll(replica({ clock: ahead(dayMs + 1_000) }));
  expect((await shown(account))?.domains).toEqual([on('shop.example')]);
  expect(namesAt(key)).toEqual(['shop.example']);
});

test('a domain that Stripe refuses keeps the others not back', async () => {
  const { account, key } = newSeller();
  await store(account, key);
  await ownPage(account, 'https://ada.example/buy');
  const isOwn = (name: unknown) => name === 'ada.example';
  const domains: DomainDeps['domains'] = {
    ...processor.domains,
    // A name that the stand-in takes for none, as Stripe may.
    create: (call, id, name) => processor.domains.create(call, id, isOwn(name) ? 'ada' : name),
  };
  await compareAll(replica({ domains }));
  const refused = { domain: 'ada.example', apple_pay: 'inactive', google_pay: 'inactive' };
  expect(await shown(account)).toEqual({
    status: 'registered',
    domains: [on('shop.example'), { ...refused, detail: 'ada is not a domain name.' }],
  });
});

test('what the seller has switched off at Stripe stays off', async () => {
  const { account, key } = newSeller();
  await store(account, key);
  const [domain] = domainsAt(key);
  if (domain !== undefined) domain.enabled = false;
  await compareAll(replica({ clock: ahead(dayMs + 1_000) }));
  expect(domain?.enabled).toBe(false);
  expect((await shown(account))?.domains).toMatchObject([
    { apple_pay: 'inactive', detail: 'It is switched off in the Dashboard of Stripe.' },
  ]);
});

test('a creation whose answer is lost is found by its name, and no second domain is made', async () => {
  const { account, key } = newSeller();
  stripe.fail(({ method, path }) => method === 'POST' && path === '/v1/payment_method_domains', 'error_after');
  await store(account, key);
  expect(await shown(account)).toMatchObject({ status: 'pending' });
  await compareAll(replica({ clock: ahead(121_000) }));
  expect(await shown(account)).toMatchObject({ status: 'registered' });
  expect(namesAt(key)).toEqual(['shop.example']);
});

test('a process that dies when it has claimed or made a domain leaves it to another one', async () => {
  const { account, key } = newSeller();
  await store(account, key);
  const claimed = `update processor_domains set status = 'pending', domains = '[]', attempts = 1, claimed_until = $2,
    next_attempt_at = $2 where account_id = $1`;
  await query(harness.databaseUrl, claimed, [account, ahead(120_000).now()]);
  await compareAll(replica({ clock: ahead(119_000) }));
  expect(await shown(account)).toMatchObject({ status: 'pending' });
  await compareAll(replica({ clock: ahead(121_000) }));
  expect(await shown(account)).toMatchObject({ status: 'registered' });
  expect(namesAt(key)).toEqual(['shop.example']);
});

test('another address of the deployment is registered beside the first; a deployment that Stripe does not reach registers none', async () => {
  const { account, key } = newSeller();
  await store(account, key);
  const requested = sentTo(key).length;
  await expectMoved(database, publicUrl, harness.clock.now());
  await compareAll(replica());
  expect(sentTo(key)).toHaveLength(requested);
  await expectMoved(database, 'https://moved.example', harness.clock.now());
  await compareAll(replica({ reachableBase: 'https://moved.example' }));
  expect(namesAt(key)).toEqual(['shop.example', 'moved.example']);
  const copied = sentTo(key).length;
  await compareAll(replica({ clock: ahead(dayMs + 1_000), reachableBase: null }));
  expect(sentTo(key)).toHaveLength(copied);
  expect(await shown(account)).toEqual({ status: 'no_public_url', domains: [] });
});
