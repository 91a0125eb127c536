import { expect, test } from 'vitest';
import { overview } from '../../test/gallery/dashboard-numbers-states.ts';
import { nothingBesideOrder, paidOrder } from '../../test/gallery/dashboard-orders-samples.ts';
import { formats, order } from '../../test/gallery/dashboard-samples.ts';
import type { Html } from '../html.ts';
import { metricsPage } from './metrics/metrics-page.ts';
import { orderPage } from './orders/order-page.ts';

const textOf = (page: Html): string =>
  page.text
    .replaceAll(/<\/?bdi>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
const ofCharge = (amount_cents: number, currency: string) => ({
  ...{ kind: 'charge' as const, payment_id: 'pmt_1', amount_cents, currency, incurred_at: order.created_at },
});
const shown = (changes: object): string =>
  textOf(
    orderPage({
      order: Object.assign({}, paidOrder, { total_cents: 10_000, refunded_cents: 2_500, currency: 'usd' }, changes),
      ...nothingBesideOrder,
      formats,
    }).main,
  );

test('an order shows what is left after refunds, and apart from that what is left after fees', () => {
  const text = shown({ fees: [ofCharge(320, 'usd'), { ...ofCharge(1_500, 'usd'), kind: 'dispute' }] });
  expect(text).toContain('Refunded −$25.00 Left $75.00 Fees of the payment processor −$18.20 After fees $56.80');
});

test('a fee in another currency than the order’s is shown beside, and nothing is taken off for it', () => {
  const text = shown({ fees: [ofCharge(3_200, 'sek')] });
  expect(text).toContain('Left $75.00');
  expect(text).toContain('The payment processor also kept SEK 32.00, which is not taken off here.');
  expect(text).not.toContain('After fees');
});

const metrics = (fees: Parameters<typeof metricsPage>[0]['fees']): string => {
  const content = { overview, currency: 'usd', formats, path: '/app/metrics', query: new URLSearchParams() };
  return textOf(metricsPage({ ...content, problem: null, fees, retention: null }).main);
};

test('the numbers of a span have what is left after refunds, and apart from that after fees of the same currency', () => {
  const sum = { currency: 'usd', fee_currency: 'usd', charges_cents: 30_000, disputes_cents: 1_500 };
  const text = metrics([sum, { ...sum, currency: 'jpy', charges_cents: 1 }]);
  expect(text).toContain('Net revenue $12,196.00');
  expect(text).toContain('After fees $11,881.00 $315.00 of fees');
});

test('fees in another currency are beside the numbers of a span, and without any there is no number after them', () => {
  const sum = { currency: 'usd', fee_currency: 'sek', charges_cents: 3_200, disputes_cents: 0 };
  const text = metrics([sum]);
  expect(text).toContain('The payment processor also kept SEK 32.00, which is not taken off here.');
  for (const one of [text, metrics([]), metrics(null)]) expect(one).not.toContain('After fees');
});
