import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { randomRuns, timeoutMs } from '@app/testing/long';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DescribedOperation, describedOperations } from './support/described-operations.ts';
import { furnish, openCheckoutAt } from './support/furnished-shop.ts';
import { portalSession } from './support/portal-session.ts';
import { bodiesOf, textsOf } from './support/schema-values.ts';
import { call, type Seller, sessionOf, signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';

/**
 * Guarantee: whatever is sent to an operation of the published document, right, wrong or hostile, the answer is one that the
 * document has: never a 5xx, no status, media type, field or code that it does not name. Requests are made from the document
 * alone, with the ids of a furnished shop and with ids that are none.
 */
let receiver: Receiver;
let baseUrl: string;
let headersOf: Record<string, Record<string, string>>;
let ids: Record<string, string>;

beforeAll(async () => {
  receiver = await startReceiver();
  const platform = await sharedPlatform();
  ({ baseUrl } = platform);
  const seller = await signUp(baseUrl, 'Fuzzed Shop');
  ids = await furnish({ baseUrl, receiverUrl: receiver.url }, seller);
  const checkout = await openCheckoutAt(baseUrl, seller, 'a-buyer@example.com');
  const portal = await portalSession(platform, seller.accountId, { email: 'victim-buyer@example.com' });
  ids = { ...ids, checkoutId: checkout.id, offerId: ids.bumpId as string, keyId: await otherKey(seller) };
  headersOf = {
    apiKey: { authorization: `Bearer ${seller.apiKey}` },
    session: { cookie: await sessionOf(baseUrl, seller) },
    checkoutSecret: { 'x-checkout-secret': checkout.secret },
    portalSession: { 'x-portal-session': portal },
    platformKey: {},
  };
});

afterAll(() => receiver?.close());

const otherKey = async (seller: Seller): Promise<string> =>
  (await seller.call('GET', '/api/v1/api-keys')).json.data.find(({ name }: { name: string }) => name !== 'test').id;

/** They end what the other requests are sent with. */
const endsItself = ['logOut', 'closePortal', 'endOtherSessions'];
const fuzzed = describedOperations.filter(({ id }) => !endsItself.includes(id));

interface Request {
  readonly operation: DescribedOperation;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

function requestsOf(operation: DescribedOperation): fc.Arbitrary<Request> {
  const texts = (parameters: DescribedOperation['pathParams']) =>
    Object.fromEntries(parameters.map(({ name, schema }) => [name, textsOf(schema)]));
  return fc.record({
    operation: fc.constant(operation),
    // Mostly the shop's own: what an unknown id hides would never be reached.
    params: fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.record(texts(operation.pathParams)) },
    ),
    query: fc.record(texts(operation.queryParams), { requiredKeys: [] }),
    body: operation.body === undefined ? fc.constant(undefined) : bodiesOf(operation.body),
  });
}

/** Of each operation alike, whatever number of fields it has. */
const requests = fc.oneof(...fuzzed.map(requestsOf));

/** Each request gets what the document allows of a request with these credentials. */
async function expectDescribed({ operation, params, query, body }: Request): Promise<void> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((params[name] ?? ids[name] ?? 'unknown').toWellFormed()),
  );
  const pairs = new URLSearchParams();
  for (const [name, value = ''] of Object.entries(query)) pairs.append(name, value.toWellFormed());
  const search = pairs.size === 0 ? '' : `?${pairs}`;
  reached.add(operation.id);
  const [credential = ''] = operation.credentials;
  const answer = await call(baseUrl, operation.method, path + search, {
    headers: headersOf[credential] ?? {},
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const label = `${operation.method} ${path}${search} ${answer.text.slice(0, 500)}`;
  expect([label, operation.faultOf(answer.status, mediaType, answer.json)]).toEqual([label, null]);
}

/** The operations that were called. */
const reached = new Set<string>();

test('every answer to generated requests is one that the document has', { timeout: timeoutMs(300_000) }, async () => {
  await fc.assert(fc.asyncProperty(requests, expectDescribed), { ...randomRuns(1_000, 20_000), endOnFailure: true });
  expect(reached.size).toBeGreaterThan(fuzzed.length * 0.9);
});
