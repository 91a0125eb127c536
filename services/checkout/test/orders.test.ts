import { listOf, maxAmountCents } from '@app/contracts/common';
import { createOrder, getOrder, listOrders, orderPaid, orderResource } from '@app/contracts/orders';
import { outboxPublished } from '@app/testing/followed-events';
import { guardLeaks } from '@app/testing/leak-guard';
import { query as queryDatabase } from '@app/testing/sql';
import { readStream } from '@app/testing/stream';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { account, context, course, createHarness, type Harness, orderBody } from './harness.ts';
import { countStatements, wholeReads } from './named-statements.ts';

guardLeaks();

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness();
  await harness.start();
});
beforeEach(() => void harness.products.set('acc_1/course', course));
afterEach(() => harness.reset());
afterAll(() => harness.close());

const create = (change: Parameters<typeof orderBody>[0] = {}, ctx = context(), seller = account) =>
  harness.requester.request(createOrder, { body: orderBody(change), account: seller }, ctx);
const list = (page = {}, accountId = 'acc_1') =>
  harness.requester.request(listOrders, page, { accountId, requestId: 'req-1' });

const query = <Row extends object>(sql: string) => queryDatabase<Row>(harness.database.url, sql);

async function publishedEvents(ofOrder: string): Promise<z.infer<typeof orderPaid.data>[]> {
  const messages = await readStream(harness.nats, 'EVT_CHECKOUT');
  const events = messages.map(({ body }) => orderPaid.data.parse((body as { data: unknown }).data));
  return events.filter(({ orderId }) => orderId === ofOrder);
}

/* The first one of the file: in a database that has had many rows the planner knows how many there are. */
test('no statement that an order waits for reads a whole table, even before the planner knows how many rows there are', async () => {
  const texts = new Map<string, string>();
  await countStatements(harness.database.url, texts);
  await (await harness.startAndSweep()).close();
  const ctx = context();
  for (const change of [{}, { discountCode: 'TWICE' }]) {
    await create(change, ctx);
    await create(change, ctx);
    ctx.commandId = context().commandId;
  }
  await expect(create({ discountCode: 'none' })).rejects.toMatchObject({ code: 'discount_invalid' });
  const least = ['orders-record', 'orders-existing', 'discounts-claim-uses', 'orders-outcomes', 'orders-refuse'];
  expect([...texts.keys()]).toEqual(expect.arrayContaining([...least, 'checkouts-claim', 'checkouts-claim-waiting']));
  expect(await wholeReads(harness.database.url, texts)).toEqual([]);
});

test('a recorded order is in the list in the published shape, and its event is on the stream', async () => {
  const ctx = context();
  const change = {
    name: 'Ada Lovelace',
    bumpIds: ['bmp_1', 'bmp_1'],
    country: 'GB',
    utm_source: 'letter',
    affiliateCode: 'leaf',
  };
  expect(await create(change, ctx)).toEqual({ ok: true, orderId: `ord_${ctx.commandId}`, totalCents: 11_800 });
  const listed = z.strictObject({ data: z.array(z.strictObject(orderResource.shape)) }).parse(await list());
  expect(listed.data).toHaveLength(1);
  expect(listed.data[0]).toMatchObject({
    id: `ord_${ctx.commandId}`,
    customer_name: 'Ada Lovelace',
    total_cents: 11_800,
    refunded_cents: 0,
    dispute: null,
    status: 'paid',
    utm_source: 'letter',
    utm_medium: null,
    items: [
      { kind: 'main', label: 'Course', amount_cents: 9_900 },
      { kind: 'bump', label: 'Guide', amount_cents: 1_900 },
    ],
  });
  const read = await harness.requester.request(getOrder, { orderId: `ord_${ctx.commandId}` }, ctx);
  expect(read).toEqual(listed.data[0]);
  await outboxPublished({ query: async (text) => ({ rows: await query(text) }) });
  expect(await publishedEvents(`ord_${ctx.commandId}`)).toMatchObject([
    { orderId: `ord_${ctx.commandId}`, affiliateCode: 'leaf', country: 'GB', test: false },
  ]);
});

test('a command that comes again records nothing, and answers as the first did whatever the catalog says by now', async () => {
  const ctx = context();
  const first = await create({}, ctx);
  harness.products.set('acc_1/course', { ...course, priceCents: 1 });
  expect(await create({}, ctx)).toEqual(first);
  harness.products.delete('acc_1/course');
  expect(await create({}, ctx)).toEqual(first);
  expect((await list()).data).toHaveLength(1);
  expect(await query('select 1 from outbox')).toHaveLength(1);
});

test('orders that wait together share one request to the catalog', async () => {
  await Promise.all(Array.from({ length: 100 }, () => create()));
  expect(harness.requested.length).toBeLessThan(50);
  expect(await query('select 1 from orders')).toHaveLength(100);
});

test('the catalog is queried once for each product, and only for what the orders name', async () => {
  await create({ bumpIds: ['bmp_1', 'bmp_1'], discountCode: 'twice' });
  const one = { accountId: 'acc_1', productId: null, slug: 'course' };
  expect(harness.requested).toEqual([[{ ...one, bumpIds: ['bmp_1'], discountCodes: ['TWICE'] }]]);
  const release = harness.stallCatalog();
  const [first, second] = [create(), harness.catalogRequests(2).then(() => create())];
  await harness.catalogRequests(3);
  const together = await harness.arrived(4, () => [
    create({ bumpIds: ['bmp_1'] }),
    create({ discountCode: 'always' }),
    create({ bumpIds: ['bmp_9', 'bmp_1'], discountCode: 'TWICE' }),
    create({ productSlug: 'other' }),
  ]);
  release();
  const outcomes = await Promise.allSettled([first, second, ...together.sent]);
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, false]);
  expect(harness.requested[3]).toEqual([
    { ...one, bumpIds: ['bmp_1', 'bmp_9'], discountCodes: ['ALWAYS', 'TWICE'] },
    { ...one, slug: 'other', bumpIds: [], discountCodes: [] },
  ]);
});

test('a refusal names its field, records nothing, and leaves the other orders of its batch alone', async () => {
  const outcomes = await Promise.allSettled([
    create(),
    create({ bumpIds: ['bmp_9'] }),
    create({ productSlug: 'unknown' }),
    create(),
  ]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  await expect(create({ bumpIds: ['bmp_9'] })).rejects.toMatchObject({
    code: 'bump_not_found',
    errors: [{ field: 'bumpIds.0' }],
  });
  await expect(create({ productSlug: 'unknown' })).rejects.toMatchObject({ code: 'unknown_product' });
  expect(await query('select 1 from orders')).toHaveLength(2);
  expect(await query('select 1 from outbox')).toHaveLength(2);
});

test('a use limit holds however many orders come at once, and a refused order takes no use', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create({ discountCode: 'twice' })));
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(2);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'discount_invalid' });
  }
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '2' }]);
  expect(await query('select 1 from orders')).toHaveLength(2);
});

test('orders of one batch get the uses of their codes first come, first served; the others of the batch are untouched', async () => {
  const other = { ...course.discounts[0], id: 'dsc_3', code: 'ONCE', maxUses: 1 } as (typeof course.discounts)[number];
  harness.products.set('acc_1/course', { ...course, discounts: [...course.discounts, other] });
  harness.products.set('acc_2/course', course);
  await create({ discountCode: 'twice' });
  const release = harness.stallCatalog();
  // Two batches that wait; what comes now waits behind them and forms the next batch.
  const first = create();
  await harness.catalogRequests(2);
  const second = create();
  await harness.catalogRequests(3);
  const named = (discountCode?: string, accountId = 'acc_1', test = false) =>
    create({ ...(discountCode === undefined ? {} : { discountCode }), test }, context(accountId));
  const orders = () => [
    named('TWICE', 'acc_1', true),
    named('TWICE'),
    named('TWICE'),
    named(),
    named('ONCE'),
    named('TWICE', 'acc_1', true),
    named('once'),
    named('TWICE', 'acc_2'),
    named('ALWAYS'),
  ];
  const together = await harness.arrived(9, () => Promise.allSettled(orders()));
  release();
  await Promise.all([first, second]);
  expect((await together.sent).map((outcome) => (outcome.status === 'fulfilled' ? true : outcome.reason.code))).toEqual(
    [...[true, true, 'discount_invalid', true, true, 'discount_invalid', 'discount_invalid', true, true]],
  );
  const uses = await query<object>('select account_id, discount_id, uses from discount_uses order by 1, 2');
  expect(uses.map((row) => Object.values(row).join(' '))).toEqual([
    'acc_1 dsc_1 2',
    'acc_1 dsc_2 1',
    'acc_1 dsc_3 1',
    'acc_2 dsc_1 1',
  ]);
});

test('a limit that was lowered below the uses there are refuses, and one that was raised gives again', async () => {
  const withLimit = (maxUses: number | null) =>
    harness.products.set('acc_1/course', { ...course, discounts: [{ ...last, maxUses }] });
  const last = course.discounts[0] as (typeof course.discounts)[number];
  withLimit(null);
  await Promise.all([create({ discountCode: 'TWICE' }), create({ discountCode: 'TWICE' })]);
  withLimit(1);
  await expect(create({ discountCode: 'TWICE' })).rejects.toMatchObject({ code: 'discount_invalid' });
  withLimit(3);
  await create({ discountCode: 'TWICE' });
  await expect(create({ discountCode: 'TWICE' })).rejects.toMatchObject({ code: 'discount_invalid' });
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '3' }]);
});

test('a test order must meet the terms of a discount and takes none of its uses', async () => {
  const testOrder = () => create({ discountCode: 'TWICE', test: true });
  await Promise.all([testOrder(), testOrder(), testOrder()]);
  await Promise.all([create({ discountCode: 'TWICE' }), create({ discountCode: 'TWICE' })]);
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '2' }]);
  await expect(testOrder()).rejects.toMatchObject({ code: 'discount_invalid' });
  await expect(create({ discountCode: 'NONE', test: true })).rejects.toMatchObject({ code: 'discount_invalid' });
  expect(await query('select 1 from orders')).toHaveLength(5);
});

test('the same discounted command twice at once makes one order and takes one use', async () => {
  const ctx = context();
  const [one, other] = await Promise.all([
    create({ discountCode: 'ALWAYS' }, ctx),
    create({ discountCode: 'ALWAYS' }, ctx),
  ]);
  expect(one).toEqual({ ok: true, orderId: `ord_${ctx.commandId}`, totalCents: 9_500 });
  expect(other).toEqual(one);
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '1' }]);
  expect(await query('select 1 from orders')).toHaveLength(1);
});

test('test orders are in no list but produce their event', async () => {
  await create({}, context(), { ...account, testMode: true });
  await create({ test: true });
  await create({ test: false }, context(), { ...account, testMode: true });
  expect((await list()).data).toMatchObject([{ test: false }]);
  expect(await query('select 1 from outbox')).toHaveLength(3);
});

test('lists page back by id, newest first, and say whether there is more', async () => {
  for (let n = 0; n < 5; n++) await create({ name: `Buyer ${n}` });
  const page = listOf(orderResource).parse(await list({ limit: 2 }));
  expect(page.data.map((order) => order.customer_name)).toEqual(['Buyer 4', 'Buyer 3']);
  expect(page.has_more).toBe(true);
  const last = await list({ limit: 3, before: page.data[1]?.id });
  expect(last.data.map((order) => order.customer_name)).toEqual(['Buyer 2', 'Buyer 1', 'Buyer 0']);
  expect(last.has_more).toBe(false);
  expect(await list()).not.toHaveProperty('has_more');
});

test('another account sees nothing of it: not the list, not the order by its id', async () => {
  const { orderId } = await create();
  expect((await list({}, 'acc_2')).data).toEqual([]);
  const request = harness.requester.request(getOrder, { orderId }, { accountId: 'acc_2', requestId: 'r' });
  await expect(request).rejects.toMatchObject({ code: 'order_not_found' });
});

test('the schema refuses an order whose lines do not add up', async () => {
  await create();
  await expect(query('update orders set total_cents = total_cents + 1')).rejects.toThrow('total_is_sum_of_items');
});

test('an order keeps the code that was typed; its event names the affiliate who is credited, as they write it', async () => {
  harness.affiliates.set('acc_1/leaf', 'Leaf');
  await create({ affiliateCode: 'LEAF' });
  await create({ affiliateCode: 'typo' });
  await create();
  expect((await query('select affiliate_code from orders order by id')).map(Object.values)).toEqual([
    ['LEAF'],
    ['typo'],
    [null],
  ]);
  const events = await query<{ data: unknown }>(`select payload::json -> 'data' as data from outbox order by id`);
  expect(events.map(({ data }) => data)).toMatchObject([
    { affiliateCode: 'LEAF', creditedCode: 'Leaf' },
    { affiliateCode: 'typo', creditedCode: null },
    { affiliateCode: null, creditedCode: null },
  ]);
});

test('while the affiliate service is slow to respond, orders with an affiliate code delay no others', async () => {
  const release = harness.stallAffiliate();
  const waiting: Promise<unknown>[] = [];
  // As many batches as may be under way at once, and an order behind them.
  for (const requested of [1, 2, 2]) {
    const { sent } = await harness.arrived(1, () => [create({ affiliateCode: 'leaf' })]);
    waiting.push(...sent);
    await harness.affiliateRequests(requested);
  }
  await create();
  // None of them gave its slot up first: that would be another request.
  expect(harness.creditRequests()).toBe(2);
  release();
  await Promise.all(waiting);
});

test('the same command twice in one batch makes one order and one event', async () => {
  const ctx = context();
  // A first order keeps the batcher busy, so that the two copies wait together.
  const outcomes = await Promise.all([create(), create(), create({}, ctx), create({}, ctx), create({}, ctx)]);
  expect(new Set(outcomes.slice(2).map((outcome) => outcome.orderId))).toEqual(new Set([`ord_${ctx.commandId}`]));
  expect(await query('select 1 from orders')).toHaveLength(3);
  expect(await query('select event_id from outbox')).toHaveLength(3);
});

test('a recorded order whose total is over the limit is refused, and stays refused', async () => {
  harness.products.set('acc_1/course', { ...course, priceCents: maxAmountCents });
  const ctx = context();
  for (let call = 0; call < 2; call++)
    await expect(create({ bumpIds: ['bmp_1'] }, ctx)).rejects.toMatchObject({ code: 'total_too_large' });
  expect(await create()).toMatchObject({ totalCents: maxAmountCents });
  expect(await query('select 1 from orders')).toHaveLength(1);
});
