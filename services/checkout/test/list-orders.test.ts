import { emailKey } from '@app/contracts/email-key';
import { idTimeMs, newId } from '@app/contracts/ids';
import { listOrders, listTestOrders, type OrderResource, type OrdersQuery } from '@app/contracts/orders';
import { guardLeaks } from '@app/testing/leak-guard';
import { plannedScans, query as queryDatabase } from '@app/testing/sql';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from './harness.ts';
import { countStatements } from './named-statements.ts';

guardLeaks();

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness();
  await harness.start();
});
afterEach(() => harness.reset());
afterAll(() => harness.close());

const [course, book] = ['prd_01m7xft13ne0wattr3dpc56bw9', 'prd_01m7xft13ne0wattr3dpc56bwa'];
const start = Date.parse('2026-03-01T00:00:00Z');
const hour = 3_600_000;

interface Sold {
  readonly id: string;
  readonly account_id: string;
  readonly product_id: string;
  readonly customer_email: string;
  readonly customer_name: string;
  readonly status: string;
  readonly affiliate_code: string | null;
  readonly test: boolean;
}

/** One order an hour, of which each differs from the one before it. */
function orders(count: number, accounts = ['acc_1', 'acc_1', 'acc_1', 'acc_2']): Sold[] {
  const pick = <T>(from: readonly T[], index: number): T => from[index % from.length] as T;
  return Array.from({ length: count }, (_, n) => ({
    id: newId('order', start + n * hour),
    account_id: pick(accounts, n),
    product_id: pick([course, book] as string[], Math.floor(n / 2)),
    customer_email: pick(['ada@example.com', 'Ada@Example.com', 'eli@example.com'], Math.floor(n / 3)),
    customer_name: pick(['Ada Lovelace', 'ADAM', 'Élodie', 'élan', '', '50% off', 'a_b'], n),
    status: pick(['paid', 'paid', 'refunded', 'authorized', 'expired'], Math.floor(n / 2)),
    affiliate_code: pick(['LEAF', null, 'leaf', 'leaflet', null], n),
    test: n % 7 === 0,
  }));
}

async function record(rows: readonly Sold[]): Promise<void> {
  await queryDatabase(
    harness.database.url,
    `insert into orders (id, account_id, product_id, customer_email, email_key, customer_name, total_cents, currency, status,
       affiliate_code, source, test, items, created_at)
     select id, account_id, product_id, customer_email, email_key, customer_name, 0, 'usd', status, affiliate_code, 'api', test, '[]', at
     from json_to_recordset($1::json) as r(id text, account_id text, product_id text, customer_email text, email_key text, customer_name text,
       status text, affiliate_code text, test boolean, at timestamptz)`,
    [
      JSON.stringify(
        rows.map((row) => ({ ...row, email_key: emailKey(row.customer_email), at: new Date(idTimeMs(row.id)) })),
      ),
    ],
  );
}

const page = async (query: OrdersQuery, { test = false, accountId = 'acc_1' } = {}) =>
  await harness.requester.request(test ? listTestOrders : listOrders, query, { accountId, requestId: 'req-1' });
const idsOf = ({ data }: { data: readonly OrderResource[] }) => data.map(({ id }) => id);

/** What the documentation says of each filter, in other words than SQL. */
function meets(query: OrdersQuery, row: Sold): boolean {
  const { q, status = row.status, productId = row.product_id, from, to, affiliateCode } = query;
  const at = idTimeMs(row.id);
  const begins = row.customer_name.toLowerCase().startsWith(q?.toLowerCase() ?? '');
  const found = q?.includes('@') ? emailKey(row.customer_email) === emailKey(q) : begins || row.id === q;
  return (
    (q === undefined || found) &&
    row.status === status &&
    row.product_id === productId &&
    (from === undefined || at >= Date.parse(from)) &&
    (to === undefined || at < Date.parse(to)) &&
    (affiliateCode === undefined || row.affiliate_code?.toLowerCase() === affiliateCode.toLowerCase())
  );
}

const from = '2026-03-02T00:00:00Z';
const choices = [
  [{}, ...['ADA@example.com', 'ad', 'éL', '50%', 'a_', 'unknown'].map((q) => ({ q }))],
  [{}, { status: 'paid' }, { status: 'refunded' }, { status: 'authorized' }],
  [{}, { productId: book }],
  [{}, { affiliateCode: 'Leaf' }],
  [{}, { from }, { from, to: '2026-03-03T08:00:00+02:00' }],
] as const;

/** One of each choice, in every way. */
const combinations = (): OrdersQuery[] =>
  choices.reduce<OrdersQuery[]>(
    (made, choice) => made.flatMap((one) => choice.map((other) => ({ ...one, ...other }) as OrdersQuery)),
    [{}],
  );

test('every combination of filters lists the orders that meet all of them, newest first, live ones or rehearsals', async () => {
  const rows = orders(100);
  await record(rows);
  const sold = rows.filter(({ account_id, status }) => account_id === 'acc_1' && status !== 'expired').toReversed();
  let found = 0;
  for (const isTest of [false, true])
    for (const query of [...combinations(), ...sold.slice(0, 4).map(({ id }) => ({ q: id }))]) {
      const expected = sold.filter((row) => row.test === isTest && meets(query, row)).map(({ id }) => id);
      expect([query, idsOf(await page(query, { test: isTest }))]).toEqual([query, expected]);
      found += expected.length;
    }
  expect(found).toBeGreaterThan(1_000);
});

test('a filtered list pages back by the id of any order of the account, and says whether more follow', async () => {
  const rows = orders(60);
  await record(rows);
  const query = { productId: book, status: 'paid' } as const;
  const all = idsOf(await page(query));
  expect(all.length).toBeGreaterThan(4);
  const first = await page({ ...query, limit: 3 });
  expect([idsOf(first), first.has_more]).toEqual([all.slice(0, 3), true]);
  const rest = await page({ ...query, before: all[2] as string });
  expect([idsOf(rest), rest.has_more]).toEqual([all.slice(3), false]);
  expect((await page(query)).has_more).toBe(false);
  const other = rows.findLast(({ account_id, product_id }) => account_id === 'acc_1' && product_id === course)?.id;
  expect(idsOf(await page({ ...query, before: other as string })).length).toBeGreaterThan(0);
  const foreign = rows.find(({ account_id }) => account_id === 'acc_2')?.id as string;
  for (const isTest of [false, true])
    await expect(page({ ...query, before: foreign }, { test: isTest })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'before', code: 'unknown_id' }],
    });
});

test('without a filter the list is the published one, and test orders have a list of their own', async () => {
  await record(orders(20));
  expect(Object.keys(await page({}))).toEqual(['data']);
  expect((await page({})).data.every((order) => !order.test)).toBe(true);
  const rehearsals = await page({}, { test: true });
  expect(rehearsals.data.length).toBeGreaterThan(0);
  expect(rehearsals.data.every((order) => order.test)).toBe(true);
});

test('an order is found by the number on its receipt, and a name that has its form is a name', async () => {
  const sold = orders(40).map((row, n) => (n % 2 === 0 ? row : { ...row, customer_name: 'Stephane' }));
  await record(sold);
  const mine = sold.filter(({ account_id, status }) => account_id === 'acc_1' && status !== 'expired');
  for (const isTest of [false, true]) {
    const own = mine.filter((row) => row.test === isTest);
    const id = own[0]?.id as string;
    expect(idsOf(await page({ q: id.slice(-8).toUpperCase() }, { test: isTest }))).toEqual([id]);
    const named = own.filter(({ customer_name }) => customer_name === 'Stephane').map((row) => row.id);
    expect(idsOf(await page({ q: 'stephane', limit: 100 }, { test: isTest })).toSorted()).toEqual(named.toSorted());
  }
  const other = sold.find(({ account_id }) => account_id === 'acc_2')?.id as string;
  expect(idsOf(await page({ q: other.slice(-8) }))).toEqual([]);
});

test('orders are listed by how their disputes stand', async () => {
  const rows = orders(12).filter(
    ({ test: isTest, status, account_id }) => !isTest && status !== 'expired' && account_id === 'acc_1',
  );
  await record(rows);
  const [open, lost, won] = rows.map(({ id }) => id) as [string, string, string];
  for (const [id, disputes] of [
    [open, { dsp_1: 'lost', dsp_2: 'open' }],
    [lost, { dsp_1: 'won', dsp_2: 'lost' }],
    [won, { dsp_1: 'won' }],
  ] as const)
    await queryDatabase(harness.database.url, 'update orders set disputes = $2 where id = $1', [id, disputes]);
  expect(await page({ dispute: 'open' })).toMatchObject({ data: [{ id: open, dispute: 'open' }], has_more: false });
  expect(idsOf(await page({ dispute: 'lost' }))).toEqual([lost]);
  expect(idsOf(await page({ dispute: 'lost', q: open }))).toEqual([]);
});

test.each([
  { of: 'one account alone', accounts: ['acc_1'], span: 'orders_pkey' },
  { of: 'many accounts', accounts: Array.from({ length: 40 }, (_, n) => `acc_${n}`), span: 'orders_listed' },
])('each filter finds its orders along the index that is for it, among orders of $of', async ({ accounts, span }) => {
  const texts = new Map<string, string>();
  await countStatements(harness.database.url, texts);
  // An order has its own buyer, nearly always.
  const sold = orders(3_000, accounts).map((row, n) => (n % 3 === 0 ? row : { ...row, customer_email: `b${n}@x.io` }));
  await record(sold);
  await queryDatabase(harness.database.url, 'analyze orders');
  const ways: readonly [OrdersQuery, boolean, readonly string[]][] = [
    [{ to: '2027-01-01T00:00:00Z' }, false, [span]],
    [{ status: 'paid' }, false, [span]],
    [{ q: 'ada@example.com' }, false, ['orders_pkey', 'orders_of_email_key']],
    [{ q: 'ada' }, false, ['orders_pkey', 'orders_of_name']],
    [{ status: 'authorized' }, false, ['orders_pkey', 'orders_authorized']],
    [{ status: 'refunded' }, false, ['orders_refunded']],
    [{ dispute: 'open' }, false, ['orders_disputed']],
    [{ affiliateCode: 'leaf' }, false, ['orders_of_affiliate']],
    [{ productId: book as string }, false, ['orders_of_product']],
    [{}, true, ['rehearsals_listed']],
    [{ q: 'ada@example.com' }, true, ['orders_pkey', 'rehearsals_of_email_key']],
  ];
  for (const [query, isTest, indexes] of ways) {
    texts.clear();
    await page(query, { test: isTest });
    const [text] = [...texts].flatMap(([name, each]) => (name.startsWith('orders-') ? [each] : []));
    const scans = await plannedScans(harness.database.url, text as string);
    expect([query, scans.map(({ index, lookUp }) => lookUp && index)]).toEqual([query, indexes]);
  }
});
