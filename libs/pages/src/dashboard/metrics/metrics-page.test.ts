import { expect, test } from 'vitest';
import { metrics, overview } from '../../../test/gallery/dashboard-numbers-states.ts';
import { formatsFor } from '../../formats.ts';
import { metricsPage } from './metrics-page.ts';
import { productMetricsPage } from './product-metrics-page.ts';

const formats = formatsFor('en-US');
const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

const product = { ...overview.products[0], orders: 43, views: 10, conversionRate: 0.3, checkoutOrders: 3 };
const shown = metricsPage({
  overview: { ...overview, products: [product as (typeof overview.products)[number]] },
  ...{ currency: 'usd', formats, path: '/app/metrics', query: new URLSearchParams() },
  ...{ problem: null, fees: null, retention: null },
}).main.text;
const table = shown.match(/<table class="table">.*?<\/table>/s)?.[0] ?? '';

test('the conversion of a product says of which orders it is made, beside its other orders', () => {
  expect(textOf(table)).toContain('30% 3 checkout orders of 10 views');
  const summary = { ...metrics.summary, orders: 43, views: 10, conversionRate: 0.3 };
  const page = {
    metrics: { ...metrics, summary },
    checkoutOrders: 3,
    currency: 'usd',
    formats,
    path: '/app/metrics/prd_1',
  };
  expect(textOf(productMetricsPage(page).main.text)).toContain('Conversion 30% 3 checkout orders of 10 views');
});

test('on a phone, where columns have no head, each number of a product has its name', () => {
  expect(textOf(table)).toMatch(/Orders: 43 .*Conversion: 30% .*Revenue: /);
});

test('the axis of a product’s amounts has no cents', () => {
  const page = { metrics, checkoutOrders: 3, currency: 'usd', formats, path: '/app/metrics/prd_1' };
  const ticks = productMetricsPage(page).main.text.match(/<div class="ticks".*?<\/div>/s)?.[0] ?? '';
  expect(textOf(ticks)).toMatch(/\$\d/);
  expect(ticks).not.toContain('.00');
});
