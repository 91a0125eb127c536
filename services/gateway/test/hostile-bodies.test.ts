import { beforeAll, expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { startGateway, url } from './set-up.ts';

startGateway();
let key: string;
let session: string;
beforeAll(async () => {
  ({ key, session } = await createSeller(url));
});

const errorBytesMax = 64 * 1024;
const post = (path: string, raw: string) =>
  send(url, 'POST', path, { key, raw, headers: { accept: 'application/json, text/event-stream' } });
const zeros = `[${'0,'.repeat(120_000)}0]`;
const keys = (length: number) => `{${Array.from({ length }, (_, i) => `"k${i}":0`).join(',')}}`;
const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}0${close.repeat(depth)}`;

test.each([
  ['arrays', nested('[', ']', 5_000)],
  ['objects', nested('{"a":', '}', 5_000)],
  ['an argument', `{"productSlug":${nested('[', ']', 40)}}`],
  ['arrays without end', '['.repeat(200_000)],
])('a body nested deeper than anything we take is 400: %s', async (_, raw) => {
  const answer = await post('/api/v1/orders', raw);
  expect([answer.status, answer.json.code]).toEqual([400, 'malformed_json']);
  const called = await post('/api/mcp', raw);
  expect([called.status, called.json.error.code]).toEqual([400, -32_700]);
  const params = `{"name":"get_settings","arguments":{"a":${raw}}}`;
  const message = await post('/api/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
  expect([message.status, message.json.error.code]).toEqual([400, -32_700]);
});

test('brackets in a text are no nesting', async () => {
  const name = `${'[{'.repeat(60)}\\"${'[{'.repeat(30)}\\\\`;
  const raw = `{"productSlug":"course","email":"ada@example.com","name":"${name}"}`;
  expect((await post('/api/v1/orders', raw)).status).toBe(200);
});

const bodies: [string, string][] = [
  ['an array of zeros', zeros],
  ['zeros for ids', `{"productSlug":"a","email":"a@example.com","bumpIds":${zeros}}`],
  ['zeros for scopes', `{"name":"a","scopes":${zeros}}`],
  ['zeros for events', `{"url":"https://example.com","events":${zeros}}`],
  ['thousands of fields', keys(20_000)],
  ['a field name of 250 KB', `{"${'x'.repeat(250_000)}":0}`],
  ['a field name of control characters', `{"${'\\u0001'.repeat(42_000)}":0}`],
  ['a text of 250 KB', `{"productSlug":"${'x'.repeat(250_000)}"}`],
];
const paths = ['/api/v1/orders', '/api/v1/api-keys', '/api/v1/products', '/api/auth/signup', '/api/cron/daily'];

test.each(bodies)('%s: a refusal is short, whichever way it came', async (_, raw) => {
  for (const path of paths) {
    const answer = await (path === '/api/v1/api-keys' ? send(url, 'POST', path, { session, raw }) : post(path, raw));
    expect(answer.status, path).toBe(422);
    expect(Buffer.byteLength(answer.text), path).toBeLessThan(errorBytesMax);
    expect(answer.json.errors.length).toBeGreaterThan(0);
  }
  const put = await send(url, 'PUT', '/api/v1/webhook-endpoint', { key, raw });
  expect([put.status, Buffer.byteLength(put.text) < errorBytesMax]).toEqual([422, true]);
});

const meta =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}';
const long = 'x'.repeat(200_000);
const messages: [string, string][] = [
  ['arguments of zeros', `"method":"tools/call","params":{"name":"create_order","arguments":${zeros}}`],
  [
    'an argument of zeros',
    `"method":"tools/call","params":{"name":"create_order","arguments":{"productSlug":"a","email":"a@example.com","bumpIds":${zeros}}}`,
  ],
  ['thousands of arguments', `"method":"tools/call","params":{"name":"create_order","arguments":${keys(20_000)}}`],
  ['a tool name of 200 KB', `"method":"tools/call","params":{"name":"${long}"}`],
  ['a method of 200 KB', `"method":"${long}","params":{}`],
  ['params of zeros', `"method":"tools/call","params":${zeros}`],
  ['a _meta of zeros', `"method":"tools/list","params":{"_meta":${zeros}}`],
  [
    'a client without end',
    `"method":"initialize","params":{"protocolVersion":"${long}","capabilities":${zeros},"clientInfo":{}}`,
  ],
  [
    'listening for zeros',
    `"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":${zeros}},${meta}}`,
  ],
  ['thousands of fields', `"method":"tools/list",${keys(15_000).slice(1, -1)}`],
];

test.each(messages)('MCP, %s: the answer is short', async (_, message) => {
  const raw = `{"jsonrpc":"2.0","id":1,${message}}`;
  const [, method = ''] = /"method":"([^"]+)"/.exec(message) ?? [];
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method.slice(0, 1_000) };
  for (const headers of [{}, modern]) {
    const answer = await send(url, 'POST', '/api/mcp', {
      key,
      raw,
      headers: { accept: 'application/json, text/event-stream', ...headers },
    });
    expect(answer.status, answer.text.slice(0, 300)).toBeLessThan(500);
    expect(Buffer.byteLength(answer.text), answer.text.slice(0, 300)).toBeLessThan(errorBytesMax);
  }
});

test('an id without end in a message is not sent back', async () => {
  const answer = await post('/api/mcp', `{"jsonrpc":"2.0","id":"${long}","method":"tools/list"}`);
  expect(Buffer.byteLength(answer.text)).toBeLessThan(errorBytesMax);
});
