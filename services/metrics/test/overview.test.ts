import { type Overview, type OverviewMoney, overview, type overviewStep } from '@app/contracts/overview';
import { fakeClock } from '@app/testing/fake-clock';
import { randomRuns, volume } from '@app/testing/long';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  type Fact,
  type FactMark,
  factOfOrder,
  factOfRefund,
  factOfReopening,
  factOfVisit,
} from '../src/facts/fact.rules.ts';
import { getOverview } from '../src/overview/get-overview.ts';
import { points, productsAtEnd, spansOfProducts } from '../src/overview/overview-statements.ts';
import { rebuildRollups } from '../src/rollups/rebuild-rollups.ts';
import { accounts, arrivalsOf, factOf, histories, type RawEvent } from './histories.ts';
import { activeAt, monthly } from './recomputation.ts';
import { orderEvent, refundEvent, reopeningEvent, visitEvent } from './samples.ts';
import { database, deleteAllFacts, deliver, openStorage } from './set-up.ts';

openStorage();

const clock = fakeClock('2025-06-15T12:00:00.000Z');
beforeEach(deleteAllFacts);

type Input = Parameters<typeof getOverview>[2];
const read = async (accountId: string, input: Input = {}): Promise<Overview> =>
  overview.strict().parse(await getOverview({ database, clock }, accountId, input));

const currencyOf = (productId: string): string => (productId === 'prd_1' ? 'usd' : 'eur');

/** A product's currency never changes: whatever says one says its product's. */
const inCurrencies = (history: readonly RawEvent[]): RawEvent[] =>
  history.map((event) =>
    'currency' in event.data
      ? ({ ...event, data: { ...event.data, currency: currencyOf(event.data.productId) } } as RawEvent)
      : event,
  );

const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const endOf = (day: string): number => Date.parse(day) + dayMs;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

interface About {
  readonly accountId: string;
  readonly productId: string;
}
type Days = (day: string) => boolean;

/** A product's numbers of some days, counted fact by fact and subscription by subscription. */
function recount(history: readonly RawEvent[], { accountId, productId }: About, days: Days, lastDay: string) {
  const own = history.filter(
    (event) => event.accountId === accountId && event.data.productId === productId && !event.data.test,
  );
  const facts = own.map(factOf).filter((fact) => days(fact.occurred_at.slice(0, 10)));
  const of = (...kinds: string[]) => facts.filter(({ kind }) => kinds.includes(kind));
  const cents = (those: readonly Fact[]) => sum(those.map(({ amount_cents }) => amount_cents));
  const [back, returned] = [of('order_refunded', 'payment_refunded'), of('order_reopened', 'payment_reopened')];
  const first = (those: readonly Fact[]) => those.filter(({ marks }) => !marks.includes('counted_before')).length;
  const orders = of('order_paid');
  const active = activeAt(endOf(lastDay), own);
  const money: OverviewMoney = {
    revenueCents: cents(orders) + cents(of('subscription_rebilled')),
    orders: orders.length,
    refunds: Math.max(0, first(back) - first(returned)),
    refundedCents: Math.max(0, cents(back) - cents(returned)),
    mrrCents: sum(active.map(monthly)),
    activeSubscriptions: active.length,
  };
  const checkoutOrders = orders.filter(({ marks }) => marks.includes('from_checkout')).length;
  const orderCents = cents(orders);
  const marked = (mark: FactMark) => orders.filter(({ marks }) => marks.includes(mark)).length;
  const [bump, upsell, shown] = [marked('bump'), marked('upsell'), marked('upsell_shown')];
  return { money, views: of('checkout_visited').length, checkoutOrders, orderCents, bump, upsell, shown };
}
type Recounted = ReturnType<typeof recount>;

const conversion = ({ views, checkoutOrders }: Pick<Recounted, 'views' | 'checkoutOrders'>): number =>
  views === 0 ? 0 : Math.floor((Math.min(checkoutOrders, views) * 10_000) / views + 0.5) / 10_000;
const visitsOf = (all: readonly Recounted[]) => {
  const [views, checkoutOrders] = [sum(all.map((each) => each.views)), sum(all.map((each) => each.checkoutOrders))];
  return { views, conversionRate: conversion({ views, checkoutOrders }), checkoutOrders };
};
const moneyOf = (all: readonly Recounted[]) =>
  Object.fromEntries(
    ['revenueCents', 'orders', 'refunds', 'refundedCents', 'mrrCents', 'activeSubscriptions'].map((field) => [
      field,
      sum(all.map(({ money }) => money[field as keyof OverviewMoney])),
    ]),
  );

const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((part * 10_000) / whole + 0.5) / 10_000;
const spanOf = (all: readonly Recounted[]) => {
  const money = moneyOf(all) as OverviewMoney;
  const total = (field: 'orderCents' | 'bump' | 'upsell' | 'shown') => sum(all.map((each) => each[field]));
  return {
    ...money,
    netRevenueCents: money.revenueCents - money.refundedCents,
    aovCents: money.orders === 0 ? 0 : Math.floor(total('orderCents') / money.orders + 0.5),
    bumpTakeRate: share(total('bump'), money.orders),
    upsellTakeRate: share(total('upsell'), total('shown')),
  };
};

interface Requested {
  readonly from: string;
  readonly to: string;
  readonly by: z.infer<typeof overviewStep>;
}

/** Everything that the overview says, from a recount of the history. */
async function expectRecounted(history: readonly RawEvent[], accountId: string, requested: Requested): Promise<void> {
  const { from, to, by } = requested;
  const found = await read(accountId, requested);
  const length = endOf(to) - Date.parse(from);
  const previous = { from: dayOf(Date.parse(from) - length), to: dayOf(Date.parse(from) - dayMs) };
  expect(found).toMatchObject({ ...requested, previous });
  const days = Array.from({ length: length / dayMs }, (_, n) => dayOf(Date.parse(from) + n * dayMs));
  const dates = by === 'day' ? days : [...new Set(days.map((day) => day.slice(0, 7)))];
  const lastOf = (date: string) => days.findLast((day) => day.startsWith(date)) as string;
  const inSpan: Days = (day) => day >= from && day <= to;
  const before: Days = (day) => day >= previous.from && day <= previous.to;
  const counted = (productId: string, which: Days, last: string) =>
    recount(history, { accountId, productId }, which, last);
  const pointOf = (ids: readonly string[], date: string) =>
    ids.map((id) => counted(id, (day) => inSpan(day) && day.startsWith(date), lastOf(date)));
  const known = found.products.map(({ id }) => id);
  expect([...known].toSorted()).toEqual(productsIn(history, accountId));
  expect(found.productCount).toBe(known.length);
  for (const row of found.products) {
    const recounted = counted(row.id, inSpan, to);
    const { views } = recounted;
    expect(row).toMatchObject({ ...spanOf([recounted]), views, conversionRate: conversion(recounted) });
  }
  for (const { currency, current, previous: earlier, series } of found.currencies) {
    const ids = known.filter((id) => currencyOf(id) === currency);
    expect(current).toEqual(spanOf(ids.map((id) => counted(id, inSpan, to))));
    expect(earlier).toEqual(spanOf(ids.map((id) => counted(id, before, previous.to))));
    expect(series).toEqual(dates.map((date) => ({ date, ...moneyOf(pointOf(ids, date)) })));
  }
  expect(found.visits).toEqual({
    current: visitsOf(known.map((id) => counted(id, inSpan, to))),
    previous: visitsOf(known.map((id) => counted(id, before, previous.to))),
    series: dates.map((date) => ({ date, ...visitsOf(pointOf(known, date)) })),
  });
  expectSums(found);
}

const productsIn = (history: readonly RawEvent[], accountId: string): string[] =>
  [
    ...new Set(
      history
        .filter((event) => event.accountId === accountId)
        // An order or a visit of a rehearsal names its product too.
        .filter(({ kind, data }) => !data.test || kind === 'orderPaid' || kind === 'checkoutVisited')
        .map(({ data }) => data.productId),
    ),
  ].toSorted();

/** Amounts and counts of a currency are the sums of its products' numbers. */
function expectSums({ currencies, products: rows }: Overview): void {
  for (const { currency, current } of currencies)
    for (const [field, value] of Object.entries(current).filter(([field]) => !/^aov|Rate$/.test(field)))
      expect([field, value]).toEqual([
        field,
        sum(rows.filter((row) => row.currency === currency).map((row) => row[field as keyof OverviewMoney])),
      ]);
}

/** Most end on a day on which something happened. */
const spansOf = (history: readonly RawEvent[]): fc.Arbitrary<Requested> => {
  const today = clock.now();
  const days = history.map(({ occurredAt }) => new Date(occurredAt)).filter((day) => day < today);
  return spansTo(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(today, ...days) },
      { weight: 1, arbitrary: fc.date({ min: new Date('2024-01-10'), max: today, noInvalidDate: true }) },
    ),
  );
};

const spansTo = (to: fc.Arbitrary<Date>): fc.Arbitrary<Requested> =>
  fc
    .record({
      to,
      days: fc.oneof(fc.constantFrom(1, 2, 30), fc.integer({ min: 1, max: 366 })),
      by: fc.constantFrom('day' as const, 'month' as const),
    })
    .map(({ to, days, by }) => ({ from: dayOf(to.getTime() - (days - 1) * dayMs), to: dayOf(to.getTime()), by }));

test('whatever happened, however events arrive and rebuilds run beside them or end early, an overview of any span is a recount of the facts', async () => {
  const cases = histories.chain((history) =>
    fc.record({
      history: fc.constant(inCurrencies(history)),
      arrivals: arrivalsOf(inCurrencies(history)),
      batchSize: fc.integer({ min: 1, max: 12 }),
      rebuildAfter: fc.nat(6),
      endsEarly: fc.boolean(),
      requested: fc.array(spansOf(history), { minLength: 3, maxLength: 5 }),
    }),
  );
  const property = fc.asyncProperty(
    cases,
    async ({ history, arrivals, batchSize, rebuildAfter, endsEarly, requested }) => {
      await deleteAllFacts();
      const facts = arrivals.map(factOf);
      for (let n = 0; facts.length > 0; n += 1) {
        const work: Promise<unknown>[] = [deliver(facts.splice(0, batchSize)), deliver(facts.splice(0, batchSize))];
        if (n === rebuildAfter) work.push(rebuild(endsEarly));
        await Promise.all(work);
      }
      for (const accountId of accounts) for (const span of requested) await expectRecounted(history, accountId, span);
      // One that ends in the middle, and the next one, which begins anew.
      await rebuild(true);
      await rebuildRollups(database, null);
      for (const span of requested) await expectRecounted(history, 'acc_a', span);
    },
  );
  await fc.assert(property, randomRuns(12, 500));
});

/** In portions of two facts; one that ends early leaves its generation half filled. */
async function rebuild(endsEarly: boolean): Promise<void> {
  const end = () => Promise.reject(new Error('ended'));
  if (endsEarly) await rebuildRollups(database, 'acc_a', end, 2).catch(() => undefined);
  else await rebuildRollups(database, null, undefined, 2);
}

const orderOf = (productId: string, currency: string, totalCents: number, paidAt = '2025-06-14T12:00:00.000Z') =>
  factOfOrder(orderEvent('acc_a', productId, { currency, totalCents, paidAt, productName: productId.toUpperCase() }));

test('a refund of an earlier span that failed in this one takes nothing off another product, nor below 0 of its own', async () => {
  const at = (day: number) => `2025-06-${day}T12:00:00.000Z`;
  const failed = { orderId: 'ord_1', totalCents: 900, currency: 'usd', refundNo: 1 };
  await deliver([
    orderOf('prd_1', 'usd', 900, at(10)),
    orderOf('prd_2', 'usd', 500, at(10)),
    factOfRefund(refundEvent('acc_a', 'prd_1', { ...failed, refundedAt: at(11) })),
    factOfReopening(reopeningEvent('acc_a', 'prd_1', { ...failed, reopenedAt: at(12) })),
    factOfRefund(
      refundEvent('acc_a', 'prd_2', { orderId: 'ord_2', totalCents: 500, currency: 'usd', refundedAt: at(12) }),
    ),
  ]);
  const back = { refunds: 1, refundedCents: 500 };
  for (const by of ['day', 'month'] as const) {
    const found = await read('acc_a', { from: '2025-06-12', to: '2025-06-12', by });
    expect(found).toMatchObject({ currencies: [{ current: back, previous: { refunds: 1 }, series: [back] }] });
    expectSums(found);
  }
  const { currencies } = await read('acc_a', { from: '2025-06-11', to: '2025-06-12' });
  expect(currencies).toMatchObject([{ current: back, series: [{ refunds: 1, refundedCents: 900 }, back] }]);
});

test('left out, the span is the 30 days up to today, day by day; an account without events has no currency and no product', async () => {
  await deliver([orderOf('prd_1', 'usd', 700), orderOf('prd_1', 'usd', 100, '2025-05-16T23:59:59.999Z')]);
  const found = await read('acc_a');
  expect(found).toMatchObject({ from: '2025-05-17', to: '2025-06-15', by: 'day' });
  expect(found.previous).toEqual({ from: '2025-04-17', to: '2025-05-16' });
  const [usd] = found.currencies;
  expect([usd?.current.revenueCents, usd?.previous.revenueCents, usd?.series.length]).toEqual([700, 100, 30]);
  expect(await read('acc_a', { to: '2025-03-01', from: '2025-01-31', by: 'month' })).toMatchObject({
    currencies: [{ series: ['2025-01', '2025-02', '2025-03'].map((date) => ({ date, orders: 0 })) }],
  });
  expect(await read('acc_b')).toMatchObject({
    ...{ currencies: [], products: [], productCount: 0 },
    visits: { current: { views: 0, conversionRate: 0 } },
  });
});

test('the products with the most revenue of each currency come first, and a limit leaves no sum smaller', async () => {
  await deliver([
    ...['prd_a', 'prd_b', 'prd_c'].map((id, n) => orderOf(id, 'usd', (n + 1) * 100)),
    ...['prd_d', 'prd_e'].map((id, n) => orderOf(id, 'jpy', (n + 1) * 90_000)),
    factOfVisit(visitEvent('acc_a', 'prd_f', { visitedAt: '2025-06-14T12:00:00.000Z' })),
  ]);
  const { products: all } = await read('acc_a');
  expect(all.map(({ id }) => id)).toEqual(['prd_e', 'prd_c', 'prd_f', 'prd_d', 'prd_b', 'prd_a']);
  expect(all[0]).toMatchObject({ name: 'PRD_E', currency: 'jpy', pricingType: 'onetime', revenueCents: 180_000 });
  expect(all[2]).toMatchObject({ currency: null, orders: 0, views: 1 });
  const cut = await read('acc_a', { limit: 2 });
  expect([cut.products.length, cut.productCount]).toEqual([2, 6]);
  expect(cut.currencies.map(({ currency, current }) => [currency, current.revenueCents])).toEqual([
    ['jpy', 270_000],
    ['usd', 600],
  ]);
});

test('a span that cannot be read is refused by the field', async () => {
  const refused = async (input: Input, field: string, code: string) =>
    await expect(read('acc_a', input)).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field, code }] });
  await refused({ to: '2025-06-16' }, 'to', 'too_big');
  await refused({ from: '2025-06-16' }, 'from', 'too_big');
  await refused({ from: '2025-06-02', to: '2025-06-01' }, 'from', 'too_big');
  await refused({ from: '2024-06-14', to: '2025-06-15' }, 'from', 'too_small');
  await refused({ from: '1999-12-31', to: '2000-01-01' }, 'from', 'too_small');
  await refused({ to: '0000-01-01' }, 'from', 'too_small');
  expect((await read('acc_a', { from: '2024-06-15' })).previous.from).toBe('2023-06-15');
});

test('an overview reads days and products by index, and never facts', async () => {
  const many = volume(60, 1_000);
  const at = (n: number) => new Date(clock.nowMs() - (n % 40) * dayMs).toISOString();
  await deliver(
    Array.from({ length: many * 20 }, (_, n) => orderOf(`prd_${n % many}`, 'usd', 100, at(Math.floor(n / many)))),
  );
  await database.pool.query(`insert into product_days select 'acc_' || n, 0, '2025-06-01', 'prd_' || m, ${'0, '.repeat(11)}0
    from generate_series(1, 200) n, generate_series(1, ${many}) m`);
  await database.pool.query('analyze');
  const { from, to } = { from: '2025-06-01', to: '2025-06-15' };
  const requested = [
    productsAtEnd(['acc_a', to]),
    spansOfProducts(['acc_a', '2025-05-17', from, to]),
    points.day(['acc_a', from, to]),
    points.month(['acc_a', from, to]),
  ];
  for (const { text, values } of requested) {
    const { rows } = await database.pool.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${text}`, values);
    const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
    expect(plan).toContain('"Relation Name":"product_days"');
    expect(plan).not.toContain('"Relation Name":"facts"');
    expect(plan).not.toMatch(/Seq Scan[^}]*"Relation Name":"product_days"/);
  }
});

test('a span by month may have ten years, one by day a year', async () => {
  const years = { from: '2015-06-09', to: '2025-06-15' };
  expect((await read('acc_1', { ...years, by: 'month' })).from).toBe('2015-06-09');
  await expect(read('acc_1', { ...years, from: '2015-06-08', by: 'month' })).rejects.toMatchObject({
    errors: [{ field: 'from', code: 'too_small' }],
  });
  await expect(read('acc_1', years)).rejects.toMatchObject({ errors: [{ field: 'from', code: 'too_small' }] });
});
