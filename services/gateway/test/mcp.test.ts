import type { FieldError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import { listOrders } from '@app/contracts/orders';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, expect, test } from 'vitest';
import { operations } from '../src/api/operations/all-operations.ts';
import { genericTools } from '../src/mcp/generic-tools.ts';
import type { ToolAnnotations } from '../src/mcp/tool.ts';
import { toolRequest } from '../src/mcp/tool-arguments.ts';
import { namedTools, tools } from '../src/mcp/tools.ts';
import { createSeller, platformKey } from './harness.ts';
import { send } from './http.ts';
import { type Answer, accept, messageOf, modernRpc as sendModern, rpc as sendRpc } from './mcp-client.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
let key: string;
let session: string;
beforeAll(async () => {
  ({ key, session } = await createSeller(url));
});

const rpc = (method: string, params: unknown, bearer = key, headers: Record<string, string> = {}) =>
  sendRpc(url, bearer, method, params, headers);
const modernRpc = (method: string, params: Record<string, unknown>, bearer = key) =>
  sendModern(url, bearer, method, params);

const call = async (name: string, args: Record<string, unknown> = {}, bearer = key): Promise<Answer> =>
  messageOf((await modernRpc('tools/call', { name, arguments: args }, bearer)).text).result;

interface Schema {
  readonly type: string;
  readonly properties: Record<string, { type?: string; enum?: unknown[]; description?: string }>;
}

interface Listed {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly annotations: ToolAnnotations;
}

const listedTools = [...namedTools, ...genericTools];

const listed = async (bearer = key) => {
  const { tools: list } = messageOf((await modernRpc('tools/list', {}, bearer)).text).result;
  return list as Listed[];
};

async function keyWith(scopes: string[]): Promise<string> {
  const made = await send(url, 'POST', '/api/v1/api-keys', { session, body: { name: 'scoped', scopes } });
  return made.json.key as string;
}

test('a client of 2026 discovers the server, lists the tools and calls one', async () => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit }));
  const { tools: list } = await client.listTools();
  expect(list.map(({ name }) => name)).toEqual(listedTools.map(({ name }) => name));
  const orders = await client.callTool({ name: 'list_orders', arguments: {} });
  expect(orders.structuredContent).toEqual({ data: [] });
  const refused = await client.callTool({ name: 'create_order', arguments: { productSlug: 'x' } });
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'validation_failed' } });
  await client.close();
});

test('a client of 2025 initializes, lists the tools, calls one and reads a refusal', async () => {
  const client = new Client2025({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new Transport2025(new URL(`${url}/api/mcp`), { requestInit });
  await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
  const { tools: list } = await client.listTools();
  expect(list).toHaveLength(listedTools.length);
  const orders = await client.callTool({ name: 'list_orders', arguments: {} });
  expect(orders.structuredContent).toEqual({ data: [] });
  // This client holds a refusal's structure against the tool's output schema: it gets the same in words.
  const refused = (await client.callTool({ name: 'create_order', arguments: { productSlug: 'x' } })) as Answer;
  expect(refused.isError).toBe(true);
  expect(JSON.parse(refused.content[0]?.text ?? '')).toMatchObject({
    code: 'validation_failed',
    fields: [{ field: 'email', code: 'required' }],
  });
  await client.close();
});

test('all tools together are less than 24 KB and none takes an account', async () => {
  const list = await listed();
  expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThan(24 * 1_024);
  expect(JSON.stringify(list)).not.toMatch(/account_?id|user_?id/i);
  expect(namedTools.length).toBeLessThanOrEqual(25);
  for (const { name, title, description, inputSchema, annotations } of list) {
    expect([name, title.length > 0, description.length > 30]).toEqual([name, true, true]);
    expect(inputSchema).toMatchObject({ type: 'object' });
    for (const [argument, { enum: choices, description: words }] of Object.entries(inputSchema.properties)) {
      const isSaid = argument.endsWith('Id') || choices !== undefined || words !== undefined;
      expect([name, argument, isSaid]).toEqual([name, argument, true]);
    }
    expect(Object.keys(annotations)).toEqual(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']);
    for (const [argument, { description: words }] of Object.entries(inputSchema.properties))
      if (argument.endsWith('Cents'))
        expect([name, argument, words]).toEqual([name, argument, expect.stringMatching(/minor units/i)]);
  }
});

interface Node {
  readonly type?: unknown;
  readonly [keyword: string]: unknown;
}

const constraining = ['type', 'enum', 'const', 'anyOf', 'properties', 'items'];

/** What some vendors' models cannot read, as the protocol's Inspector has it (`--strict`): several types at once, and a schema that says nothing. */
function unportable(schema: Node, path = ''): string[] {
  const {
    properties = {},
    anyOf = [],
    items,
  } = schema as {
    properties?: Record<string, Node>;
    anyOf?: Node[];
    items?: Node;
  };
  const parts = [
    ...Object.entries(properties).map(([name, part]) => [`${path}.${name}`, part] as const),
    ...anyOf.map((part, index) => [`${path}[${index}]`, part] as const),
    ...(items === undefined ? [] : [[`${path}[]`, items] as const]),
  ];
  const isVague = typeof schema !== 'object' || !constraining.some((keyword) => keyword in schema);
  return [
    ...(isVague || Array.isArray(schema.type) ? [`${path}: ${JSON.stringify(schema)}`] : []),
    ...(isVague ? [] : parts.flatMap(([at, part]) => unportable(part, at))),
  ];
}

test('every vendor’s models can read the schemas: one type each, and none that says nothing', async () => {
  for (const { name, inputSchema } of await listed())
    expect(unportable(inputSchema as unknown as Node, name)).toEqual([]);
});

test.each(['list_activity', 'list_webhook_deliveries'])(
  '%s offers every filter that the list has over HTTP',
  async (name) => {
    const offered = (await listed()).find((tool) => tool.name === name)?.inputSchema as
      | { properties?: object }
      | undefined;
    const { operation } = tools.find((tool) => tool.name === name) as (typeof tools)[number];
    expect(Object.keys(operation.query?.shape ?? {})).toEqual(expect.arrayContaining(['eventId', 'from', 'to']));
    expect(offered?.properties).toMatchObject(
      Object.fromEntries(Object.keys(operation.query?.shape ?? {}).map((key) => [key, {}])),
    );
  },
);

test('reading tools change nothing, and every tool that writes offers an idempotency key', async () => {
  for (const { operation, annotations } of tools)
    expect(annotations.readOnlyHint).toBe(operation.method === 'GET' || operation.changesNothing === true);
  const writes = listedTools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name);
  const offering = (await listed()).filter(({ inputSchema }) => 'idempotencyKey' in inputSchema.properties);
  expect(offering.map(({ name }) => name)).toEqual(writes);
});

test('clients see which tools end, replace or charge something, and that write may do all of it', async () => {
  const hints = new Map((await listed()).map(({ name, annotations }) => [name, annotations]));
  const ends = { readOnlyHint: false, destructiveHint: true };
  for (const name of ['write', 'refund_order', 'run_daily_job'])
    expect([name, hints.get(name)]).toMatchObject([name, { ...ends, openWorldHint: true }]);
  expect(hints.get('cancel_subscription')).toMatchObject(ends);
  // What replaces or removes over HTTP does so here.
  for (const { name, operation } of namedTools.filter(({ operation }) => operation.method !== 'POST'))
    expect([name, hints.get(name)]).toMatchObject([
      name,
      operation.method === 'GET' ? { readOnlyHint: true, destructiveHint: false, openWorldHint: false } : ends,
    ]);
  // The same call again gives another part back, or does again whatever it names.
  for (const name of ['write', 'refund_order']) expect([name, hints.get(name)?.idempotentHint]).toEqual([name, false]);
});

test('a default list of well-filled orders is less than 20 KB, structure and text together', async () => {
  const order = {
    id: newId('order', Date.now()),
    product_id: newId('product', Date.now()),
    customer_email: 'margareta.lindqvist@gallery.example.com',
    customer_name: 'Margareta Lindqvist-Johansson',
    total_cents: 123_400,
    refunded_cents: 0,
    currency: 'usd',
    status: 'paid',
    utm_source: 'newsletter',
    utm_medium: 'email',
    utm_campaign: 'autumn-launch-2026',
    utm_term: 'watercolour course',
    utm_content: 'second-button',
    created_at: new Date().toISOString(),
    items: [
      { kind: 'main', label: 'The Complete Watercolour Course', amount_cents: 99_900 },
      { kind: 'bump', label: 'Printable workbook with 40 exercises', amount_cents: 19_900 },
      { kind: 'upsell', label: 'One year of monthly live sessions', amount_cents: 9_900 },
      { kind: 'discount', label: 'AUTUMN', amount_cents: -6_300 },
    ],
    country: 'SE',
    affiliate_code: 'ANNA-PAINTS',
    test: false,
  };
  harness.books.orders = JSON.stringify({ data: Array.from({ length: 10 }, () => order), has_more: true });
  listOrders.output.parse(JSON.parse(harness.books.orders));
  const before = harness.requested.length;
  const answer = await call('list_orders');
  harness.books.orders = '{ "data" : [] }';
  expect(harness.requested.slice(before)).toEqual([{ limit: 10 }]);
  expect(answer.structuredContent).toMatchObject({ has_more: true });
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(20_000);
});

test('the structured result is the body of the HTTP answer, and the text is its JSON', async () => {
  const overHttp = await send(url, 'GET', '/api/v1/settings', { key });
  const { structuredContent, content } = await call('read', { operation: 'getSettings' });
  expect(structuredContent).toEqual(overHttp.json);
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(overHttp.json);
});

test('a key sees and can call just the tools of its scopes', async () => {
  const reading = await keyWith(['read']);
  const names = (await listed(reading)).map(({ name }) => name);
  expect(names).toEqual(listedTools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name));
  for (const { name } of tools.filter(({ annotations }) => !annotations.readOnlyHint)) {
    const refused = await call(name, {}, reading);
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'insufficient_scope' } });
  }
  const writing = (await listed(await keyWith(['write']))).map(({ name }) => name);
  expect(writing).toContain('create_order');
  expect(writing).not.toContain('list_orders');
  expect(writing).not.toContain('run_daily_job');
});

test('an unknown tool is a protocol error', async () => {
  for (const answer of [
    await rpc('tools/call', { name: 'drop_tables', arguments: {} }),
    await modernRpc('tools/call', { name: 'drop_tables', arguments: {} }),
  ]) {
    expect(messageOf(answer.text).error).toMatchObject({ code: -32602 });
  }
});

test('unknown and missing arguments are named', async () => {
  const { structuredContent } = await call('get_order', { order: 'ord_1', accountId: 'acc_1' });
  expect(structuredContent).toMatchObject({
    code: 'validation_failed',
    fields: expect.arrayContaining([
      expect.objectContaining({ field: 'orderId', code: 'required' }),
      expect.objectContaining({ field: 'accountId', code: 'unknown_field' }),
    ]),
  });
  expect(await call('get_order', { orderId: 'nonsense' })).toMatchObject({
    isError: true,
    structuredContent: { code: 'order_not_found' },
  });
});

test('all faults of a call are told at once, that of a name beside the others', async () => {
  const refused = (of: Answer) => of.structuredContent?.fields.map((fault: FieldError) => [fault.field, fault.code]);
  const unknown = { product: 'oil painting', limit: 1_000, status: 'x' };
  expect(refused(await call('list_orders', unknown))).toEqual([
    ['product', 'unknown_value'],
    ['limit', 'too_big'],
    ['status', 'unknown_value'],
  ]);
  expect(refused(await call('list_orders', { product: 5, foo: 1 }))).toEqual([
    ['product', 'wrong_type'],
    ['foo', 'unknown_field'],
  ]);
  expect(refused(await call('list_orders', { product: 'course', productId: newId('product', Date.now()) }))).toEqual([
    ['product', 'invalid'],
  ]);
  const discount = { productId: newId('product', Date.now()), code: 'a b', maxUses: 0 };
  expect(refused(await call('create_discount', discount))).toEqual([
    ['code', 'invalid_format'],
    ['maxUses', 'too_small'],
    ['percentOff', 'invalid'],
  ]);
});

test('an idempotency key has one effect, whether it comes as an argument or as a header', async () => {
  const order = { productSlug: 'course', email: 'a@example.com' };
  const before = harness.placed.length;
  const first = await call('create_order', { ...order, idempotencyKey: 'one' });
  const again = await call('create_order', { ...order, idempotencyKey: 'one' });
  const overHttp = await send(url, 'POST', '/api/v1/orders', {
    key,
    body: order,
    headers: { 'idempotency-key': 'one' },
  });
  expect(again).toEqual(first);
  expect(overHttp.json).toEqual(first.structuredContent);
  expect(harness.placed.length).toBe(before + 1);
  const reused = await call('create_order', { ...order, email: 'b@example.com', idempotencyKey: 'one' });
  expect(reused).toMatchObject({ isError: true, structuredContent: { code: 'idempotency_key_reused' } });
});

const rotations = [
  ['rotate_webhook_secret', { endpointId: newId('webhookEndpoint', Date.now()) }, 'whe_1'],
  ['rotate_automation_secret', { automationId: newId('automation', Date.now()) }, 'aut_1'],
] as const;

test.each(rotations)(
  '%s shows no secret to a model, neither at first nor when the call is repeated',
  async (name, of, id) => {
    const rotate = () => call(name, { ...of, idempotencyKey: name });
    for (const answer of [await rotate(), await rotate()]) {
      expect(answer.structuredContent).toEqual({ id, secret_notice: expect.stringContaining('dashboard') });
      expect(JSON.stringify(answer)).not.toContain('whsec_');
    }
  },
);

test('arguments are refused in the words of HTTP', async () => {
  const refusal = async (given: object) => (await call('create_offer', { kind: 'bump', ...given })).structuredContent;
  const productId = newId('product', Date.now());
  expect(await refusal({ productId, headline: 'x', price_cents: 1 })).toMatchObject({
    fields: [
      { field: 'price_cents', code: 'unknown_field', message: 'is not a known field; did you mean priceCents?' },
      { field: 'priceCents', code: 'required' },
    ],
  });
  expect(await refusal({ productId, headline: 'x', priceCents: 1.5 })).toMatchObject({
    detail: 'priceCents must be a whole number.',
  });
  expect(await refusal({ productId, headline: '', priceCents: 1 })).toMatchObject({ detail: 'headline is required.' });
});

const found = async (query: string) =>
  (await call('find', { query })).structuredContent?.found.map(({ operation }: { operation: string }) => operation);

test.each([
  ['delete a coupon', 'deleteDiscount'],
  ['unfinished checkouts', 'listCheckouts'],
  ['abandoned carts', 'listCheckouts'],
  ['add a post-purchase email', 'createFunnelEmail'],
  ['rotate the signing secret', 'rotateWebhookSecret'],
  ['link to manage a subscription', 'createPortalLink'],
  ['statement of a partner', 'getAffiliateStatement'],
])('“%s” finds %s', async (query, operation) => {
  expect(await found(query)).toContain(operation);
});

test('what find does not show in full it names, and what it does not know it answers with all there is', async () => {
  const { structuredContent: many } = await call('find', { query: 'webhook endpoint' });
  expect(many?.found).toHaveLength(5);
  expect(many?.also).toEqual(expect.arrayContaining([expect.stringMatching(/^\w+: \w/)]));
  const { structuredContent: none } = await call('find', { query: 'xyzzy' });
  expect(none).toMatchObject({ found: [], all: expect.arrayContaining([expect.stringMatching(/^createOrder: /)]) });
});

test('what find and the generic calls look up is as long as words and names are', async () => {
  const long = 'a few words '.repeat(20);
  for (const [name, args, field] of [
    ['find', { query: long }, 'query'],
    ['read', { operation: long }, 'operation'],
    ['write', { operation: long }, 'operation'],
  ] as const)
    expect((await call(name, args)).structuredContent?.fields).toMatchObject([{ field, code: 'too_big' }]);
});

test('a generic call that is wrong says how it would be right', async () => {
  const refusal = async (name: string, args: object) => (await call(name, { ...args })).structuredContent?.detail;
  expect(await refusal('read', { operation: 'listOrders', status: 'paid' })).toContain('goes into `arguments`');
  expect(await refusal('read', { operation: 'list_orders' })).toMatch(/such as listOrders, /);
  expect(await refusal('read', { operation: 'createOrder' })).toContain('call write');
  expect(await refusal('write', { operation: 'listOrders' })).toContain('call read');
  for (const operation of ['rotateApiKey', 'putPaymentProcessor', 'exportOrders', 'payCheckout'])
    expect(await refusal('write', { operation })).toMatch(/out of reach here.* dashboard/);
});

test('another account’s key answers for that account', async () => {
  const other = await createSeller(url);
  const mine = await call('get_settings');
  const theirs = await call('get_settings', {}, other.key);
  expect(theirs.structuredContent?.supportEmail).toBe(other.email);
  expect(mine.structuredContent).not.toEqual(theirs.structuredContent);
});

test('every tool makes a request that its operation knows', () => {
  for (const tool of tools) {
    for (const kind of Object.keys(tool.kinds ?? { none: null })) {
      const required = Object.keys(tool.operation.params?.shape ?? {});
      const given = Object.fromEntries(required.map((name) => [name, 'x']));
      const own = tool.kinds && { kind };
      const { operation, params } = toolRequest(tool, { ...given, ...own });
      expect(operations).toContain(operation);
      expect(params).toEqual(given);
      const { method, auth, scope } = tool.operation;
      expect(operation).toMatchObject({ method, auth, scope });
      if (tool.kinds !== undefined) expect(operation.path).toContain(`${kind}s`);
    }
  }
});

test('without a valid key the answer is the same 401 as everywhere', async () => {
  for (const bearer of ['nonsense', `fnl_${'0'.repeat(38)}`]) {
    const refused = await rpc('tools/list', {}, bearer);
    const elsewhere = await send(url, 'GET', '/api/v1/orders', { key: bearer });
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer');
    const { requestId: _, ...body } = refused.json;
    const { requestId: __, ...same } = elsewhere.json;
    expect(body).toEqual(same);
  }
  expect((await rpc('tools/list', {}, platformKey)).status).toBe(403);
});

test('what is not a message is refused in JSON-RPC', async () => {
  for (const raw of ['{"jsonrpc":', '{"jsonrpc":"2.0","id":1,"method":"tools/list","__proto__":{"params":{}}}']) {
    const malformed = await send(url, 'POST', '/api/mcp', { key, headers: { accept }, raw });
    expect(malformed.status).toBe(400);
    expect(malformed.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
  }
  const empty = await send(url, 'POST', '/api/mcp', { key, headers: { accept } });
  expect(empty.status).toBeGreaterThanOrEqual(400);
  expect(empty.status).toBeLessThan(500);
  const batch = await send(url, 'POST', '/api/mcp', { key, headers: { accept }, body: [] });
  expect(batch.json).toMatchObject({ error: { code: -32600 } });
  for (const body of [null, 1, 'x', {}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', id: 1, method: 'tools/call' }]) {
    const { status } = await send(url, 'POST', '/api/mcp', { key, headers: { accept }, body });
    expect(status, JSON.stringify(body)).toBeLessThan(500);
  }
});

test('there is no stream and no session: GET and DELETE are 405', async () => {
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await send(url, method, '/api/mcp', { key, headers: { accept } });
    expect(status).toBe(405);
    expect(headers.allow).toContain('POST');
  }
});

test('a client that listens for changes learns that there are none, and the stream ends', async () => {
  const { status, text } = await modernRpc('subscriptions/listen', { notifications: { toolsListChanged: true } });
  expect(status).toBe(200);
  expect(text).toContain('"method":"notifications/subscriptions/acknowledged"');
  expect(text).toContain('"resultType":"complete"');
});

test('a page of another site is refused, whatever it brings', async () => {
  const foreign = await rpc('tools/list', {}, key, { origin: 'https://elsewhere.example' });
  expect(foreign.status).toBe(403);
  expect((await rpc('tools/list', {}, key, { origin: url })).status).toBe(200);
});

test('calls carry the request id and count against the rate limit', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '2' });
  const list = (id: string) =>
    send(limited.url, 'POST', '/api/mcp', {
      key,
      headers: { accept, 'x-request-id': id },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
  const first = await list('mine-1');
  expect(first.headers['x-request-id']).toBe('mine-1');
  expect(first.headers.ratelimit).toMatch(/r=1/);
  expect((await list('mine-2')).status).toBe(200);
  const refused = await list('mine-3');
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBeDefined();
});

test.each([undefined, '*/*', 'application/json', 'text/plain', 'text/event-stream', accept])(
  'a client of 2025 that accepts %s is answered, in a stream only if it names one',
  async (accepted) => {
    const headers = accepted === undefined ? {} : { accept: accepted };
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
    const { status, headers: got, text } = await send(url, 'POST', '/api/mcp', { key, headers, body });
    expect([status, got['content-type']?.split(';')[0]]).toEqual([
      200,
      accepted?.includes('event-stream') ? 'text/event-stream' : 'application/json',
    ]);
    expect(messageOf(text).result.tools.length).toBeGreaterThan(5);
  },
);

test('a client of 2025-03-26 sends batches, each of whose messages counts; other revisions have none', async () => {
  const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
  const batch = (bearer: string, at: string, length: number, headers: Record<string, string> = {}) =>
    send(at, 'POST', '/api/mcp', { key: bearer, headers, body: Array.from({ length }, (_, n) => message(n)) });
  const answered = await batch(key, url, 3);
  expect(answered.status).toBe(200);
  const ids = answered.json.map(({ id, result }: { id: number; result: object }) => [id, 'tools' in result]);
  expect(ids.toSorted()).toEqual([0, 1, 2].map((id) => [id, true]));
  expect((await batch(key, url, 2, { 'mcp-protocol-version': '2025-03-26' })).status).toBe(200);
  for (const [length, headers] of [
    [2, { 'mcp-protocol-version': '2025-06-18' }],
    [0, {}],
    [21, {}],
  ] as const)
    expect((await batch(key, url, length, headers)).json).toMatchObject({ error: { code: -32600 } });
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '5' });
  const other = await createSeller(url);
  expect([(await batch(other.key, limited.url, 3)).status, (await batch(other.key, limited.url, 3)).status]).toEqual([
    200, 429,
  ]);
  await limited.close();
});
