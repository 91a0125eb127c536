import { readdirSync } from 'node:fs';
import { newId } from '@app/contracts/ids';
import { getPaymentProcessor, putPaymentProcessor } from '@app/contracts/payment-processors';
import { receiveProcessorEvent } from '@app/contracts/processor-events';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { listen } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../../src/db/migrate.ts';
import { endpointCompared } from '../../src/points/points.ts';
import {
  addressPrefix,
  compareDue,
  type EndpointDeps,
  endpointShape,
} from '../../src/processor-endpoints/compare-endpoint.ts';
import { expectChanged } from '../../src/processor-endpoints/endpoint-rows.ts';
import type { EventHandling } from '../../src/processor-events/event-deps.ts';
import { createOngoingCalls, type OngoingCalls } from '../../src/processors/ongoing-calls.ts';
import { createProcessorSecrets } from '../../src/processors/processor-secrets.ts';
import { openStripeProcessor, type StripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import { type Harness, secretsKey, startHarness } from '../harness.ts';
import { secretOf } from '../stripe/endpoints.ts';
import { type StripeEvent, event as stripeEvent, type WebhookEndpoint, webhookEndpoint } from '../stripe/objects.ts';
import { signedEvent } from '../stripe/sent-events.ts';
import { StripeStandIn } from '../stripe/stripe-stand-in.ts';

guardLeaks();

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
});
afterAll(async () => {
  await processorCalls.close();
  processor.close();
  await Promise.all([database.close(), harness.close()]);
  await stripe.close();
});

/** Another replica, without a loop. */
const replica = (over: Partial<EndpointDeps> = {}): EndpointDeps => ({
  ...{ database, clock: harness.clock, logger: silentLogger(), processorCalls, reachableBase: publicUrl },
  ...{ secrets: createProcessorSecrets([secretsKey]), endpoints: processor.endpoints, isClockMoved: () => false },
  ...over,
});
const context = (accountId: string) => ({
  accountId,
  requestId: 'r',
  commandId: newId('event', harness.clock.nowMs()).slice(-26),
});
type Mode = 'live' | 'test';
const compared = (account: string, mode: Mode = 'live', times = 1) => {
  const from = listen();
  const isTest = mode === 'test';
  return () => from.announced(endpointCompared, (one) => one.accountId === account && one.test === isTest, times);
};
/** Until nothing is due. */
const compareAll = async (deps: EndpointDeps): Promise<void> => {
  while ((await compareDue(deps)) > 0);
};

let sellers = 0;
const newKey = (mode: Mode = 'live', at?: string) => {
  sellers += 1;
  const key = `sk_${mode}_e${sellers}`;
  stripe.accept(key, at ?? `acct_e${sellers}`);
  return key;
};
const newAccount = () => newId('account', harness.clock.nowMs());

/** Stores the key; resolves when the endpoint was compared with Stripe. */
async function store(account: string, secretKey: string, webhookSecret?: string | null): Promise<void> {
  const mode = secretKey.includes('_test_') ? 'test' : 'live';
  const pair = { secretKey, publishableKey: `pk_${mode}_e`, ...(webhookSecret !== undefined && { webhookSecret }) };
  const done = compared(account, mode);
  await harness.requester.request(
    putPaymentProcessor,
    { body: { processor: 'stripe', [mode]: pair } },
    context(account),
  );
  if (typeof webhookSecret !== 'string') await done();
}
async function newSeller(mode: Mode = 'live') {
  const [account, key] = [newAccount(), newKey(mode)];
  await store(account, key);
  return { account, key };
}
const shown = async (account: string, mode: Mode = 'live') =>
  (await harness.requester.request(getPaymentProcessor, {}, context(account))).stripe?.[mode];
const endpointsAt = (key: string) => stripe.booksOf(key).all<WebhookEndpoint>('webhook_endpoint');
/** The seller makes an endpoint in Stripe's Dashboard. */
const makeByHand = (account: string, key: string): void =>
  void stripe
    .booksOf(key)
    .keep(webhookEndpoint({ id: 'we_by_hand', created: 1, url: addressOf(account), enabled_events: [] }));
const ids = (key: string) => endpointsAt(key).map(({ id }) => id);
const addressOf = (account: string, base = publicUrl) => `${base}/api/processors/stripe/${account}`;
const sentTo = (key: string, method: string) =>
  stripe.requests.filter((one) => one.secretKey === key && one.method === method && one.path.includes('webhook'));
/** An event that is signed so; whether it is taken. */
async function isTaken(account: string, secret: string, mode: Mode = 'live'): Promise<boolean> {
  const about = { data: { object: { id: 'pi_1', object: 'payment_intent' } }, created: 1 };
  const given = { id: `evt_${crypto.randomUUID().replaceAll('-', '')}`, type: 'payment_intent.succeeded', ...about };
  const event: StripeEvent = Object.assign(stripeEvent(given), { livemode: mode === 'live' });
  const { body, signature } = signedEvent(event, { secrets: [secret] });
  const input = { processor: 'stripe', body: body.toString('base64'), signature } as const;
  return (await harness.requester.request(receiveProcessorEvent, input, context(account))).accepted;
}
const sql = (text: string, account: string) => query(harness.databaseUrl, text, [account]);
/** A replica's clock that is ahead, a day unless given: what is due then is not due for the service's own loop. */
const ahead = (ms = 86_400_000) => fakeClock(new Date(harness.clock.nowMs() + ms).toISOString());
/** Lets the row be due, and a replica compare it. */
async function compareAgain(account: string, over: Partial<EndpointDeps> = {}): Promise<void> {
  const due = `update processor_webhooks set next_attempt_at = $2 where account_id = $1 and not test`;
  const clock = ahead();
  await query(harness.databaseUrl, due, [account, clock.now()]);
  const done = compared(account);
  await compareAll(replica({ clock, ...over }));
  await done();
}

test('for a stored key the platform makes an endpoint; events that are signed with its secret are taken, and it is stored sealed', async () => {
  const { account, key } = await newSeller();
  const [made, ...others] = endpointsAt(key);
  expect(others).toEqual([]);
  expect(made).toMatchObject({
    ...{ url: addressOf(account), api_version: '2026-10-28.endive', status: 'enabled' },
    metadata: { funnelry_account: account },
  });
  expect(await shown(account)).toMatchObject({ webhooks: 'active', left_endpoints: [] });
  expect(await isTaken(account, secretOf(made?.id ?? ''))).toBe(true);
  const text = `select w::text as row from processor_webhooks as w union all select c::text from commands as c`;
  const rows = await query<{ row: string }>(harness.databaseUrl, text);
  expect(
    rows.filter(({ row }) => row.includes('whsec_') || row.includes(Buffer.from('whsec_').toString('hex'))),
  ).toEqual([]);
});

test('every type of events that an endpoint gets has a handler, and every handler is subscribed', async () => {
  const { key } = await newSeller();
  const folder = new URL('../../src/processor-events/', import.meta.url);
  const files = readdirSync(folder).filter((name) => /^handle-[a-z-]+\.ts$/.test(name));
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
  const handlers = modules.flatMap((one) => Object.values(one as Record<string, EventHandling>));
  expect(handlers.length).toBeGreaterThanOrEqual(4);
  expect(endpointsAt(key)[0]?.enabled_events).toEqual(handlers.flatMap(({ types }) => types).sort());
});

test('live and test keys have endpoints of their own', async () => {
  const { account, key } = await newSeller();
  const test = newKey('test');
  await store(account, test);
  const [live, rehearsal] = [endpointsAt(key)[0]?.id ?? '', endpointsAt(test)[0]?.id ?? ''];
  expect(endpointsAt(key)).toHaveLength(1);
  expect(await shown(account, 'test')).toMatchObject({ webhooks: 'active' });
  expect([await isTaken(account, secretOf(live)), await isTaken(account, secretOf(rehearsal), 'test')]).toEqual([
    true,
    true,
  ]);
  expect(await isTaken(account, secretOf(rehearsal))).toBe(false);
});

const asClaimed = `update processor_webhooks set status = 'pending', secret = null, endpoint_id = null, url = null, shape = null,
  attempts = 1, claimed_until = '2020-01-01' where account_id = $1`;
test.each<[string, (account: string, key: string) => Promise<unknown>, 'the same' | 'another']>([
  [
    'claimed it',
    (account, key) => {
      for (const { id } of endpointsAt(key)) stripe.booksOf(key).objects.delete(id);
      return sql(asClaimed, account);
    },
    'another',
  ],
  ['made it, and stored nothing', (account) => sql(asClaimed, account), 'another'],
  [
    'deleted it, to make another one',
    async (_, key) => {
      for (const { id } of endpointsAt(key)) stripe.booksOf(key).objects.delete(id);
    },
    'another',
  ],
  [
    'changed its address, and stored nothing',
    (account) => sql(`update processor_webhooks set url = 'https://old.example/' where account_id = $1`, account),
    'the same',
  ],
])('a process that dies when it has %s leaves one endpoint, whose events are taken', async (_, die, expected) => {
  const { account, key } = await newSeller();
  const before = endpointsAt(key)[0]?.id;
  await die(account, key);
  await compareAgain(account);
  const [after, ...others] = endpointsAt(key);
  expect(others).toEqual([]);
  expect(after?.id === before ? 'the same' : 'another').toBe(expected);
  expect(after?.url).toBe(addressOf(account));
  expect(await isTaken(account, secretOf(after?.id ?? ''))).toBe(true);
  expect(await shown(account)).toMatchObject({ webhooks: 'active' });
});

test('that an endpoint was deleted at Stripe, or a restored database has an earlier secret, is detected within a day', async () => {
  const { account, key } = await newSeller();
  const earlier = endpointsAt(key)[0];
  const backup = await sql(
    'select endpoint_id, secret, next_attempt_at from processor_webhooks where account_id = $1',
    account,
  );
  const notice = async (days: number): Promise<string> => {
    await compareAll(replica({ clock: ahead(days * 86_400_000 + 1_000) }));
    const [made, ...others] = ids(key);
    expect([others, await isTaken(account, secretOf(made ?? ''))]).toEqual([[], true]);
    return made ?? '';
  };
  stripe.booksOf(key).objects.delete(earlier?.id ?? '');
  const made = await notice(1);
  expect(made).not.toBe(earlier?.id);
  const restore = `update processor_webhooks set endpoint_id = $2, secret = $3, earlier_secret = null, next_attempt_at = $4
    where account_id = $1`;
  await query(harness.databaseUrl, restore, [account, ...Object.values(backup[0] ?? {})]);
  expect(await isTaken(account, secretOf(made))).toBe(false);
  expect(await notice(1)).not.toBe(made);
});

test('a creation whose answer is lost is made anew; one that comes late too is found an hour later, and goes', async () => {
  const [account, key] = [newAccount(), newKey()];
  stripe.fail(({ method, path }) => method === 'POST' && path === '/v1/webhook_endpoints', 'error_after');
  await store(account, key);
  expect(await shown(account)).toMatchObject({ webhooks: 'pending' });
  const lost = endpointsAt(key)[0]?.id;
  await compareAll(replica({ clock: ahead(119_000) }));
  expect(sentTo(key, 'POST')).toHaveLength(1);
  await compareAll(replica({ clock: ahead(121_000) }));
  expect(endpointsAt(key).map(({ id }) => id === lost)).toEqual([false]);
  expect(await shown(account)).toMatchObject({ webhooks: 'active' });
  const metadata = { funnelry_account: account };
  const late = webhookEndpoint({ id: 'we_late', created: 1, url: addressOf(account), enabled_events: [], metadata });
  stripe.booksOf(key).keep(late);
  await compareAll(replica({ clock: ahead(2 * 3_600_000) }));
  const [kept, ...others] = endpointsAt(key);
  expect([others, await isTaken(account, secretOf(kept?.id ?? ''))]).toEqual([[], true]);
  const requested = sentTo(key, 'GET').length;
  await compareAll(replica({ clock: ahead(25 * 3_600_000) }));
  expect(sentTo(key, 'GET')).toHaveLength(requested);
});

test('a key that may not make one is called no more, and the seller reads which permission it lacks; once it may, it is made', async () => {
  const [account, key] = [newAccount(), newKey()];
  stripe.restrict(key, ['/v1/webhook_endpoints']);
  await store(account, key);
  expect(await shown(account)).toMatchObject({ webhooks: 'not_permitted' });
  const requested = stripe.refused.length;
  const clock = ahead(30 * 86_400_000);
  await expectChanged(database, addressPrefix('https://other.example'), 'other', clock.now());
  await compareAll(replica({ clock }));
  expect(stripe.refused.length).toBe(requested);
  stripe.restrict(key, []);
  await store(account, key);
  expect(await shown(account)).toMatchObject({ webhooks: 'active' });
});

test('what Stripe refuses is refused once', async () => {
  const { account, key } = await newSeller();
  const [made] = endpointsAt(key);
  await sql(asClaimed, account);
  await compareAgain(account, { reachableBase: 'http://shop.example' });
  expect(await shown(account)).toMatchObject({ webhooks: 'refused' });
  const requested = sentTo(key, 'GET').length;
  await compareAll(replica({ clock: ahead(30 * 86_400_000) }));
  expect(sentTo(key, 'GET')).toHaveLength(requested);
  expect(endpointsAt(key)).toEqual([made]);
});

test('another address of the deployment, or other events, change the endpoint and keep its secret', async () => {
  const { account, key } = await newSeller();
  const [made] = endpointsAt(key);
  /** A replica starts there. */
  const startAt = async (reachableBase: string): Promise<void> => {
    const clock = ahead(3_600_000);
    await expectChanged(database, addressPrefix(reachableBase), endpointShape, clock.now());
    await compareAll(replica({ clock, reachableBase }));
  };
  const requested = sentTo(key, 'GET').length;
  await startAt(publicUrl);
  expect(sentTo(key, 'GET')).toHaveLength(requested);
  await startAt('https://moved.example');
  expect(endpointsAt(key)).toEqual([
    expect.objectContaining({ id: made?.id, url: addressOf(account, 'https://moved.example') }),
  ]);
  // As an earlier version of the platform made it.
  const events = made?.enabled_events;
  Object.assign(endpointsAt(key)[0] ?? {}, { enabled_events: ['refund.created'], status: 'disabled' });
  await sql(`update processor_webhooks set shape = 'earlier' where account_id = $1`, account);
  await startAt(publicUrl);
  expect(endpointsAt(key)).toEqual([
    expect.objectContaining({ id: made?.id, url: addressOf(account), enabled_events: events, status: 'enabled' }),
  ]);
  expect(await isTaken(account, secretOf(made?.id ?? ''))).toBe(true);
});

test('one that is deleted at Stripe while it is changed is made anew', async () => {
  const { account, key } = await newSeller();
  const [made] = ids(key);
  const list: EndpointDeps['endpoints']['list'] = async (call) => {
    const listed = await processor.endpoints.list(call);
    stripe.booksOf(key).objects.delete(made ?? '');
    return listed.map((one) => ({ ...one, isEnabled: false }));
  };
  await compareAgain(account, { endpoints: { ...processor.endpoints, list } });
  await compareAll(replica({ clock: ahead(86_400_000 + 180_000) }));
  expect(ids(key)).toEqual([expect.not.stringMatching(made ?? '')]);
  expect(await isTaken(account, secretOf(ids(key)[0] ?? ''))).toBe(true);
});

test('a copy of the database whose deployment Stripe does not reach leaves the endpoint as it is', async () => {
  const { account, key } = await newSeller();
  const made = structuredClone(endpointsAt(key));
  const requested = sentTo(key, 'GET').length;
  await compareAgain(account, { reachableBase: null });
  expect([endpointsAt(key), sentTo(key, 'GET').length]).toEqual([made, requested]);
});

test('the secret of an endpoint that the seller made wins: ours goes, and none is made again', async () => {
  const { account, key } = await newSeller();
  const ours = endpointsAt(key)[0]?.id ?? '';
  makeByHand(account, key);
  const gone = compared(account);
  await store(account, key, 'whsec_of_the_seller');
  await gone();
  expect(ids(key)).toEqual(['we_by_hand']);
  expect(await shown(account)).toMatchObject({ webhooks: 'by_hand', left_endpoints: [] });
  expect([await isTaken(account, 'whsec_of_the_seller'), await isTaken(account, secretOf(ours))]).toEqual([true, true]);
  const other = newAccount();
  const otherKey = newKey();
  await store(other, otherKey, 'whsec_of_another');
  const pair = { secretKey: otherKey, publishableKey: 'pk_live_e' };
  await harness.requester.request(putPaymentProcessor, { body: { processor: 'stripe', live: pair } }, context(other));
  await compareAll(replica({ clock: ahead() }));
  expect([...sentTo(otherKey, 'GET'), ...sentTo(otherKey, 'POST')]).toEqual([]);
  expect(await isTaken(other, 'whsec_of_another')).toBe(true);
});

test('without the secret that the seller stored, the platform makes the endpoint again; the secret counts for a day more', async () => {
  const [account, key] = [newAccount(), newKey()];
  await store(account, key, 'whsec_of_the_seller');
  await store(account, key, null);
  expect(await shown(account)).toMatchObject({ webhooks: 'active', left_endpoints: [] });
  const [ours] = ids(key);
  expect(await isTaken(account, secretOf(ours ?? ''))).toBe(true);
  expect(await isTaken(account, 'whsec_of_the_seller')).toBe(true);
  await store(account, key, null);
  expect(ids(key)).toEqual([ours]);
  expect(await isTaken(account, secretOf(ours ?? ''))).toBe(true);
});

test('a secret that the seller rolled at Stripe, of our endpoint, replaces it', async () => {
  const { account, key } = await newSeller();
  const [ours] = ids(key);
  const done = compared(account);
  await store(account, key, 'whsec_rolled');
  await done();
  expect(ids(key)).toEqual([ours]);
  expect(await isTaken(account, 'whsec_rolled')).toBe(true);
  expect(await shown(account)).toMatchObject({ webhooks: 'by_hand', left_endpoints: [] });
});

test('a secret that the seller stores while ours is made wins too', async () => {
  const { account, key } = await newSeller();
  await sql(asClaimed, account);
  const endpoints: EndpointDeps['endpoints'] = {
    ...processor.endpoints,
    create: async (...made) => {
      const answer = await processor.endpoints.create(...made);
      makeByHand(account, key);
      await store(account, key, 'whsec_meanwhile');
      return answer;
    },
  };
  await compareAgain(account, { endpoints });
  expect(ids(key)).toEqual(['we_by_hand']);
  expect(await shown(account)).toMatchObject({ webhooks: 'by_hand' });
  expect(await isTaken(account, 'whsec_meanwhile')).toBe(true);
});

test('with keys of another Stripe account the endpoint at the one before is deleted, or named where its key may not', async () => {
  for (const isRevoked of [false, true]) {
    const { account, key } = await newSeller();
    const [before] = endpointsAt(key);
    if (isRevoked) stripe.restrict(key, ['/v1/webhook_endpoints/{webhook_endpoint}']);
    const second = newKey();
    const both = compared(account, 'live', 2);
    await store(account, second);
    await both();
    expect(endpointsAt(key)).toEqual(isRevoked ? [before] : []);
    expect(endpointsAt(second)).toHaveLength(1);
    const left = isRevoked ? [expect.stringMatching(new RegExp(`^${before?.id} \\(acct_e\\d+\\)$`))] : [];
    expect(await shown(account)).toMatchObject({ webhooks: 'active', left_endpoints: left });
  }
});

test('two replicas that compare at once make one endpoint', async () => {
  const { account, key } = await newSeller();
  for (const { id } of endpointsAt(key)) stripe.booksOf(key).objects.delete(id);
  await sql(asClaimed, account);
  const clock = ahead();
  const due = 'update processor_webhooks set next_attempt_at = $2 where account_id = $1';
  await query(harness.databaseUrl, due, [account, clock.now()]);
  const before = sentTo(key, 'POST').length;
  const another = await openDatabase(databaseOptions(harness.databaseUrl));
  const replicas = [replica({ clock }), replica({ clock, database: another }), replica({ clock })];
  await Promise.all(replicas.map((one) => compareAll(one)));
  await another.close();
  expect(sentTo(key, 'POST').length - before).toBe(1);
  expect(endpointsAt(key)).toHaveLength(1);
});
