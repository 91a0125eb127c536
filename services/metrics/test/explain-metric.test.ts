import {
  type ExplainedMetric,
  explainedMetric,
  explanation,
  type MetricExplanation,
  metricSeries,
} from '@app/contracts/metrics';
import type { Database } from '@app/service-kit/database';
import { fakeClock } from '@app/testing/fake-clock';
import { randomRuns, volume } from '@app/testing/long';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { factOfOrder, factOfSubscription, factOfVisit } from '../src/facts/fact.rules.ts';
import { explainMetric } from '../src/metrics/explain-metric.ts';
import { getMetricSeries, sumsByMonth } from '../src/metrics/get-metric-series.ts';
import { getRollups } from '../src/metrics/get-rollups.ts';
import { assembleMetrics } from '../src/metrics/metrics.rules.ts';
import { rebuildRollups } from '../src/rollups/rebuild-rollups.ts';
import { accounts, arrivalsOf, factOf, histories, products, type RawEvent } from './histories.ts';
import { orderEvent, subscriptionEvent, visitEvent } from './samples.ts';
import { database, deleteAllFacts, deliver, openStorage } from './set-up.ts';

openStorage();

const today = '2025-06-15T12:00:00.000Z';
const clock = fakeClock(today);
beforeEach(empty);
beforeEach(() => clock.set(today));

async function empty(): Promise<void> {
  await deleteAllFacts();
  await database.pool.query(
    `insert into products (account_id, product_id, name, pricing_type)
     select a, p, 'Club', 'subscription' from unnest($1::text[]) as a, unnest($2::text[]) as p`,
    [accounts, products],
  );
}

interface Question {
  readonly accountId: string;
  readonly productId: string;
  readonly metric: ExplainedMetric;
  readonly month?: string;
  readonly limit?: number;
}

const request = ({ accountId, ...input }: Question & { after?: string }): Promise<MetricExplanation> =>
  explainMetric({ database, clock }, accountId, input);

/** All pages: every fact once, in the words and parts of the first page. */
async function explain(question: Question): Promise<MetricExplanation> {
  const first = await request(question);
  const data = [...first.data];
  let { next } = first;
  while (next !== null) {
    const page = await request({ ...question, after: next });
    expect({ ...page, data: [], next: null }).toEqual({ ...first, data: [], next: null });
    data.push(...page.data);
    next = page.next;
  }
  expect(explanation.parse(first)).toEqual(first);
  expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
  return { ...first, data, next: null };
}

const summed = ({ data, parts }: MetricExplanation): Record<string, number> => {
  const sums = Object.fromEntries(Object.keys(parts).map((part) => [part, 0]));
  for (const { values } of data)
    for (const [part, value] of Object.entries(values)) sums[part] = (sums[part] ?? Number.NaN) + value;
  return sums;
};

const published = async ({ accountId, productId }: Pick<Question, 'accountId' | 'productId'>) => {
  const product = { id: productId, name: 'Club', pricingType: 'subscription' } as const;
  return assembleMetrics(product, await getRollups(database, accountId, productId), clock.now());
};

const wholeTime = explainedMetric.options.filter((metric) => metric !== 'churn');
const atMonthsEnd = ['activeSubscriptions', 'mrrCents'];
const seriesOf = { revenueCents: 'revenueByMonth', mrrCents: 'mrrByMonth', churn: 'churnByMonth' } as const;

/** The months in which something happened, the one before all and the current one: each once, for they are added up. */
const monthsOf = (history: readonly RawEvent[]): string[] =>
  [...new Set([...history.map((event) => event.occurredAt.slice(0, 7)), '2023-12', '2025-06'])].toSorted();

type About = Pick<Question, 'accountId' | 'productId' | 'limit'>;

async function expectSummed(question: Question): Promise<MetricExplanation> {
  const explained = await explain(question);
  expect(summed(explained)).toEqual(explained.parts);
  return explained;
}

/** Every number of the summary; returns the parts of each. */
async function expectSummary(about: About): Promise<Map<ExplainedMetric, Record<string, number>>> {
  const { summary } = await published(about);
  const parts = new Map<ExplainedMetric, Record<string, number>>();
  for (const metric of wholeTime) {
    const explained = await expectSummed({ ...about, metric });
    expect([metric, explained.value]).toEqual([metric, summary[metric]]);
    parts.set(metric, explained.parts);
  }
  return parts;
}

/** The number of a metric in each of the months, as the series shows it; returns its parts, month by month. */
async function expectMonths(about: About, metric: ExplainedMetric, months: readonly string[]) {
  const numbers = await published(about);
  const series = metric in seriesOf ? numbers[seriesOf[metric as keyof typeof seriesOf]] : [];
  const parts: Record<string, number>[] = [];
  for (const month of months) {
    const explained = await expectSummed({ ...about, metric, month });
    const { value } = series.find((each) => each.month === month) ?? explained;
    expect([metric, month, explained.value]).toEqual([metric, month, value]);
    parts.push(explained.parts);
  }
  return parts;
}

/** The series of every metric has each month of the span, with the number that its explanation has. */
async function expectSeries({ accountId, productId }: About, months: readonly string[]): Promise<void> {
  const span = { from: months[0] as string, to: months.at(-1) as string };
  for (const metric of explainedMetric.options) {
    const found = await getMetricSeries({ database, clock }, accountId, { productId, metric, ...span });
    const series = metricSeries.strict().parse(found).data;
    expect([series[0]?.month, series.at(-1)?.month, new Set(series.map(({ month }) => month)).size]).toEqual([
      ...[span.from, span.to, series.length],
    ]);
    for (const month of months) {
      const { value, formula, version } = await request({ accountId, productId, metric, month, limit: 1 });
      expect(found).toMatchObject({ metric, formula, version });
      expect([metric, month, series.find((each) => each.month === month)?.value]).toEqual([metric, month, value]);
    }
  }
}

/** Months add up to the whole, but for what a month has at its end: there the last one is the whole. */
function together(metric: ExplainedMetric, months: readonly Record<string, number>[]): Record<string, number> {
  const last = months.at(-1) ?? {};
  if (atMonthsEnd.includes(metric)) return last;
  const sum = (part: string) => months.reduce((total, each) => total + (each[part] ?? Number.NaN), 0);
  return Object.fromEntries(Object.keys(last).map((part) => [part, sum(part)]));
}

test('whatever happened, the facts of all pages sum to the parts, and these make every published number of every month', async () => {
  const cases = histories.chain((history) =>
    fc.record({
      history: fc.constant(history),
      arrivals: arrivalsOf(history),
      accountId: fc.constantFrom(...accounts),
      productId: fc.constantFrom(...products),
      limit: fc.integer({ min: 1, max: 7 }),
    }),
  );
  const property = fc.asyncProperty(cases, async ({ history, arrivals, ...about }) => {
    await empty();
    await deliver(arrivals.map(factOf));
    const months = monthsOf(history);
    // What happened to another product, or in a rehearsal, begins no month of this one: the clock does.
    clock.set(`${months.at(-1)}-15T12:00:00.000Z`);
    const whole = await expectSummary(about);
    for (const [metric, parts] of whole) {
      expect([metric, together(metric, await expectMonths(about, metric, months))]).toEqual([metric, parts]);
    }
    await expectMonths(about, 'churn', months);
    await expectSeries(about, months);
  });
  await fc.assert(property, randomRuns(4, 100));
});

test('an explanation names facts without emails, by order, renewal or refund, oldest first within a kind', async () => {
  const at = (day: number) => `2025-01-0${day}T00:00:00.000Z`;
  const [later, first] = [3, 1].map((day) =>
    orderEvent('acc_a', 'prd_1', { customerEmail: 'ann@x.io', totalCents: day * 100, paidAt: at(day) }),
  );
  await deliver([later, first].flatMap((event) => (event ? [factOfOrder(event)] : [])));
  await deliver([factOfOrder(orderEvent('acc_a', 'prd_1', { test: true }))]);
  await deliver([factOfVisit(visitEvent('acc_a', 'prd_1'))]);
  const revenue = await request({ accountId: 'acc_a', productId: 'prd_1', metric: 'revenueCents' });
  const order = { kind: 'order_paid', currency: 'usd' };
  expect(revenue).toEqual({
    metric: 'revenueCents',
    currency: 'usd',
    month: null,
    value: 400,
    formula: expect.stringContaining('orderCents + renewalCents'),
    version: 1,
    parts: { orderCents: 400, renewalCents: 0 },
    data: [
      { ...order, id: first?.id, subject: first?.data.orderId, occurred_at: at(1), values: { orderCents: 100 } },
      { ...order, id: later?.id, subject: later?.data.orderId, occurred_at: at(3), values: { orderCents: 300 } },
    ],
    next: null,
  });
  const customers = await request({ accountId: 'acc_a', productId: 'prd_1', metric: 'customers' });
  expect(customers.data).toMatchObject([{ id: first?.id, values: { customers: 1 } }]);
  const views = await request({ accountId: 'acc_a', productId: 'prd_1', metric: 'views' });
  expect(views.data).toMatchObject([{ kind: 'checkout_visited', subject: '', currency: null }]);
  for (const answer of [revenue, customers, views]) expect(JSON.stringify(answer)).not.toMatch(/ann|buyer@|email_key/);
});

test('a page reads a bounded number of facts, and the pages after it lead to the ones that count', async () => {
  // A page reads 20,000.
  const many = volume(21_000, 50_000);
  await database.pool.query(
    `insert into facts (event_id, account_id, product_id, fact_key, kind, occurred_at, test, currency, amount_cents,
       mrr_cents, active_delta, email_key, has_bump, has_upsell, from_checkout)
     select 'evt_' || n, 'acc_a', 'prd_1', 'ord_' || n, 'order_paid', timestamptz '2025-01-01' + n * interval '1 second',
       false, 'usd', 100, 0, 0, sha256(convert_to('buyer', 'UTF8')), false, false, n = ${many} from generate_series(1, ${many}) n`,
  );
  await rebuildRollups(database, 'acc_a');
  const question = { accountId: 'acc_a', productId: 'prd_1', metric: 'conversionRate', limit: 10 } as const;
  expect(await request(question)).toMatchObject({ data: [], parts: { checkoutOrders: 1, views: 0 }, next: /^evt_/ });
  const { data } = await explain(question);
  expect(data).toMatchObject([{ id: `evt_${many}`, values: { checkoutOrders: 1 } }]);
});

test('pages are read by index, wherever they begin, and who bought before is looked up by index', async () => {
  const facts = Array.from({ length: 3000 }, (_, n) =>
    factOfOrder(orderEvent('acc_a', `prd_${n % 100}`, { customerEmail: `buyer${n % 53}@x.io` })),
  );
  await deliver(facts);
  await database.pool.query('analyze');
  const seen: { text: string; values: unknown[] }[] = [];
  const pool = {
    query: (query: { text: string; values: unknown[] }) => {
      seen.push(query);
      return database.pool.query(query);
    },
  };
  const watched = { ...database, pool } as unknown as Database;
  const input = { productId: 'prd_7', metric: 'customers', limit: 5 } as const;
  const { next } = await explainMetric({ database: watched, clock }, 'acc_a', { ...input, month: '2026-01' });
  expect(next).not.toBeNull();
  await explainMetric({ database: watched, clock }, 'acc_a', { ...input, ...(next && { after: next }) });
  expect(seen.length).toBeGreaterThanOrEqual(7);
  for (const { text, values } of seen) {
    const { rows } = await database.pool.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${text}`, values);
    const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
    expect(plan.includes('Seq Scan') && plan.includes('"Relation Name":"facts"') ? text : '').toBe('');
  }
});

test('what cannot be explained is refused by field, and another account’s product is an unknown one', async () => {
  const product = { accountId: 'acc_a', productId: 'prd_1' };
  await deliver([
    factOfOrder(orderEvent('acc_a', 'prd_1')),
    factOfOrder(orderEvent('acc_b', 'prd_1')),
    factOfOrder(orderEvent('acc_a', 'prd_2')),
    factOfSubscription(subscriptionEvent('acc_a', 'prd_1')),
  ]);
  await expect(request({ ...product, metric: 'churn' })).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ field: 'month', code: 'required' }],
  });
  const idOf = async (accountId: string, productId: string, metric: ExplainedMetric) =>
    (await request({ accountId, productId, metric })).data[0]?.id as string;
  const others = [
    'evt_nothing',
    '',
    await idOf('acc_b', 'prd_1', 'orders'),
    await idOf('acc_a', 'prd_2', 'orders'),
    await idOf('acc_a', 'prd_1', 'mrrCents'),
  ];
  for (const after of others) {
    const refused = request({ ...product, metric: 'orders', after });
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: 'after' }] });
  }
  const { accountId, ...question } = product;
  const requestLater = (metric: ExplainedMetric, month: string) =>
    explainMetric({ database, clock: fakeClock('2030-01-01T00:00:00.000Z') }, accountId, {
      ...question,
      metric,
      month,
    });
  for (const month of ['2030-02', '9999-12']) {
    await expect(requestLater('mrrCents', month)).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'month', code: 'too_big' }],
    });
  }
  for (const metric of explainedMetric.options) {
    const [early, late] = await Promise.all(['0000-01', '2030-01'].map((month) => requestLater(metric, month)));
    expect([metric, early]).toMatchObject([metric, { value: 0, data: [], next: null }]);
    expect([metric, late]).toMatchObject([
      metric,
      { value: { activeSubscriptions: 1, mrrCents: 1900 }[metric as 'mrrCents'] ?? 0 },
    ]);
  }
  await expect(request({ accountId: 'acc_c', productId: 'prd_1', metric: 'orders' })).rejects.toMatchObject({
    code: 'product_not_found',
  });
});

test('a series has the last twelve months unless it is said, and a span that cannot be read is refused by the field', async () => {
  await deliver([factOfOrder(orderEvent('acc_a', 'prd_1', { paidAt: '2025-06-01T00:00:00.000Z' }))]);
  const series = (span: { from?: string; to?: string; productId?: string }) =>
    getMetricSeries({ database, clock }, 'acc_a', { productId: 'prd_1', metric: 'orders', ...span });
  const { data } = await series({});
  expect([data.length, data[0], data.at(-1)]).toEqual([
    ...[12, { month: '2024-07', value: 0 }, { month: '2025-06', value: 1 }],
  ]);
  const refused = async (span: { from?: string; to?: string }, field: string, code: string) =>
    await expect(series(span)).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field, code }] });
  await refused({ to: '2025-07' }, 'to', 'too_big');
  await refused({ from: '2025-07' }, 'from', 'too_big');
  await refused({ from: '2015-06' }, 'from', 'too_small');
  await refused({ from: '1999-12', to: '2000-01' }, 'from', 'too_small');
  expect((await series({ from: '2015-07' })).data).toHaveLength(120);
  await expect(series({ productId: 'prd_9' })).rejects.toMatchObject({ code: 'product_not_found' });
});

test('a series reads the days of its own product by index', async () => {
  await deliver(Array.from({ length: 3000 }, (_, n) => factOfOrder(orderEvent('acc_a', `prd_${n % 1000}`))));
  await database.pool.query('analyze');
  const { text, values } = sumsByMonth(['acc_a', 'prd_7', '2025-01-01', '2026-02-01']);
  const { rows } = await database.pool.query<{ 'QUERY PLAN': unknown }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
  expect(plan).toMatch(/"Index Cond":"[^"]*product_id/);
  expect(plan).not.toMatch(/Seq Scan[^}]*"Relation Name":"product_days"/);
});
