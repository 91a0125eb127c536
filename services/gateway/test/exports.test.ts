import { get, type IncomingMessage } from 'node:http';
import { getStatement } from '@app/contracts/affiliates';
import { DomainError } from '@app/contracts/errors';
import { type Fee, listOrderFees } from '@app/contracts/fees';
import { newId } from '@app/contracts/ids';
import type { OrdersQuery } from '@app/contracts/orders';
import { listSubscriptions } from '@app/contracts/subscriptions';
import type { NatsClient } from '@app/messaging/connect';
import { onRequest, Serialized } from '@app/messaging/serve-requests';
import { createArrivals } from '@app/testing/arrivals';
import { announced } from '@app/testing/points';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { requestEnded } from '../src/points/points.ts';
import { serveAs } from './harness.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

startGateway();
sellerForEachTest();

const subscription = {
  ...{ id: 'sub_1', order_id: 'ord_1', product_id: 'prd_1', product_name: 'Club', customer_email: 'a@example.com' },
  ...{ amount_cents: 1900, currency: 'usd', billing_interval: 'month', status: 'active', collection: 'automatic' },
  ...{ started_at: '2026-01-31T23:30:00.000Z', current_period_end: '2026-02-28T23:30:00.000Z', canceled_at: null },
  ...{
    paused_at: null,
    cancel_at: null,
    next_charge_at: '2026-03-29T02:30:00.000Z',
    failed_tries: 0,
    last_four: '0042',
  },
  test: false,
};
const line = {
  ...{ id: 'led_2', kind: 'clawback', order_id: 'ord_1', payout_id: null, amount_cents: -4370, balance_cents: -4370 },
  ...{ currency: 'usd', created_at: '2026-07-01T12:00:00.000Z' },
};
const links: NatsClient[] = [];
const subscriptionRequests: object[] = [];
/** By order. */
const fees = new Map<string, Pick<Fee, 'kind' | 'amount_cents' | 'currency'>[]>();
beforeAll(async () => {
  const statement = JSON.stringify({ balances: [], data: [line], has_more: false });
  const affiliate = onRequest(getStatement, async ({ code }) => {
    if (code !== 'grace') throw new DomainError('affiliate_not_found', 'No affiliate has this code.');
    return new Serialized(statement);
  });
  const subscriptions = onRequest(listSubscriptions, async (input) => {
    subscriptionRequests.push(input);
    return new Serialized(JSON.stringify({ data: [subscription], has_more: false }));
  });
  const incurred = { payment_id: 'pmt_1', incurred_at: '2026-03-29T00:59:59.000Z' };
  const feesOfOrders = onRequest(listOrderFees, async ({ orderIds }) => ({
    data: orderIds.flatMap((order_id) => (fees.get(order_id) ?? []).map((fee) => ({ order_id, ...incurred, ...fee }))),
  }));
  links.push(
    await serveAs(harness.nats, 'affiliate', [affiliate]),
    await serveAs(harness.nats, 'billing', [subscriptions, feesOfOrders]),
  );
});
afterEach(() => {
  fees.clear();
  delete harness.books.page;
});
afterAll(async () => {
  for (const link of links) await link.close();
});

const ids = Array.from({ length: 100 }, (_, n) => newId('order', 1_774_000_000_000 - n));
const order = (n: number, change: object = {}) => ({
  ...{ id: ids[n % 100] as string, product_id: 'prd_1', customer_email: 'ada@example.com', customer_name: 'Ada' },
  ...{ total_cents: 14_565, currency: 'usd', status: 'paid', refunded_cents: 0 },
  ...{ utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
  ...{ created_at: '2026-03-29T00:59:59.000Z', country: 'GB', affiliate_code: null, test: false },
  items: [{ kind: 'main', label: 'Course', amount_cents: 14_565 }],
  ...change,
});
const pageOf = (data: readonly object[], has_more: boolean) => JSON.stringify({ data, has_more });
const path = '/api/v1/orders/export';
const download = (query = '', headers: Record<string, string> = {}, at = path) =>
  send(url, 'GET', `${at}${query}`, { key: seller.key, headers });
const linesOf = (text: string) => text.replace(/^\uFEFF/, '').split('\r\n');

test('a file has all pages of the list, newest first, with decimals beside their currencies and times in the time zone', async () => {
  const requested: OrdersQuery[] = [];
  harness.books.page = async (query) => {
    requested.push(query);
    if (query.before !== undefined) return pageOf([order(3, { currency: 'kwd', total_cents: 1_234 })], false);
    const jpy = { currency: 'jpy', status: 'refunded', refunded_cents: 14_565, created_at: '2026-03-29T01:00:00.000Z' };
    return pageOf([order(1), order(2, jpy)], true);
  };
  const file = await download('?status=paid&q=ada&timeZone=Europe/Berlin');
  expect(file.status).toBe(200);
  expect(file.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'cache-control': 'no-store',
    'content-disposition': expect.stringMatching(/^attachment; filename="orders-\d{4}-\d\d-\d\d\.csv"$/),
  });
  expect(requested).toEqual([
    { status: 'paid', q: 'ada', limit: 100 },
    { status: 'paid', q: 'ada', limit: 100, before: ids[2] },
  ]);
  expect(file.text.startsWith('\uFEFF')).toBe(true);
  const utms = ',,,,,,,,';
  expect(linesOf(file.text)).toEqual([
    'id,created_at,time_zone,status,product_id,items,customer_email,customer_name,country,total,refunded,currency,affiliate_code,utm_source,utm_medium,utm_campaign,utm_term,utm_content,fees,fee_currency,after_fees',
    `${ids[1]},2026-03-29 01:59:59,Europe/Berlin,paid,prd_1,Course,ada@example.com,Ada,GB,145.65,0.00,usd,${utms}`,
    `${ids[2]},2026-03-29 03:00:00,Europe/Berlin,refunded,prd_1,Course,ada@example.com,Ada,GB,14565,14565,jpy,${utms}`,
    `${ids[3]},2026-03-29 01:59:59,Europe/Berlin,paid,prd_1,Course,ada@example.com,Ada,GB,1.234,0.000,kwd,${utms}`,
    '',
  ]);
});

test('fees are in the currency in which the processor pays out, and are taken off amounts in the same one alone', async () => {
  const [same, other, both] = [ids[1], ids[2], ids[3]] as [string, string, string];
  const fee = (amount_cents: number, currency: string) => ({ kind: 'charge' as const, amount_cents, currency });
  fees.set(same, [fee(452, 'usd'), { kind: 'dispute', amount_cents: 1_500, currency: 'usd' }]);
  fees.set(other, [fee(4_520, 'sek')]);
  fees.set(both, [fee(452, 'usd'), fee(4_520, 'sek')]);
  harness.books.page = async () => pageOf([order(1, { refunded_cents: 1_000 }), order(2), order(3), order(4)], false);
  const [names = '', ...rows] = linesOf((await download()).text);
  const last = (row: string) => row.split(',').slice(-3);
  expect([last(names), ...rows.slice(0, 4).map(last)]).toEqual([
    ['fees', 'fee_currency', 'after_fees'],
    ['19.52', 'usd', '116.13'],
    ['45.20', 'sek', ''],
    ['4.52 usd; 45.20 sek', '', ''],
    ['', '', ''],
  ]);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-2', "'-2"],
  ['@home', "'@home"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r'=1"`],
  ['Ada\nLovelace', '"Ada\nLovelace"'],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
  ['Ada, "Countess"\nof Lovelace', '"Ada, ""Countess""\nof Lovelace"'],
  ['Élodie 李', 'Élodie 李'],
  ['Ada;=1+1', "Ada;'=1+1"],
  ['Ada; @home', "Ada;' @home"],
  ['Ada\n=1+1', '"Ada\n\'=1+1"'],
  ['Ada\r\n+1', '"Ada\r\n\'+1"'],
  ['Ada\u2028-1', "Ada\u2028'-1"],
  [' =1', "' =1"],
  ['"=1', '"\'""=1"'],
  ['a-b;c+d', 'a-b;c+d'],
])('the name %j is the text %s of a field, and no formula', async (customer_name, field) => {
  harness.books.page = async () => pageOf([order(1, { customer_name })], false);
  expect((await download()).text).toContain(`,ada@example.com,${field},GB,`);
});

test('an affiliate’s statement keeps negative amounts as numbers, and an unknown affiliate is answered as an error', async () => {
  const at = (code: string) => `/api/v1/affiliates/${code}/statement/export`;
  const file = await download('', {}, at('grace'));
  expect(file.headers['content-disposition']).toMatch(/filename="statement-grace-/);
  expect(linesOf(file.text)).toEqual([
    'id,created_at,time_zone,kind,order_id,payout_id,amount,balance,currency',
    'led_2,2026-07-01 12:00:00,UTC,clawback,ord_1,,-43.70,-43.70,usd',
    '',
  ]);
  expect((await download('', {}, at('unknown'))).json).toMatchObject({ status: 404, code: 'affiliate_not_found' });
});

test('subscriptions are downloaded with the filters of their list', async () => {
  const file = await download('?test=true&timeZone=Asia/Tokyo', {}, '/api/v1/subscriptions/export');
  expect(subscriptionRequests).toEqual([{ test: 'true', limit: 100 }]);
  expect(linesOf(file.text)[1]).toBe(
    'sub_1,2026-02-01 08:30:00,Asia/Tokyo,active,automatic,ord_1,prd_1,Club,a@example.com,19.00,usd,month,2026-03-01 08:30:00,2026-03-29 11:30:00,,,,0,0042,',
  );
});

test('what is refused before the first part is a problem document', async () => {
  for (const [query, field] of [
    ['?timeZone=Mars/Base', 'timeZone'],
    ['?status=sold', 'status'],
    ['?limit=5', 'limit'],
  ] as const)
    expect((await download(query)).json).toMatchObject({ status: 422, errors: [{ field }] });
  expect((await download('', { accept: 'application/json' })).json).toMatchObject({ status: 406 });
  expect((await send(url, 'GET', path)).status).toBe(401);
  harness.books.page = async () => {
    throw new DomainError('service_unavailable', 'The order database does not answer.');
  };
  expect((await download()).json).toMatchObject({ status: 503, code: 'service_unavailable' });
});

/** Begins a download, and resolves when its head is there. */
async function begin(): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${seller.key}` };
  return await new Promise((resolve, reject) =>
    get(`${url}${path}`, { headers, agent: false }, resolve).on('error', reject),
  );
}
/** How the response ended, and what of it has come. */
async function endOf(response: IncomingMessage): Promise<{ readonly text: string; readonly complete: boolean }> {
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => undefined);
  await new Promise((resolve) => response.once('close', resolve));
  return { text, complete: response.complete };
}

/** Pages without an end, each of 2 MB, which fill what lies between the gateway and its client. */
function endlessPages() {
  const requested = createArrivals<OrdersQuery>();
  const data = Array.from({ length: 100 }, (_, n) => order(n, { customer_name: 'x'.repeat(20_000) }));
  harness.books.page = async (query) => {
    requested.push(query);
    return pageOf(data, true);
  };
  return requested;
}
/** Requests that are answered one after the other: a page that was to be read meanwhile has been read by then. */
async function otherRequests(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await send(url, 'GET', '/api/v1/products', { key: seller.key });
}

test('a HEAD has the head of the file and reads no more than its first page', async () => {
  const requested = endlessPages();
  const { status, headers, text } = await send(url, 'HEAD', path, { key: seller.key });
  expect([status, headers['content-type'], headers['content-length'], text]).toEqual([
    200,
    'text/csv; charset=utf-8',
    undefined,
    '',
  ]);
  await otherRequests();
  expect(requested.list).toHaveLength(1);
});

test('an error in the middle ends the connection: no client takes the beginning for the whole file', async () => {
  harness.books.page = async ({ before }) => {
    if (before === undefined) return pageOf([order(1)], true);
    throw new DomainError('service_unavailable', 'The order database does not answer.');
  };
  const end = await endOf(await begin());
  expect(end.text).toContain(ids[1]);
  expect(end.complete).toBe(false);
});

test('a client that does not read holds the export back, and one that goes away ends it', async () => {
  const requested = endlessPages();
  const response = await begin();
  response.on('error', () => undefined).pause();
  await requested.wait(1);
  await otherRequests();
  // What lies between: the parts in hand, and the buffers of both sockets, some MB on a loopback.
  const held = requested.list.length;
  expect(held).toBeLessThan(15);
  await otherRequests();
  expect(requested.list.length).toBeLessThanOrEqual(held + 1);
  const id = String(response.headers['x-request-id']);
  const ended = announced(requestEnded, ({ requestId }) => requestId === id);
  response.destroy();
  await ended;
  const read = requested.list.length;
  await otherRequests();
  expect(requested.list.length).toBe(read);
});
