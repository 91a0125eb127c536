import { createPayout, getStatement, listPayouts } from '@app/contracts/affiliates';
import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { NatsClient } from '@app/messaging/connect';
import { onRequest } from '@app/messaging/serve-requests';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHarness, createSeller, type Harness, serveAs } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let harness: Harness;
let affiliate: NatsClient;
let url: string;
let key: string;
let session: string;
/** The requests that the affiliate service got, in order. */
let requested: { input: RequestInput<typeof createPayout>; accountId: string; commandId: string }[];
const balances = [{ currency: 'usd', pending_cents: 300, due_cents: 4200, paid_cents: 0 }];

beforeAll(async () => {
  harness = await createHarness();
  const payout = {
    ...{ affiliate_code: 'PAT', amount_cents: 4200, currency: 'usd', commission_count: 3 },
    created_at: '2026-01-15T12:00:00.000Z',
  };
  const handlers = [
    onRequest(createPayout, async (input, { accountId, commandId }) => {
      requested.push({ input, accountId, commandId });
      if (input.code === 'broke') throw new DomainError('nothing_due', 'Nothing is due to the affiliate "broke".');
      return { ...payout, id: idOfCommand('payout', commandId) };
    }),
    onRequest(getStatement, async ({ code }) => {
      if (code === 'unknown') throw new DomainError('affiliate_not_found', 'No affiliate has the code "unknown".');
      return { balances, data: [], has_more: false };
    }),
    onRequest(listPayouts, async ({ code }) => ({
      data: [{ ...payout, id: 'pay_01m7xft13ne0wattr3dpc56bw9', affiliate_code: code ?? 'ANY' }],
    })),
  ];
  affiliate = await serveAs(harness.nats, 'affiliate', handlers);
  ({ url } = await harness.start());
});
afterAll(async () => {
  await affiliate.close();
  await harness.close();
});
beforeEach(async () => {
  requested = [];
  ({ key, session } = await createSeller(url));
});

const pay = (query = '', body?: unknown, headers: Record<string, string> = {}, code = 'PAT') =>
  send(url, 'POST', `/api/v1/affiliates/${code}/payouts${query}`, {
    key,
    headers,
    ...(body !== undefined && { body }),
  });
async function tool(name: string, given: Record<string, unknown>, by = key) {
  const { text } = await send(url, 'POST', '/api/mcp', {
    key: by,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
  });
  return JSON.parse(text.slice(text.indexOf('{'))).result;
}
const keyWith = async (scopes: string[]): Promise<string> =>
  (await send(url, 'POST', '/api/v1/api-keys', { session, body: { name: 'k', scopes } })).json.key;

test('a payout takes its currency from the body, if there is one, and includePending from the query', async () => {
  const inputs = async (query: string, body?: unknown) => {
    const { status } = await pay(query, body);
    return [status, requested.at(-1)?.input];
  };
  expect(await inputs('')).toEqual([200, { code: 'PAT', includePending: false, body: {} }]);
  expect(await inputs('?includePending=false', {})).toEqual([200, { code: 'PAT', includePending: false, body: {} }]);
  expect(await inputs('?includePending=true', { currency: 'eur' })).toEqual([
    200,
    { code: 'PAT', includePending: true, body: { currency: 'eur' } },
  ]);
});

test('what a payout cannot read is refused with the name of the field, and no request is sent', async () => {
  for (const [query, body, field] of [
    ['?includePending=yes', {}, 'includePending'],
    ['?includePending=1', {}, 'includePending'],
    ['?includePending=true&includePending=false', {}, 'includePending'],
    ['?includepending=true', {}, 'includepending'],
    ['', { currency: 'EUR' }, 'currency'],
    ['', { currency: 'xxxx' }, 'currency'],
    ['', { amountCents: 1 }, 'amountCents'],
  ] as const) {
    const { status, json } = await pay(query, body);
    expect([query, body, status, json.errors?.[0]?.field]).toEqual([query, body, 422, field]);
  }
  expect((await pay('', undefined, {}, 'a%20b')).status).toBe(404);
  expect(requested).toEqual([]);
  const { status, json } = await pay('', undefined, {}, 'broke');
  expect([status, json.code]).toEqual([409, 'nothing_due']);
});

test('only a key that may move money records a payout; who reads may read payouts and statements', async () => {
  const by = await keyWith(['read', 'write']);
  const refused = await send(url, 'POST', '/api/v1/affiliates/PAT/payouts', { key: by });
  expect([refused.status, refused.json.code]).toEqual([403, 'insufficient_scope']);
  expect((await tool('pay_affiliate', { code: 'PAT', confirm: true }, by)).isError).toBe(true);
  expect(requested).toEqual([]);
  expect((await send(url, 'GET', '/api/v1/payouts?code=PAT', { key: by })).json.data[0].affiliate_code).toBe('PAT');
  expect((await send(url, 'GET', '/api/v1/payouts', { key: by })).json.data[0].affiliate_code).toBe('ANY');
  expect((await send(url, 'GET', '/api/v1/affiliates/PAT/statement', { key: by })).json.balances).toEqual(balances);
});

test('the same Idempotency-Key is one payout, and another includePending is another request', async () => {
  const headers = { 'idempotency-key': 'june' };
  const first = await pay('', undefined, headers);
  const again = await pay('', undefined, headers);
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  const other = await pay('?includePending=true', undefined, headers);
  expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
  expect(requested).toHaveLength(1);
});

// What a model sees before it pays an affiliate: mcp-confirmation.test.ts.
test('a model reads what is owed to an affiliate, and what was paid', async () => {
  expect((await tool('get_affiliate_statement', { code: 'PAT' })).structuredContent).toMatchObject({ balances });
  expect((await tool('list_payouts', {})).structuredContent.data).toHaveLength(1);
});
