import { beforeAll, expect, test } from 'vitest';
import { directCallOf } from '../src/mcp/direct-call.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { accept, messageOf } from './mcp-client.ts';
import { startGateway, url } from './set-up.ts';

/** Guarantee: a call that is answered without the SDK is answered as the SDK answers it, and what is not plainly a call is the SDK's to judge. */
startGateway();
let key: string;
beforeAll(async () => {
  ({ key } = await createSeller(url));
});

const prefix = 'io.modelcontextprotocol/';
const modernMeta = {
  [`${prefix}protocolVersion`]: '2026-07-28',
  [`${prefix}clientCapabilities`]: { elicitation: { form: {} } },
  [`${prefix}clientInfo`]: { name: 'test', version: '1' },
};
const modernHeaders = (name: string) => ({
  ...{ accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
});
const call = (name: string, args: object | undefined, meta: object, more: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 'seven', method: 'tools/call' },
  params: { name, ...(args && { arguments: args }), _meta: meta, ...more },
});

const calls = [
  ['a page', 'list_orders', {}],
  ['no arguments', 'list_products', undefined],
  ['a generic read', 'read', { operation: 'getSettings' }],
  ['operations that are found', 'find', { query: 'discount' }],
  ['a refusal', 'create_order', { productSlug: 7 }],
  ['an unknown argument', 'get_order', { order: 'x' }],
] as const;

test.each(calls)('the answer to a client of 2026 is the same: %s', async (_, name, args) => {
  const answers = [];
  for (const meta of [modernMeta, { ...modernMeta, 'example.com/own': 1 }]) {
    const body = call(name, args, meta);
    const sent = await send(url, 'POST', '/api/mcp', { key, headers: modernHeaders(name), body });
    answers.push([sent.status, sent.headers['content-type'], known(sent.json)]);
    expect(directCallOf(modernHeaders(name), body) === null).toBe(meta !== modernMeta);
  }
  expect(answers[0]).toEqual(answers[1]);
});

test.each(calls.flatMap((one) => [accept, 'application/json'].map((accepted) => [...one, accepted] as const)))(
  'the answer to a client of 2025 is the same: %s (%s, %o, %s)',
  async (_, name, args, accepted) => {
    const answers = [];
    for (const more of [{}, { own: 1 }]) {
      const body = call(name, args, { progressToken: 1 }, more);
      const sent = await send(url, 'POST', '/api/mcp', { key, headers: { accept: accepted }, body });
      const { 'content-type': type, 'cache-control': cached } = sent.headers;
      answers.push([sent.status, type, cached, known(messageOf(sent.text))]);
      expect(directCallOf({}, body) === null).toBe('own' in more);
    }
    expect(answers[0]).toEqual(answers[1]);
  },
);

/** Each request has an id of its own. */
const known = (message: object): unknown =>
  JSON.parse(JSON.stringify(message).replaceAll(/(requestId\\?":\\?")\w+/g, '$1'));

test.each([
  ['a question may follow', call('refund_order', {}, modernMeta), modernHeaders('refund_order')],
  ['a question may follow a generic one', call('write', {}, modernMeta), modernHeaders('write')],
  ['the tool is unknown', call('drop_tables', {}, modernMeta), modernHeaders('drop_tables')],
  ['the headers name another tool', call('list_orders', {}, modernMeta), modernHeaders('list_products')],
  ['the headers name another revision', call('list_orders', {}, modernMeta), {}],
  ['the revision is unknown', call('list_orders', {}, {}), { 'mcp-protocol-version': '2099-01-01' }],
  ['it has a session', call('list_orders', {}, {}), { 'mcp-session-id': 'x' }],
  [
    'it lacks the capabilities',
    call('list_orders', {}, { [`${prefix}protocolVersion`]: '2026-07-28' }),
    modernHeaders('list_orders'),
  ],
  ['the progress token is no token', call('list_orders', {}, { progressToken: { a: 1 } }), {}],
  [
    'the progress token is no token, in 2026',
    call('list_orders', {}, { ...modernMeta, progressToken: [] }),
    modernHeaders('list_orders'),
  ],
  ['the arguments are no object', call('list_orders', [], {}), {}],
  ['the id is null', { ...call('list_orders', {}, {}), id: null }, {}],
  ['it is a batch', [call('list_orders', {}, {})], {}],
  ['it answers a question', call('refund_order', {}, {}, { inputResponses: {} }), {}],
  ['it is another method', { ...call('list_orders', {}, {}), method: 'tools/list' }, {}],
])('the SDK judges where %s', (_, body, headers) => {
  expect(directCallOf(headers, body)).toBeNull();
});
