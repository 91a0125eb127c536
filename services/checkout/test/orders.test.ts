import { listOf } from '@app/contracts/common';
import { getOrder, listOrders, orderPaid, orderResource, placeOrder } from '@app/contracts/orders';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { query as queryDatabase } from '@app/testing/sql';
import { readStream } from '@app/testing/stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { account, context, course, createHarness, type Harness, orderBody } from './harness.ts';

guardLeaks();

let harness: Harness;

beforeEach(async () => {
  harness = await createHarness();
  harness.offers.set('acc_1/course', course);
  await harness.start();
});

afterEach(() => harness.close());

const place = (change: Parameters<typeof orderBody>[0] = {}, ctx = context(), seller = account) =>
  harness.requester.request(placeOrder, { body: orderBody(change), account: seller }, ctx);
const list = (page = {}, accountId = 'acc_1') =>
  harness.requester.request(listOrders, page, { accountId, requestId: 'req-1' });

const query = <Row extends object>(sql: string) => queryDatabase<Row>(harness.database.url, sql);

async function publishedEvents(): Promise<z.infer<typeof orderPaid.data>[]> {
  const messages = await readStream(harness.nats, 'EVT_CHECKOUT');
  return messages.map(({ body }) => orderPaid.data.parse((body as { data: unknown }).data));
}

test('a recorded order is in the list in the published shape, and its event is on the stream', async () => {
  const ctx = context();
  const change = {
    name: 'Ada Lovelace',
    bumpIds: ['bmp_1', 'bmp_1'],
    country: 'GB',
    utm_source: 'letter',
    affiliateCode: 'leaf',
  };
  expect(await place(change, ctx)).toEqual({ ok: true, orderId: `ord_${ctx.commandId}`, totalCents: 11_800 });
  const listed = z.strictObject({ data: z.array(z.strictObject(orderResource.shape)) }).parse(await list());
  expect(listed.data).toHaveLength(1);
  expect(listed.data[0]).toMatchObject({
    id: `ord_${ctx.commandId}`,
    customer_name: 'Ada Lovelace',
    total_cents: 11_800,
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
  const published = `select count(*)::int as n from outbox where stream_seq is not null`;
  await eventually(async () => (await query<{ n: number }>(published))[0]?.n === 1);
  expect(await publishedEvents()).toMatchObject([
    { orderId: `ord_${ctx.commandId}`, affiliateCode: 'leaf', country: 'GB', test: false },
  ]);
});

test('a command that comes again records nothing, and answers as the first did whatever the catalog says by now', async () => {
  const ctx = context();
  const first = await place({}, ctx);
  harness.offers.set('acc_1/course', { ...course, priceCents: 1 });
  expect(await place({}, ctx)).toEqual(first);
  harness.offers.delete('acc_1/course');
  expect(await place({}, ctx)).toEqual(first);
  expect((await list()).data).toHaveLength(1);
  expect(await query('select 1 from outbox')).toHaveLength(1);
});

test('orders that wait together share one question to the catalog', async () => {
  await Promise.all(Array.from({ length: 100 }, () => place()));
  expect(harness.asked.length).toBeLessThan(50);
  expect(await query('select 1 from orders')).toHaveLength(100);
});

test('the catalog is asked once for each product, and only for what the orders name', async () => {
  await place({ bumpIds: ['bmp_1', 'bmp_1'], discountCode: 'twice' });
  const one = { accountId: 'acc_1', slug: 'course' };
  expect(harness.asked).toEqual([[{ ...one, bumpIds: ['bmp_1'], discountCodes: ['TWICE'] }]]);
  const release = harness.stallCatalog();
  const [first, second] = [place(), eventually(() => harness.asked.length === 2).then(() => place())];
  await eventually(() => harness.asked.length === 3);
  const together = [
    place({ bumpIds: ['bmp_1'] }),
    place({ discountCode: 'always' }),
    place({ bumpIds: ['bmp_9', 'bmp_1'], discountCode: 'TWICE' }),
    place({ productSlug: 'other' }),
  ];
  await harness.arrived();
  release();
  const outcomes = await Promise.allSettled([first, second, ...together]);
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, false]);
  expect(harness.asked[3]).toEqual([
    { ...one, bumpIds: ['bmp_1', 'bmp_9'], discountCodes: ['ALWAYS', 'TWICE'] },
    { accountId: 'acc_1', slug: 'other', bumpIds: [], discountCodes: [] },
  ]);
});

test('a refusal names its field, records nothing, and leaves the other orders of its batch alone', async () => {
  const outcomes = await Promise.allSettled([
    place(),
    place({ bumpIds: ['bmp_9'] }),
    place({ productSlug: 'unknown' }),
    place(),
  ]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  await expect(place({ bumpIds: ['bmp_9'] })).rejects.toMatchObject({
    code: 'bump_not_found',
    errors: [{ field: 'bumpIds.0' }],
  });
  await expect(place({ productSlug: 'unknown' })).rejects.toMatchObject({ code: 'unknown_product' });
  expect(await query('select 1 from orders')).toHaveLength(2);
  expect(await query('select 1 from outbox')).toHaveLength(2);
});

test('a use limit holds however many orders ask at once, and a refused order takes no use', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => place({ discountCode: 'twice' })));
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(2);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'discount_invalid' });
  }
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '2' }]);
  expect(await query('select 1 from orders')).toHaveLength(2);
});

test('orders of one batch get the uses of their codes first come, first served; the others of the batch are untouched', async () => {
  const other = { ...course.discounts[0], id: 'dsc_3', code: 'ONCE', maxUses: 1 } as (typeof course.discounts)[number];
  harness.offers.set('acc_1/course', { ...course, discounts: [...course.discounts, other] });
  harness.offers.set('acc_2/course', course);
  await place({ discountCode: 'twice' });
  const release = harness.stallCatalog();
  // Two batches that wait; what comes now waits behind them and goes together.
  const first = place();
  await eventually(() => harness.asked.length === 2);
  const second = place();
  await eventually(() => harness.asked.length === 3);
  const named = (discountCode?: string, accountId = 'acc_1', test = false) =>
    place({ ...(discountCode === undefined ? {} : { discountCode }), test }, context(accountId));
  const together = Promise.allSettled([
    named('TWICE', 'acc_1', true),
    named('TWICE'),
    named('TWICE'),
    named(),
    named('ONCE'),
    named('TWICE', 'acc_1', true),
    named('once'),
    named('TWICE', 'acc_2'),
    named('ALWAYS'),
  ]);
  await harness.arrived();
  release();
  await Promise.all([first, second]);
  expect((await together).map((outcome) => (outcome.status === 'fulfilled' ? true : outcome.reason.code))).toEqual([
    ...[true, true, 'discount_invalid', true, true, 'discount_invalid', 'discount_invalid', true, true],
  ]);
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
    harness.offers.set('acc_1/course', { ...course, discounts: [{ ...last, maxUses }] });
  const last = course.discounts[0] as (typeof course.discounts)[number];
  withLimit(null);
  await Promise.all([place({ discountCode: 'TWICE' }), place({ discountCode: 'TWICE' })]);
  withLimit(1);
  await expect(place({ discountCode: 'TWICE' })).rejects.toMatchObject({ code: 'discount_invalid' });
  withLimit(3);
  await place({ discountCode: 'TWICE' });
  await expect(place({ discountCode: 'TWICE' })).rejects.toMatchObject({ code: 'discount_invalid' });
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '3' }]);
});

test('a rehearsal is held to the terms of a discount and takes none of its uses', async () => {
  const rehearse = () => place({ discountCode: 'TWICE', test: true });
  await Promise.all([rehearse(), rehearse(), rehearse()]);
  await Promise.all([place({ discountCode: 'TWICE' }), place({ discountCode: 'TWICE' })]);
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '2' }]);
  await expect(rehearse()).rejects.toMatchObject({ code: 'discount_invalid' });
  await expect(place({ discountCode: 'NONE', test: true })).rejects.toMatchObject({ code: 'discount_invalid' });
  expect(await query('select 1 from orders')).toHaveLength(5);
});

test('the same discounted command twice at once makes one order and takes one use', async () => {
  const ctx = context();
  const [one, other] = await Promise.all([
    place({ discountCode: 'ALWAYS' }, ctx),
    place({ discountCode: 'ALWAYS' }, ctx),
  ]);
  expect(one).toEqual({ ok: true, orderId: `ord_${ctx.commandId}`, totalCents: 9_500 });
  expect(other).toEqual(one);
  expect(await query('select uses from discount_uses')).toEqual([{ uses: '1' }]);
  expect(await query('select 1 from orders')).toHaveLength(1);
});

test('rehearsals are in no list but produce their event', async () => {
  await place({}, context(), { ...account, testMode: true });
  await place({ test: true });
  await place({ test: false }, context(), { ...account, testMode: true });
  expect((await list()).data).toMatchObject([{ test: false }]);
  expect(await query('select 1 from outbox')).toHaveLength(3);
});

test('lists page back by id, newest first, and say whether there is more', async () => {
  for (let n = 0; n < 5; n++) await place({ name: `Buyer ${n}` });
  const page = listOf(orderResource).parse(await list({ limit: 2 }));
  expect(page.data.map((order) => order.customer_name)).toEqual(['Buyer 4', 'Buyer 3']);
  expect(page.has_more).toBe(true);
  const last = await list({ limit: 3, before: page.data[1]?.id });
  expect(last.data.map((order) => order.customer_name)).toEqual(['Buyer 2', 'Buyer 1', 'Buyer 0']);
  expect(last.has_more).toBe(false);
  expect(await list()).not.toHaveProperty('has_more');
});

test('another account sees nothing of it: not the list, not the order by its id', async () => {
  const { orderId } = await place();
  expect((await list({}, 'acc_2')).data).toEqual([]);
  const ask = harness.requester.request(getOrder, { orderId }, { accountId: 'acc_2', requestId: 'r' });
  await expect(ask).rejects.toMatchObject({ code: 'order_not_found' });
});

test('the schema refuses an order whose lines do not add up', async () => {
  await place();
  await expect(query('update orders set total_cents = total_cents + 1')).rejects.toThrow('total_is_sum_of_items');
});

test('an order keeps the code that was typed; its event names the partner who is credited, as they write it', async () => {
  harness.partners.set('acc_1/leaf', 'Leaf');
  await place({ affiliateCode: 'LEAF' });
  await place({ affiliateCode: 'typo' });
  await place();
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

test('without the affiliate service orders with a partner code wait, and no others', async () => {
  await Promise.all([place(), place(), place()]);
  expect(harness.creditQuestions()).toBe(0);
  await harness.stopAffiliate();
  const outcomes = await Promise.allSettled([place(), place({ affiliateCode: 'leaf' }), place()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'service_unavailable' } });
  expect(await query('select 1 from orders where affiliate_code is not null')).toEqual([]);
});

test('while the affiliate service works on its answers, orders with a partner code delay no others', async () => {
  const release = harness.stallAffiliate();
  const waiting: Promise<unknown>[] = [];
  // As many batches as may be under way at once, and an order behind them.
  for (const asked of [1, 2, 2]) {
    waiting.push(place({ affiliateCode: 'leaf' }));
    await eventually(() => harness.creditQuestions() === asked);
  }
  await place();
  // None of them gave its place up first: that would be another question.
  expect(harness.creditQuestions()).toBe(2);
  release();
  await Promise.all(waiting);
});

test('without the catalog an order is refused at once and not recorded', async () => {
  await harness.stopCatalog();
  await expect(place()).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await query('select 1 from orders')).toEqual([]);
});

test('the same command twice in one batch makes one order and one event', async () => {
  const ctx = context();
  // A first order keeps the desk busy, so that the two copies wait together.
  const outcomes = await Promise.all([place(), place(), place({}, ctx), place({}, ctx), place({}, ctx)]);
  expect(new Set(outcomes.slice(2).map((outcome) => outcome.orderId))).toEqual(new Set([`ord_${ctx.commandId}`]));
  expect(await query('select 1 from orders')).toHaveLength(3);
  expect(await query('select event_id from outbox')).toHaveLength(3);
});
