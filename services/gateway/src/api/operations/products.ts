import { createProduct, getProduct, listProducts, type ProductUrls, updateProduct } from '@app/contracts/products';
import { checkoutUrlOf, productImagesUrlOf } from '../../edge/public-urls.ts';
import { defineOperation, type OperationCall, tagged } from '../operation.ts';
import { productParams as params } from '../path-params.ts';

/** Where products are shown and sold, which catalog does not know. */
function urlsFor({ baseUrl, actor }: Pick<OperationCall<unknown, unknown, unknown>, 'baseUrl' | 'actor'>): ProductUrls {
  return { checkout: checkoutUrlOf(baseUrl, actor.settings.handle), images: productImagesUrlOf(baseUrl) };
}

export const productOperations = tagged('Products', [
  defineOperation({
    auth: 'account',
    id: 'listProducts',
    method: 'GET',
    path: '/api/v1/products',
    summary: 'List every product on the account',
    description: 'In order of creation. With `limit` or `before` it pages, newest first, and says whether more follow.',
    scope: 'read',
    query: listProducts.input.omit({ urls: true }),
    response: listProducts.output,
    errors: [],
    run: (call) => call.app.requester.requestBytes(listProducts, { ...call.query, urls: urlsFor(call) }, call.context),
  }),
  defineOperation({
    auth: 'account',
    id: 'createProduct',
    audit: false,
    method: 'POST',
    path: '/api/v1/products',
    summary: 'Make a product',
    description: 'A `draft` unless `status` says otherwise: it is sold at its `checkout_url` once it is `live`.',
    scope: 'write',
    body: createProduct.input.shape.body,
    response: createProduct.output,
    errors: ['slug_taken', 'limit_reached'],
    run: (call) => {
      const { defaultCurrency } = call.actor.settings;
      const input = { body: call.body, defaultCurrency, urls: urlsFor(call) };
      return call.app.requester.requestBytes(createProduct, input, call.context);
    },
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
  defineOperation({
    auth: 'account',
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
    scope: 'write',
    params,
    body: updateProduct.input.shape.body,
    response: updateProduct.output,
    errors: ['product_not_found', 'slug_taken', 'invalid_transition'],
    run: (call) => {
      const { params, body, ifVersion } = call;
      const input = { ...params, body, ...(ifVersion !== undefined && { ifVersion }), urls: urlsFor(call) };
      return call.app.requester.requestBytes(updateProduct, input, call.context);
    },
  }),
]);
