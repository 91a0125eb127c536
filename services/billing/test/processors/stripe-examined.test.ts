import { newId } from '@app/contracts/ids';
import { examineStripe, putPaymentProcessor } from '@app/contracts/payment-processors';
import { openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { listen } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { databaseOptions } from '../../src/db/migrate.ts';
import { endpointCompared } from '../../src/points/points.ts';
import type { EndpointDeps } from '../../src/processor-endpoints/compare-endpoint.ts';
import { examineAccounts } from '../../src/processor-endpoints/examine-accounts.ts';
import { createOngoingCalls } from '../../src/processors/ongoing-calls.ts';
import { createProcessorSecrets } from '../../src/processors/processor-secrets.ts';
import { openStripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import { secretsKey } from '../harness.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import type { WebhookEndpoint } from '../stripe/objects.ts';

/** Guarantee: an operator learns of every account that sells through Stripe how it stands there now, and reads no key. */
const publicUrl = 'https://shop.example';
startServiceAtStripe({ PUBLIC_URL: publicUrl, STRIPE_REQUESTS_PER_SECOND: 1_000 });
beforeEach(() => on('delete from processor_settings', []));

let sellers = 0;
/** An account that chose Stripe; resolves when its endpoint was compared with Stripe. @param mode of the key that it stores */
async function sellThroughStripe(mode: 'live' | 'test' = 'live', restricted: readonly string[] = []) {
  sellers += 1;
  const [account, key] = [newId('account', harness.clock.nowMs()), `sk_${mode}_x${sellers}`];
  stripe.accept(key, `acct_x${sellers}`);
  stripe.restrict(key, restricted);
  const { announced } = listen();
  const pair = { secretKey: key, publishableKey: `pk_${mode}_x` };
  await harness.requester.request(
    putPaymentProcessor,
    { body: { processor: 'stripe', [mode]: pair } },
    commandOf(account),
  );
  await announced(endpointCompared, ({ accountId }) => accountId === account);
  return { account, key };
}

const endpointOf = (key: string) => stripe.booksOf(key).all<WebhookEndpoint>('webhook_endpoint')[0] as WebhookEndpoint;
const on = (sql: string, values: readonly unknown[]) => query(harness.databaseUrl, sql, [...values]);
const examined = () => harness.requester.request(examineStripe, {}, { accountId: '', requestId: 'r' });
/** By account: how it stands. */
async function states(): Promise<Record<string, string>> {
  const found = await examined();
  return Object.fromEntries(found.states.flatMap(({ state, examples }) => examples.map((id) => [id, state])));
}

/** Long enough ago to have had its event. */
const charge = (account: string) =>
  on(
    `insert into charges (id, account_id, order_id, step, amount_cents, currency, processor, reference, test, charged_at)
     values ($1, $2, $3, 'main', 900, 'usd', 'stripe', $1, false, $4)`,
    [
      newId('payment', Date.now()),
      account,
      newId('order', Date.now()),
      new Date(harness.clock.nowMs() - 2 * 3_600_000),
    ],
  );

test('where no account sells through Stripe there is nothing to say', async () => {
  expect(await examined()).toEqual({ states: [], last_event_at: null });
});

test('each account is told by how Stripe answers now, and not by what was stored of it', async () => {
  const fine = await sellThroughStripe();
  const refused = await sellThroughStripe();
  const deleted = await sellThroughStripe();
  const disabled = await sellThroughStripe();
  const silent = await sellThroughStripe();
  const unreadable = await sellThroughStripe();
  const rehearsing = await sellThroughStripe('test');
  const notPermitted = await sellThroughStripe('live', ['/v1/webhook_endpoints']);
  expect(new Set(Object.values(await states()))).toEqual(new Set(['fine', 'no_live_key', 'not_permitted']));

  stripe.revoke(refused.key);
  stripe.booksOf(deleted.key).objects.delete(endpointOf(deleted.key).id);
  Object.assign(endpointOf(disabled.key), { status: 'disabled' });
  await on(
    `update processor_keys set secret_key = 'of another secret', stored_at = stored_at - interval '1 day' where account_id = $1`,
    [unreadable.account],
  );
  await on(`update processor_keys set stored_at = stored_at - interval '1 day' where account_id = any($1)`, [
    [silent.account, fine.account],
  ]);
  await charge(silent.account);
  await charge(fine.account);
  await on('update processor_webhooks set last_event_at = $2 where account_id = $1', [
    fine.account,
    harness.clock.now(),
  ]);
  const found = await examined();
  expect(found.last_event_at).toBe(harness.clock.now().toISOString());
  expect(JSON.stringify(found)).not.toMatch(/sk_|whsec_/);
  expect(await states()).toEqual({
    [fine.account]: 'fine',
    [refused.account]: 'key_refused',
    [deleted.account]: 'no_endpoint',
    [disabled.account]: 'endpoint_disabled',
    [silent.account]: 'no_events',
    [unreadable.account]: 'key_unreadable',
    [rehearsing.account]: 'no_live_key',
    [notPermitted.account]: 'not_permitted',
  });
});

test('a copy, a moved clock and a deployment that Stripe does not reach are told as such, and a copy calls nobody', async () => {
  const database = await openDatabase(databaseOptions(harness.databaseUrl));
  const processor = openStripeProcessor(database, { apiUrl: stripe.url, deadlineMs: 5_000 });
  const calls = createOngoingCalls(5_000);
  const held = createOngoingCalls(5_000, () => true);
  onTestFinished(async () => {
    await Promise.all([calls.close(), held.close()]);
    processor.close();
    await database.close();
  });
  const deps: EndpointDeps = {
    ...{
      database,
      clock: harness.clock,
      logger: silentLogger(),
      endpoints: processor.endpoints,
      reachableBase: publicUrl,
    },
    ...{ secrets: createProcessorSecrets([secretsKey]), processorCalls: calls, isClockMoved: () => false },
  };
  const { account } = await sellThroughStripe();
  const stateBy = async (over: Partial<EndpointDeps>): Promise<string | undefined> => {
    const { states: found } = await examineAccounts({ ...deps, ...over });
    return found.find(({ examples }) => examples.includes(account))?.state;
  };
  expect(await stateBy({})).toBe('fine');
  const requested = stripe.requests.length;
  expect(await stateBy({ processorCalls: held })).toBe('not_asked');
  expect(await stateBy({ isClockMoved: () => true })).toBe('not_asked');
  expect(stripe.requests.length).toBe(requested);
  expect(await stateBy({ reachableBase: null })).toBe('no_public_url');
});
