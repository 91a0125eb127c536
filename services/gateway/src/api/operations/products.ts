import { createProduct, getProduct, listProducts, updateProduct } from '@app/contracts/products';
import { forwardOperation } from '../forward-operation.ts';
import { productParams } from './product-params.ts';

const tag = 'Products';

export const productOperations = [
  forwardOperation(listProducts, {
    id: 'listProducts',
    method: 'GET',
    path: '/api/v1/products',
    tag,
    summary: 'List every product on the account',
    description: 'In order of creation. With `limit` or `before` it pages, newest first, and says whether more follow.',
    errors: [],
  }),
  forwardOperation(createProduct, {
    id: 'createProduct',
    method: 'POST',
    path: '/api/v1/products',
    tag,
    summary: 'Make a product',
    errors: ['slug_taken', 'limit_reached'],
    addedInput: ({ settings }) => ({ defaultCurrency: settings.defaultCurrency }),
  }),
  forwardOperation(getProduct, {
    id: 'getProduct',
    method: 'GET',
    path: '/api/v1/products/{productId}',
    tag,
    summary: 'Read one product',
    params: productParams,
    errors: ['product_not_found'],
  }),
  forwardOperation(updateProduct, {
    id: 'updateProduct',
    method: 'PATCH',
    path: '/api/v1/products/{productId}',
    tag,
    summary: 'Change a product, publish it or archive it',
    params: productParams,
    errors: ['product_not_found', 'slug_taken', 'invalid_transition'],
  }),
];
