import { getMetrics } from '@app/contracts/metrics';
import { forwardOperation } from '../operations/forward-operation.ts';
import { productParams } from '../products/product-params.ts';

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
];
