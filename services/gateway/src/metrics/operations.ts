import { getMetrics, metricsResource } from '@app/contracts/metrics';
import { defineOperation } from '../http/operation.ts';
import { productParams } from '../products/product-params.ts';

export const metricsOperations = [
  defineOperation({
    id: 'getMetrics',
    method: 'GET',
    path: '/api/metrics/{productId}',
    tag: 'Metrics',
    summary: 'Read a product’s sales metrics',
    auth: 'account',
    scope: 'read',
    params: productParams,
    response: metricsResource,
    errors: ['product_not_found'],
    run: ({ app, params, context }) => app.requester.requestBytes(getMetrics, params, context),
  }),
];
