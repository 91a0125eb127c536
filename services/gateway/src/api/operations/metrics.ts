import { getFees } from '@app/contracts/fees';
import { explainMetric, getMetricSeries, getMetrics } from '@app/contracts/metrics';
import { getOverview } from '@app/contracts/overview';
import { getRetention } from '@app/contracts/retention';
import { forwardOperation } from '../forward-operation.ts';
import { tagged } from '../operation.ts';
import { productParams } from '../path-params.ts';

export const metricsOperations = tagged('Metrics', [
  forwardOperation(getOverview, {
    id: 'getOverview',
    method: 'GET',
    path: '/api/v1/overview',
    summary: 'Read the numbers of all products over a span of days',
    description:
      'Revenue, orders, refunds, recurring revenue and active subscriptions of each currency, by the formulas of the ' +
      'metrics, from `from` to `to` and over as many days before; a series by day or by month, whose first and last ' +
      'month have the days of the span alone; and a row for each product. Each amount and count is the sum of its ' +
      'products’; the average order and the take rates are of all orders of a currency. Views and conversion are of all ' +
      'products together, and of each: a visit has no currency. Days are UTC. ' +
      'Counted from events, usually within a second; test orders never count.',
    errors: [],
  }),
  forwardOperation(getRetention, {
    id: 'getRetention',
    method: 'GET',
    path: '/api/v1/retention',
    summary: 'Read how many subscriptions stay, by the month of their start',
    description:
      'Of the subscriptions of all products that were started in a month, how many are active at its end and at the end of ' +
      'each month after it, up to now. Those past due, paused or canceled are not active; one that becomes active again ' +
      'counts again. Months are UTC. Counted from events, usually within a second; test orders never count.',
    errors: [],
  }),
  forwardOperation(getFees, {
    id: 'getFees',
    method: 'GET',
    path: '/api/v1/fees',
    summary: 'Read what the payment processor kept over a span of days',
    description:
      'Fees of payments and of disputes, by the currency of the payments and that of the fees, which is the one in which the ' +
      'processor pays out. They are found by the daily job in the processor’s list. Test orders never count, and a span has ' +
      'at most 366 days. Fees in another currency than the payments’ are not converted.',
    errors: [],
  }),
  forwardOperation(getMetrics, {
    id: 'getMetrics',
    method: 'GET',
    path: '/api/metrics/{productId}',
    summary: 'Read a product’s sales metrics',
    description:
      'Counted from events, usually within a second. A product made a moment ago is waited for, up to a second, and has ' +
      'zeros; should its creation take longer to arrive, it is `product_not_found` until then.',
    params: productParams,
    errors: ['product_not_found'],
  }),
  forwardOperation(getMetricSeries, {
    id: 'getMetricSeries',
    method: 'GET',
    path: '/api/metrics/{productId}/series',
    summary: 'Read one number of a product month by month',
    description:
      'The number that `explainMetric` has for each month: what happened in the month, and of `activeSubscriptions` and ' +
      '`mrrCents` what there is at its end. Months are UTC; those without any event have zeros.',
    params: productParams,
    errors: ['product_not_found'],
  }),
  forwardOperation(explainMetric, {
    id: 'explainMetric',
    method: 'GET',
    path: '/api/metrics/{productId}/explain',
    summary: 'Explain a number: its formula and the facts behind it',
    description:
      'The number of `metric` as the metrics have it, its formula in words with a version, the formula’s `parts`, and the ' +
      'facts behind them, page by page: orders, renewals, refunds, visits, changes of subscriptions. The `values` of the facts ' +
      'of all pages add up to the parts. With `month` the number is that month’s; `activeSubscriptions` and `mrrCents` are ' +
      'those at its end. A page may have fewer facts than requested: go on until `next` is null.',
    params: productParams,
    errors: ['product_not_found'],
  }),
]);
