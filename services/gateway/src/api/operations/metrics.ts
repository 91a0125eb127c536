import { explainMetric, getMetrics } from '@app/contracts/metrics';
import { forwardOperation } from '../forward-operation.ts';
import { productParams } from './product-params.ts';

export const metricsOperations = [
  forwardOperation(getMetrics, {
    id: 'getMetrics',
    method: 'GET',
    path: '/api/metrics/{productId}',
    tag: 'Metrics',
    summary: 'Read a product’s sales metrics',
    description:
      'Counted from events, usually within a second. A product made a moment ago is waited for, up to a second, and has ' +
      'zeros; should its creation take longer to be heard of, it is `product_not_found` until then.',
    params: productParams,
    errors: ['product_not_found'],
  }),
  forwardOperation(explainMetric, {
    id: 'explainMetric',
    method: 'GET',
    path: '/api/metrics/{productId}/explain',
    tag: 'Metrics',
    summary: 'Explain a number: its formula and the facts behind it',
    description:
      'The number of `metric` as the metrics have it, its formula in words with a version, the formula’s `parts`, and the ' +
      'facts behind them, page by page: orders, renewals, refunds, visits, changes of subscriptions. The `values` of the facts ' +
      'of all pages add up to the parts. With `month` the number is that month’s; `activeSubscriptions` and `mrrCents` are ' +
      'those at its end. A page may have fewer facts than asked for: go on until `next` is null.',
    params: productParams,
    errors: ['product_not_found'],
  }),
];
