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
    params: productParams,
    errors: ['product_not_found'],
  }),
];
