import {
  createProduct,
  createProductBody,
  getProduct,
  listProducts,
  productResource,
  updateProduct,
  updateProductBody,
} from '@app/contracts/catalog';
import { listOf } from '@app/contracts/common';
import { defineOperation } from '../http/operation.ts';
import { productParams } from './product-params.ts';

const tag = 'Products';

export const productOperations = [
  defineOperation({
    id: 'listProducts',
    method: 'GET',
    path: '/api/v1/products',
    tag,
    summary: 'List every product on the account',
    description: 'In order of creation. With `limit` or `before` it pages, newest first, and says whether more follow.',
    auth: 'account',
    scope: 'read',
    query: listProducts.input,
    response: listOf(productResource),
    errors: [],
    run: ({ app, query, context }) => app.requester.requestBytes(listProducts, query, context),
  }),
  defineOperation({
    id: 'createProduct',
    method: 'POST',
    path: '/api/v1/products',
    tag,
    summary: 'Make a product',
    auth: 'account',
    scope: 'write',
    body: createProductBody,
    response: productResource,
    errors: ['slug_taken', 'limit_reached'],
    run: ({ app, actor, body, context }) =>
      app.requester.requestBytes(createProduct, { body, defaultCurrency: actor.settings.defaultCurrency }, context),
  }),
  defineOperation({
    id: 'getProduct',
    method: 'GET',
    path: '/api/v1/products/{productId}',
    tag,
    summary: 'Read one product',
    auth: 'account',
    scope: 'read',
    params: productParams,
    response: productResource,
    errors: ['product_not_found'],
    run: ({ app, params, context }) => app.requester.requestBytes(getProduct, params, context),
  }),
  defineOperation({
    id: 'updateProduct',
    method: 'PATCH',
    path: '/api/v1/products/{productId}',
    tag,
    summary: 'Change a product, publish it or archive it',
    auth: 'account',
    scope: 'write',
    params: productParams,
    body: updateProductBody,
    response: productResource,
    errors: ['product_not_found', 'slug_taken', 'invalid_transition'],
    run: ({ app, params, body, context }) => app.requester.requestBytes(updateProduct, { ...params, body }, context),
  }),
];
