import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { platformKey } from './support/cluster.ts';
import { type DescribedOperation, describedOperations, resolved, type Schema } from './support/described-operations.ts';
import { daysRead, furnish, openCheckoutAt, readAll, untilAtRest } from './support/furnished-shop.ts';
import { portalSession } from './support/portal-session.ts';
import { valuesOf } from './support/schema-values.ts';
import { type Answer, call, type Seller, sessionOf, signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';

/**
 * Guarantee: an operation takes the credentials that the published document says, and no other: each operation is called with each
 * kind of credential, with the ids of a shop that the credential is not of or has no scope for. What is refused is refused alike
 * for all operations, and changes nothing. What another account's whole key reaches: account-isolation.test.ts.
 */
let receiver: Receiver;
let baseUrl: string;
let victim: Seller;
let ids: Record<string, string>;
let credentials: Record<string, Credential>;

interface Credential {
  readonly headers: Record<string, string>;
  /** What the document calls it; undefined for what is no credential at all. */
  readonly kind?: string;
  readonly scopes?: readonly string[];
}

const scopes = ['read', 'write', 'money'];

beforeAll(async () => {
  receiver = await startReceiver();
  const platform = await sharedPlatform();
  ({ baseUrl } = platform);
  victim = await signUp(baseUrl, 'Shop of the matrix');
  ids = await furnish({ baseUrl, receiverUrl: receiver.url }, victim);
  ids = { ...ids, offerId: ids.bumpId as string };
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const newKey = async (body: object): Promise<{ id: string; key: string }> =>
    (await call(baseUrl, 'POST', '/api/v1/api-keys', { headers: { cookie }, body: { name: 'matrix', ...body } })).json;
  const cookie = await sessionOf(baseUrl, victim);
  const revoked = await newKey({});
  await victim.call('DELETE', `/api/v1/api-keys/${revoked.id}`);
  const scoped = await Promise.all(
    scopes.map(async (scope) => {
      const { key } = await newKey({ scopes: [scope] });
      return [`a key for ${scope} alone`, { headers: bearer(key), kind: 'apiKey', scopes: [scope] }] as const;
    }),
  );
  const lastCharacter = victim.apiKey.at(-1) === 'a' ? 'b' : 'a';
  const buyer = { email: 'nobody@example.com' };
  credentials = {
    nothing: { headers: {} },
    'an empty key': { headers: { authorization: 'Bearer ' } },
    'a key in another scheme': { headers: { authorization: `Basic ${btoa(`${victim.apiKey}:`)}` } },
    'a key with a wrong checksum': { headers: bearer(`${victim.apiKey.slice(0, -1)}${lastCharacter}`) },
    'a revoked key': { headers: bearer(revoked.key) },
    'a session that never was': { headers: { cookie: `${cookie.split('=')[0]}=${'a'.repeat(43)}` } },
    'a secret of a checkout as a key': {
      headers: bearer((await openCheckoutAt(baseUrl, victim, 'm@example.com')).secret),
    },
    'the platform key': { headers: bearer(platformKey), kind: 'platformKey' },
    'a session of a buyer without purchases': {
      headers: { 'x-portal-session': await portalSession(platform, victim.accountId, buyer) },
      kind: 'portalSession',
    },
    'the secret of another checkout': {
      headers: { 'x-checkout-secret': (await openCheckoutAt(baseUrl, victim, 'n@example.com')).secret },
      kind: 'checkoutSecret',
    },
    ...Object.fromEntries(scoped),
  };
  await untilAtRest(victim, ids);
});

afterAll(() => receiver?.close());

const seed = 20_261_129;

/** One with what is required, or with its first field: it is refused for its credential and not for its body. */
function bodyOf(given: Schema): unknown {
  const schema = resolved(given);
  const { properties = {}, required = [] } = schema;
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  const needed = Object.entries(properties).filter(([name]) => names.includes(name));
  return fc.sample(valuesOf({ ...schema, properties: Object.fromEntries(needed) }), { numRuns: 1, seed })[0];
}

const bodies = new Map<DescribedOperation, unknown>();

function onceMade(operation: DescribedOperation, schema: Schema): unknown {
  if (!bodies.has(operation)) bodies.set(operation, bodyOf(schema));
  return bodies.get(operation);
}

const pathOf = ({ path }: DescribedOperation): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'unknown'));

async function attempt(operation: DescribedOperation, headers: Record<string, string>): Promise<Answer> {
  const body = operation.body === undefined ? {} : { body: onceMade(operation, operation.body) };
  return await call(baseUrl, operation.method, pathOf(operation), { headers, ...body });
}

/** The status that refuses this credential; undefined where the document lets it in. */
function refusalOf(operation: DescribedOperation, { kind, scopes: given }: Credential): number | undefined {
  const { credentials: taken, scopes: needed } = operation;
  if (taken.length === 0) return undefined;
  // Whose checkout it is nobody learns: it is as unknown as one that never was.
  if (taken.includes('checkoutSecret')) return 404;
  if (taken.includes('portalSession')) return kind === 'portalSession' ? undefined : 401;
  if (kind === 'platformKey') return taken.includes('platformKey') ? undefined : 403;
  if (kind !== 'apiKey') return 401;
  if (!taken.includes('apiKey')) return 403;
  return needed.every((scope) => given?.includes(scope)) ? undefined : 403;
}

async function victimsThings(): Promise<unknown> {
  const reading = describedOperations.filter(
    // The audit log tells of each attempt, refused ones among them.
    ({ id, method, credentials: taken }) => method === 'GET' && taken.includes('apiKey') && id !== 'listAuditEntries',
  );
  const paths = reading.map((operation) => pathOf(operation) + (daysRead[operation.id] ?? ''));
  return await readAll(victim, paths, ['requestId']);
}

test('no operation takes a credential that the document does not name, and none that is refused changes anything', async () => {
  const before = await victimsThings();
  let refused = 0;
  const told = new Set<string>();
  for (const operation of describedOperations) {
    for (const [name, credential] of Object.entries(credentials)) {
      const status = refusalOf(operation, credential);
      if (status === undefined) continue;
      const answer = await attempt(operation, credential.headers);
      expect([operation.id, name, answer.status]).toEqual([operation.id, name, status]);
      refused += 1;
      if (status !== 401 || !operation.credentials.includes('apiKey')) continue;
      told.add(answer.text.replace(/"requestId":"[^"]*"/, ''));
    }
  }
  // Which of them is wrong with a key nobody learns.
  expect(told.size).toBe(1);
  expect(refused).toBeGreaterThan(describedOperations.length);
  expect(await victimsThings()).toEqual(before);
});

test('a page of another site acts with nobody’s session, whatever the operation', async () => {
  const cookie = await sessionOf(baseUrl, victim);
  const before = await victimsThings();
  const writing = describedOperations.filter(
    ({ method, credentials: taken }) => method !== 'GET' && taken.includes('session'),
  );
  expect(writing.length).toBeGreaterThan(0);
  for (const operation of writing) {
    for (const headers of [
      { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { cookie, origin: 'null' },
    ]) {
      const { status } = await attempt(operation, headers);
      expect([operation.id, headers.origin, status]).toEqual([operation.id, headers.origin, 403]);
    }
  }
  expect(await victimsThings()).toEqual(before);
});
