import { DomainError, type FieldError } from '@app/contracts/errors';
import type { Call, CallResult, Operations, PageActor } from '@app/pages/call';
import { defineService } from '@app/service-host/define-service';
import { silentLogger } from '@app/service-kit/logger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { actorOf, createCall } from '../src/api/create-call.ts';
import { routeOperations } from '../src/api/operation-routes.ts';
import { operations } from '../src/api/operations/all-operations.ts';
import { type GatewayConfig, readConfig } from '../src/config.ts';
import { databaseOptions } from '../src/db/migrate.ts';
import { type Access, createGuard } from '../src/edge/guard.ts';
import { createHttpServer } from '../src/edge/http-server.ts';
import { openApp } from '../src/open-app.ts';
import { sendErrorPage } from '../src/pages/send-answer.ts';
import { passwordCost, platformKey } from './harness.ts';
import { type Sent, send, type ToSend } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway } from './set-up.ts';

startGateway();
sellerForEachTest();
const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});

interface PageCall {
  readonly id: string;
  readonly times?: number;
  readonly checkoutSecret?: string;
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly ifVersion?: number;
  readonly faults?: readonly FieldError[];
}

/** A gateway with one page, which calls whatever operation it is given, as often as it is given. */
async function startPage(settings: Record<string, string> = {}): Promise<string> {
  const config = readConfig({ ...harness.env, ...settings });
  let url = '';
  const create = defineService<GatewayConfig>({
    name: 'gateway',
    description: 'a gateway with one page',
    database: databaseOptions,
    start: async (context) => {
      const app = await openApp(context, { passwordCost });
      const server = createHttpServer(app.config, app.logger, sendErrorPage);
      const guard = createGuard(server, app);
      routeOperations(server, app, guard, operations);
      const call = createCall(app, guard, operations) as unknown as (
        id: string,
        request: object,
      ) => Promise<CallResult<Operations['getOrder']>>;
      const admit = async (req: FastifyRequest, reply: FastifyReply) => {
        req.actor = await guard.admit((req.params as { access: Access }).access, req, reply);
      };
      const page = async (req: FastifyRequest, reply: FastifyReply) => {
        const given = (req.body ?? JSON.parse((req.query as { call: string }).call)) as PageCall;
        const { id, times = 1, checkoutSecret, ...request } = given;
        const actor = { ...actorOf(req, reply), ...(checkoutSecret !== undefined && { checkoutSecret }) };
        const results = [];
        for (let i = 0; i < times; i++) results.push(await call(id, { ...request, actor }));
        return results;
      };
      server.route({ method: ['GET', 'POST'], url: '/page/:access', onRequest: admit, handler: page });
      context.resources.add('http server', server, (opened) => opened.close());
      url = await server.listen({ port: 0, host: '127.0.0.1' });
      return {};
    },
  });
  running.push(await create(config, { logger: silentLogger(), clock: harness.clock }));
  return url;
}

/** @param access what the page is: for anyone, or for callers with a credential */
const callFrom = (url: string, access: Access, given: PageCall, caller: ToSend = {}): Promise<Sent> =>
  send(url, 'POST', `/page/${access}`, { ...caller, body: given });

interface Refused {
  readonly name: string;
  readonly status: number;
  readonly access: Access;
  readonly caller: () => ToSend;
  readonly given: PageCall;
  /** The same over HTTP. */
  readonly http: (given: PageCall) => readonly [method: string, path: string];
}

const order = { productSlug: 'course', email: 'ada@example.com' };
const ofId = 'ord_01981c2f2c7c7a60a1b0d0c8e7f3a111';
const key = () => ({ key: seller.key });

test.each<Refused>([
  {
    name: 'an actor without a credential',
    status: 401,
    access: 'anyPage',
    caller: () => ({}),
    given: { id: 'listOrders' },
    http: () => ['GET', '/api/v1/orders'],
  },
  {
    name: 'an operation that the credential may not call',
    status: 403,
    access: 'credential',
    caller: () => ({ key: platformKey }),
    given: { id: 'listOrders' },
    http: () => ['GET', '/api/v1/orders'],
  },
  {
    name: 'an operation of the platform, for a seller',
    status: 403,
    access: 'credential',
    caller: key,
    given: { id: 'listSessions' },
    http: () => ['GET', '/api/auth/sessions'],
  },
  {
    name: 'fields of the body',
    status: 422,
    access: 'credential',
    caller: key,
    given: { id: 'createOrder', body: { ...order, email: 'unknown', sort: 1 } },
    http: () => ['POST', '/api/v1/orders'],
  },
  {
    name: 'a field of the query that there is not',
    status: 422,
    access: 'credential',
    caller: key,
    given: { id: 'listOrders', query: { colour: 'red' } },
    http: () => ['GET', '/api/v1/orders?colour=red'],
  },
  {
    name: 'a malformed id',
    status: 404,
    access: 'credential',
    caller: key,
    given: { id: 'getOrder', params: { orderId: 'x' } },
    http: () => ['GET', '/api/v1/orders/x'],
  },
  {
    name: 'a service that is not there',
    status: 503,
    access: 'credential',
    caller: key,
    given: { id: 'listAffiliates' },
    http: () => ['GET', '/api/v1/affiliates'],
  },
  {
    name: 'a checkout without its secret',
    status: 404,
    access: 'anyPage',
    caller: () => ({}),
    given: { id: 'getCheckout', params: { checkoutId: 'chk_01981c2f2c7c7a60a1b0d0c8e7f3a111' } },
    http: () => ['GET', '/api/checkout/chk_01981c2f2c7c7a60a1b0d0c8e7f3a111'],
  },
])(
  'a page is refused as HTTP refuses, with the same document: $name',
  async ({ status, access, caller, given, http }) => {
    const url = await startPage();
    const [method, path] = http(given);
    const over = await send(url, method, path, { ...caller(), ...(given.body !== undefined && { body: given.body }) });
    const [result] = (await callFrom(url, access, given, caller())).json;
    expect([over.status, over.json.status]).toEqual([status, status]);
    expect(result).toMatchObject({ ok: false, problem: { ...over.json, requestId: expect.any(String) } });
    expect(Object.keys(result.problem)).toEqual(Object.keys(over.json));
    const retryAfter = over.headers['retry-after'];
    expect(result.retryAfterSeconds).toBe(retryAfter === undefined ? null : Number(retryAfter));
  },
);

test('a key of narrower scope is refused with the scope that it lacks', async () => {
  const url = await startPage();
  const made = await send(url, 'POST', '/api/v1/api-keys', {
    session: seller.session,
    body: { name: 'reader', scopes: ['read'] },
  });
  const [result] = (await callFrom(url, 'credential', { id: 'createOrder', body: order }, { key: made.json.key })).json;
  expect(result.problem).toMatchObject({ status: 403, code: 'insufficient_scope' });
  expect(result.problem.detail).toContain('write');
});

test('wrong fields are named one by one', async () => {
  const url = await startPage();
  const given = { id: 'createOrder', body: { productSlug: 'course', email: 'no address' } };
  const [result] = (await callFrom(url, 'credential', given, { key: seller.key })).json;
  expect(result.problem.errors.map(({ field }: { field: string }) => field)).toEqual(['email']);
  expect(harness.placed).toEqual([]);
});

test('what a page could not read is refused beside all else that is wrong, and nothing is done', async () => {
  const url = await startPage();
  const place = async (body: object) => {
    const faults = [{ field: 'bumpIds', code: 'unreadable', message: 'Bumps cannot be read.' }];
    const given = { id: 'createOrder', body, faults, idempotencyKey: 'unread' };
    const [result] = (await callFrom(url, 'credential', given, { key: seller.key })).json;
    return result.problem.errors.map(({ field, message }: FieldError) => [field, message]);
  };
  const unread = ['bumpIds', 'Bumps cannot be read.'];
  expect(await place({ ...order, email: 'no address', bumpIds: 1 })).toEqual([
    unread,
    ['email', 'must be an email address'],
  ]);
  expect(await place(order)).toEqual([unread]);
  expect(harness.placed).toEqual([]);
});

test('an Idempotency-Key is one over HTTP and in process: the same response, in use, and refused with another body', async () => {
  const url = await startPage();
  const idempotencyKey = 'one-of-both';
  const over = await send(url, 'POST', '/api/v1/orders', {
    key: seller.key,
    body: order,
    headers: { 'idempotency-key': idempotencyKey },
  });
  const place = async (body: object) =>
    (await callFrom(url, 'credential', { id: 'createOrder', body, idempotencyKey }, { key: seller.key })).json[0];
  expect(await place(order)).toEqual({ ok: true, replayed: true, body: over.json });
  const other = await place({ ...order, email: 'eve@example.com' });
  expect(other.problem).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  harness.forget();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const taken = harness.orders.place;
  harness.orders.place = async (input, context) => {
    await held;
    return await taken(input, context);
  };
  const given = { id: 'createOrder', body: order, idempotencyKey: 'in-use' };
  const first = callFrom(url, 'credential', given, { key: seller.key });
  await harness.untilPlaced(1);
  const [second] = (await callFrom(url, 'credential', given, { key: seller.key })).json;
  release();
  harness.orders.place = taken;
  expect(second.problem).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
  expect(second.retryAfterSeconds).toBeGreaterThan(0);
  expect((await first).json[0]).toMatchObject({ ok: true, replayed: false });
});

test('each call counts against the quota of its account, the requests of its pages too', async () => {
  const url = await startPage({ RATE_LIMIT_PER_MINUTE: '5' });
  const given = { id: 'getSettings', times: 6 };
  const { json } = await callFrom(url, 'credential', given, { key: seller.key });
  expect(json.map(({ ok, problem }: { ok: boolean; problem: { code: string } }) => ok || problem.code)).toEqual([
    ...[true, true, true, true, 'rate_limited', 'rate_limited'],
  ]);
  expect(json[5].problem.status).toBe(429);
  expect(json[5].retryAfterSeconds).toBeGreaterThan(0);
  const over = await send(url, 'GET', '/api/v1/settings', { key: seller.key });
  expect(over.status).toBe(429);
});

test.each([
  ['of buyers', 600, { id: 'payCheckout', params: { checkoutId: 'x' }, times: 601 }, 'checkout_not_found'],
  ['of public operations', 60, { id: 'logIn', body: {}, times: 61 }, 'validation_failed'],
] as const)('calls %s count against the limit of their address', async (_, limit, given, refusal) => {
  const url = await startPage({ RATE_LIMIT_PER_MINUTE: '600' });
  const access = given.id === 'logIn' ? 'anyPage' : 'credential';
  const { json } = await callFrom(url, access, given, access === 'credential' ? { key: platformKey } : {});
  const codes = json.map(({ problem }: { problem: { code: string } }) => problem.code);
  expect(codes).toEqual([...Array(limit).fill(refusal), 'rate_limited']);
});

test('reads that are refused make no later read of their page wait', async () => {
  const url = await startPage();
  const given = { id: 'getOrder', params: { orderId: 'x' }, times: 9 };
  const { json } = await callFrom(url, 'credential', given, { key: seller.key });
  expect(json.map(({ problem }: { problem: { code: string } }) => problem.code)).toEqual(
    Array(9).fill('order_not_found'),
  );
});

test('a buyer’s checkout opens with the secret that the page gives, not with one that a browser sends', async () => {
  const url = await startPage();
  const opening = { id: 'openCheckout', body: { handle: 'seller', slug: 'course' } };
  const settings = await send(url, 'GET', '/api/v1/settings', { key: seller.key });
  const [opened] = (
    await callFrom(url, 'anyPage', { ...opening, body: { ...opening.body, handle: settings.json.handle } })
  ).json;
  const { id: checkoutId, secret } = opened.body;
  const reading = { id: 'getCheckout', params: { checkoutId } };
  const [read] = (await callFrom(url, 'anyPage', { ...reading, checkoutSecret: secret })).json;
  expect(read).toMatchObject({ ok: true, body: { id: checkoutId } });
  const [forged] = (await callFrom(url, 'anyPage', reading, { headers: { 'x-checkout-secret': secret } })).json;
  expect(forged.problem).toMatchObject({ status: 404, code: 'checkout_not_found' });
});

test('no page of another site writes with a seller’s session, also where ours is only read', async () => {
  const url = await startPage();
  const headers = { 'sec-fetch-site': 'cross-site' };
  const results = [];
  for (const given of [{ id: 'getSettings' }, { id: 'endOtherSessions' }]) {
    const path = `/page/credential?call=${encodeURIComponent(JSON.stringify(given))}`;
    results.push((await send(url, 'GET', path, { session: seller.session, headers })).json[0]);
  }
  expect(results).toMatchObject([{ ok: true }, { ok: false, problem: { status: 403, code: 'cross_site_request' } }]);
});

test('a log-in sets the session’s cookie on the response of the page', async () => {
  const url = await startPage();
  const body = { email: seller.email, password: 'a long password' };
  const page = await callFrom(url, 'anyPage', { id: 'logIn', body });
  expect(page.json).toMatchObject([{ ok: true }]);
  const session = page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  expect((await send(url, 'GET', '/api/auth/sessions', { session })).status).toBe(200);
});

test('a fault is the fixed text of every fault', async () => {
  const url = await startPage();
  const taken = harness.orders.place;
  harness.orders.place = async () => {
    throw new DomainError('internal', 'a secret of the service');
  };
  const [result] = (await callFrom(url, 'credential', { id: 'createOrder', body: order }, { key: seller.key })).json;
  harness.orders.place = taken;
  expect(result.problem).toMatchObject({ status: 500, code: 'internal' });
  expect(JSON.stringify(result)).not.toContain('a secret of the service');
});

test('a page names the version that its form was made from', async () => {
  const page = await startPage();
  const given = { id: 'updateSettings', body: { commissionHoldDays: 3 } };
  const { version } = (await callFrom(page, 'credential', { id: 'getSettings' }, key())).json[0].body;
  const [saved] = (await callFrom(page, 'credential', { ...given, ifVersion: version }, key())).json;
  expect(saved).toMatchObject({ ok: true, body: { version: version + 1 } });
  const [refused] = (await callFrom(page, 'credential', { ...given, ifVersion: version }, key())).json;
  expect(refused).toMatchObject({ ok: false, problem: { status: 412, code: 'version_changed' } });
});

/** What follows is compiled, and never runs. */
export async function whatDoesNotCompile(call: Call, actor: PageActor): Promise<unknown[]> {
  const read = await call('getOrder', { actor, params: { orderId: ofId } });
  const amount: number = read.ok ? read.body.total_cents : read.problem.status;
  return [
    amount,
    await call('createOrder', { actor, body: order, idempotencyKey: 'x' }),
    await call('listOrders', { actor, query: { limit: 5 } }),
    // @ts-expect-error there is no such operation
    await call('readOrder', { actor }),
    // @ts-expect-error the params are missing
    await call('getOrder', { actor }),
    // @ts-expect-error the param has another name
    await call('getOrder', { actor, params: { id: ofId } }),
    // @ts-expect-error the body is missing
    await call('createOrder', { actor }),
    // @ts-expect-error the body has a field of another type
    await call('createOrder', { actor, body: { ...order, email: 1 } }),
    // @ts-expect-error the body has a field that there is not
    await call('createOrder', { actor, body: { productSlug: 'course', email: 'ada@example.com', colour: 'red' } }),
    // @ts-expect-error the operation takes no body
    await call('getOrder', { actor, params: { orderId: ofId }, body: {} }),
    // @ts-expect-error the operation has no params
    await call('listOrders', { actor, params: { orderId: ofId } }),
    // @ts-expect-error the query has a field that there is not
    await call('listOrders', { actor, query: { colour: 'red' } }),
    // @ts-expect-error nothing but the gateway makes an actor
    await call('listOrders', { actor: {} }),
    // @ts-expect-error the result has no such field
    read.ok && read.body.colour,
  ];
}
