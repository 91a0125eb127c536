import type { MetricExplanation, MetricSeries, MetricsResource } from '@app/contracts/metrics';
import type { Overview } from '@app/contracts/overview';
import type { Retention } from '@app/contracts/retention';
import { samplePayloads } from '@app/contracts/webhook-samples';
import type { LoggedEvent } from '../../src/dashboard/frame/event-rows.ts';
import { showKeyboard } from '../../src/dashboard/frame/keyboard.ts';
import { homePage, type LiveContent } from '../../src/dashboard/home/home-page.ts';
import { explanationPage } from '../../src/dashboard/metrics/explanation-page.ts';
import { metricsPage } from '../../src/dashboard/metrics/metrics-page.ts';
import { productMetricsPage } from '../../src/dashboard/metrics/product-metrics-page.ts';
import { searchPage } from '../../src/dashboard/search/search-page.ts';
import { formatsFor } from '../../src/formats.ts';
import type { Html } from '../../src/html.ts';
import { subscription } from './dashboard-orders-samples.ts';
import { formats, inFrame, order } from './dashboard-samples.ts';
import { arabicName, longName } from './samples.ts';

const money = {
  revenueCents: 1_234_500,
  orders: 83,
  refunds: 2,
  refundedCents: 14_900,
  mrrCents: 58_000,
  activeSubscriptions: 20,
};
const sold = { netRevenueCents: 1_219_600, aovCents: 14_873, bumpTakeRate: 0.3133, upsellTakeRate: 0.125 };
const days = Array.from({ length: 30 }, (_, day) => `2026-10-${String(day + 1).padStart(2, '0')}`);
const product = {
  id: 'prd_01jd2q5v8kfw9s3x6z7yabcdef',
  name: 'Watercolour in 30 days',
  pricingType: 'onetime' as const,
  currency: 'usd',
};
const rowOf = (changes: object) =>
  Object.assign({ views: 2_412, conversionRate: 0.034, checkoutOrders: 82 }, product, money, sold, changes);

export const overview: Overview = {
  from: '2026-10-01',
  to: '2026-10-30',
  previous: { from: '2026-09-01', to: '2026-09-30' },
  by: 'day',
  currencies: [
    {
      currency: 'usd',
      current: Object.assign({}, money, sold),
      previous: Object.assign({}, money, sold, {
        bumpTakeRate: 0.25,
        revenueCents: 1_500_000,
        mrrCents: 58_000,
        orders: 60,
      }),
      series: days.map((date, day) => Object.assign({ date }, money, { revenueCents: ((day * 37) % 11) * 14_900 })),
    },
    { currency: 'jpy', current: money, previous: money, series: [] },
  ],
  visits: {
    current: { views: 2_412, conversionRate: 0.034, checkoutOrders: 82 },
    previous: { views: 2_000, conversionRate: 0.05 },
    series: days.map((date, day) => ({ date, views: 80, conversionRate: ((day * 7) % 5) / 100 })),
  },
  products: [
    rowOf({}),
    rowOf({ name: longName, revenueCents: 123_456_789_00 }),
    rowOf({ name: arabicName, currency: null }),
  ],
  productCount: 120,
};
/** The span before, which went otherwise. */
const before: Overview = Object.assign({}, overview, {
  currencies: overview.currencies.map((each) => ({
    ...each,
    series: each.series.map((point, day) => ({ ...point, revenueCents: ((day * 17) % 7) * 14_900 })),
  })),
});
const nothing: Overview = Object.assign({}, overview, { currencies: [], products: [], productCount: 0 });

export const metrics: MetricsResource = {
  product: { id: product.id, name: product.name, pricingType: 'subscription', currency: 'usd' },
  summary: {
    revenueCents: 1_234_500,
    orders: 83,
    aovCents: 14_873,
    bumpTakeRate: 0.25,
    upsellTakeRate: 0.1,
    activeSubscriptions: 20,
    mrrCents: 58_000,
    refunds: 2,
    refundedCents: 14_900,
    refundRate: 0.024,
    views: 2_412,
    conversionRate: 0.034,
    customers: 71,
  },
  revenueByMonth: [
    { month: '2026-09', value: 500_000 },
    { month: '2026-10', value: 734_500 },
  ],
  mrrByMonth: [
    { month: '2026-09', value: 40_000 },
    { month: '2026-10', value: 58_000 },
  ],
  churnByMonth: [
    { month: '2026-09', value: 0 },
    { month: '2026-10', value: 0.05 },
  ],
};

const fact = { kind: 'order_paid', occurred_at: '2026-10-23T12:00:00.000Z', currency: 'usd' };
const explanation: MetricExplanation = {
  metric: 'revenueCents',
  currency: 'usd',
  month: '2026-10',
  value: 734_500,
  formula: '`orderCents` + `renewalCents`',
  version: 1,
  parts: { orderCents: 700_000, renewalCents: 34_500 },
  data: [
    Object.assign({}, fact, { id: 'evt_1', subject: order.id, values: { orderCents: 14_565 } }),
    Object.assign({}, fact, { id: 'evt_2', subject: '', values: { renewalCents: -123_456_789 } }),
  ],
  next: 'evt_2',
};

const series: MetricSeries = {
  metric: 'revenueCents',
  currency: 'usd',
  formula: explanation.formula,
  version: 1,
  data: Array.from({ length: 12 }, (_, month) => ({
    month: `2026-${String(month + 1).padStart(2, '0')}`,
    value: ((month * 37) % 11) * 14_900 - 20_000,
  })),
};

const steps = ['Confirm your email address', 'Make a product and set it live', longName].map((label, index) => ({
  label,
  href: '/app',
  isDone: index === 0,
}));
const event: LoggedEvent = {
  id: 'evt_01jd2q5v8kfw9s3x6z7yabcdef',
  sequence: 1,
  event: 'order.paid',
  occurred_at: '2026-10-23T12:00:00.000Z',
  test: false,
  payload: samplePayloads['order.paid'],
};
const samples = (['subscription.payment_failed', 'affiliate.paid', 'funnel.email.sync'] as const).map((name) =>
  Object.assign({}, event, { event: name, payload: samplePayloads[name] }),
);
const longest = { orderId: order.id, email: `${'a'.repeat(64)}@example.com`, product: longName };
const events = [
  event,
  ...samples,
  Object.assign({}, event, { test: true, payload: Object.assign({}, longest, { totalCents: 1e9, currency: 'usd' }) }),
  Object.assign({}, event, { event: 'order.reopened', payload: null }),
];
const needs = [
  { label: 'Past due: 3 ($87.00)', href: '/app/subscriptions?status=past_due' },
  { label: 'Card held: 100+ ($12,300.00 + €45.00+)', href: '/app/orders?status=authorized' },
  {
    label: `Webhooks do not arrive at https://example.com/${'a'.repeat(200)}`,
    href: '/app/integrations/webhooks/whe_1',
  },
];
const pictures = new Map([[order.product_id, '/picture.svg']]);
const orders = [
  order,
  Object.assign({}, order, { status: 'refunded', customer_name: arabicName }),
  Object.assign({}, order, { product_id: 'prd_other', customer_name: '', customer_email: longest.email }),
];
const live: LiveContent = {
  ...{ overview, before, range: '30d', currency: 'usd' },
  ...{ needs, orders, pictures, events, formats },
};
const blank = { ...live, overview: nothing, before: null, needs: [], orders: [], events: [] };
const homeOf = (changes: Partial<LiveContent>, of = steps, takesNone = false) =>
  inFrame('/app', homePage({ live: { ...live, ...changes }, steps: of, takesNone }));
/** A year of months of start, of which each month some end. */
const months = Array.from({ length: 12 }, (_, index) => {
  const active = Array.from({ length: 12 - index }, (_, end) => Math.round((1_200 + index * 40) * 0.93 ** end));
  const month = new Date(Date.UTC(2025, 10 + index)).toISOString().slice(0, 7);
  return index === 0
    ? { month, started: 0, active: active.map(() => 0) }
    : { month, started: 1_240 + index * 40, active };
});
const retention: Retention = { data: months };
const unstarted = months.map(({ month, active }) => ({ month, started: 0, active: active.map(() => 0) }));
const all = {
  overview,
  currency: 'usd',
  formats,
  path: '/app/metrics',
  query: new URLSearchParams(),
  problem: null,
  fees: [
    { currency: 'usd', fee_currency: 'usd', charges_cents: 36_000, disputes_cents: 1_500 },
    { currency: 'usd', fee_currency: 'sek', charges_cents: 12_000, disputes_cents: 0 },
  ],
  retention,
};

const nothingFound = { orders: [], subscriptions: [], products: [], affiliates: [], isAll: true };
const six = Array.from({ length: 6 }, () => order);
const slug = 'a'.repeat(60);
const found = {
  orders: six,
  subscriptions: [subscription],
  products: [Object.assign({ slug }, product, { name: longName }), Object.assign({ slug }, product)],
  affiliates: [{ code: 'grace', name: arabicName, email: 'grace@example.com' }],
  isAll: false,
};

/** Home, the search and metrics. */
export const numbersStates: Readonly<Record<string, () => Html>> = {
  home: () => homeOf({}),
  'home-new': () => homeOf(blank),
  'home-german': () => homeOf({ formats: formatsFor('de-DE') }, []),
  'home-today': () => homeOf({ range: 'today', before: null, needs: [] }, [], true),
  search: () => inFrame('/app/search', searchPage('ada@example.com', found, formats)),
  'search-none': () => inFrame('/app/search', searchPage(longName, nothingFound, formats)),
  'search-blank': () => inFrame('/app/search', searchPage('', null, formats)),
  keyboard: () => inFrame('/app/keyboard', showKeyboard()),
  metrics: () => inFrame('/app/metrics', metricsPage(all)),
  'metrics-none': () =>
    inFrame(
      '/app/metrics',
      metricsPage(
        Object.assign({}, all, {
          overview: nothing,
          retention: { data: unstarted },
          problem: 'The first day must not be after the last day.',
        }),
      ),
    ),
  'metrics-product': () =>
    inFrame(
      '/app/metrics',
      productMetricsPage({ metrics, checkoutOrders: 82, currency: 'usd', formats, path: `/app/metrics/${product.id}` }),
    ),
  'metrics-explained': () =>
    inFrame(
      '/app/metrics',
      explanationPage({ explanation, series, months: 12, product, formats, path: '/app/metrics/a/b' }),
    ),
  'metrics-explained-empty': () =>
    inFrame(
      '/app/metrics',
      explanationPage({
        explanation: Object.assign({}, explanation, { data: [], next: null, month: null }),
        series: Object.assign({}, series, { data: series.data.map((each) => Object.assign({}, each, { value: 0 })) }),
        months: 120,
        product: Object.assign({}, product, { name: arabicName }),
        formats,
        path: '/app/metrics/a/b',
      }),
    ),
};
