import { createProduct, getProduct, listProducts, updateProduct } from '@app/contracts/products';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { productParams as params } from '../path-params.ts';
import { urlsFor } from '../product-urls.ts';

export const productOperations = tagged('Products', [
  defineOperation({
    auth: 'account',
    id: 'listProducts',
    method: 'GET',
    path: '/api/v1/products',
    summary: 'List every product on the account',
    description:
      'In order of creation. With `limit`, `before` or `status` it pages, newest first, and says whether more follow.',
    scope: 'read',
    query: listProducts.input.omit({ urls: true, listed: true }),
    response: listProducts.output,
    errors: [],
    run: (call) => call.app.requester.requestBytes(listProducts, { ...call.query, urls: urlsFor(call) }, call.context),
  }),
  forwardOperation(createProduct, {
    id: 'createProduct',
    audit: false,
    method: 'POST',
    path: '/api/v1/products',
    summary: 'Make a product',
    description: 'A `draft` unless `status` says otherwise: it is sold at its `checkout_url` once it is `live`.',
    errors: ['slug_taken', 'limit_reached'],
    addedInput: (caller) => ({ defaultCurrency: caller.actor.settings.defaultCurrency, urls: urlsFor(caller) }),
  }),
  defineOperation({
    auth: 'account',
    id: 'getProduct',
    hasVersion: true,
    method: 'GET',
    path: '/api/v1/products/{productId}',
    summary: 'Read one product',
    description: 'Whatever its status. Its bumps, upsells and emails are in `getFunnel`.',
    scope: 'read',
    params,
    response: getProduct.output,
    errors: ['product_not_found'],
    run: (call) => call.app.requester.requestBytes(getProduct, { ...call.params, urls: urlsFor(call) }, call.context),
  }),
  forwardOperation(updateProduct, {
    id: 'updateProduct',
    alsoScope: 'read',
    audit: false,
    hasVersion: true,
    method: 'PATCH',
    path: '/api/v1/products/{productId}',
    summary: 'Change a product, publish it or archive it',
    description:
      'Only the given fields. A draft becomes `live` or `archived`, and a product goes between these two; none is deleted. ' +
      'Currency, pricing type and interval change while it is a draft. Orders and subscriptions keep the price at which they were sold.',
    params,
    errors: ['product_not_found', 'slug_taken', 'invalid_transition'],
    addedInput: (caller) => ({ urls: urlsFor(caller) }),
  }),
]);
