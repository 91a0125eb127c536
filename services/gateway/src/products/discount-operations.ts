import {
  createDiscount,
  createDiscountBody,
  deleteDiscount,
  discountResource,
  listDiscounts,
  updateDiscount,
  updateDiscountBody,
} from '@app/contracts/catalog';
import { listOf, okResult } from '@app/contracts/common';
import { defineOperation } from '../http/operation.ts';
import { pathId } from '../http/path-params.ts';
import { productParams } from './product-params.ts';

const tag = 'Discounts';
const discountParams = productParams.extend({ discountId: pathId('discount', 'discount_not_found') });

export const discountOperations = [
  defineOperation({
    id: 'listDiscounts',
    method: 'GET',
    path: '/api/v1/products/{productId}/discounts',
    tag,
    summary: 'List a product’s discount codes, newest first',
    auth: 'account',
    scope: 'read',
    params: productParams,
    query: listDiscounts.input.omit({ productId: true }),
    response: listOf(discountResource),
    errors: ['product_not_found'],
    run: ({ app, params, query, context }) =>
      app.requester.requestBytes(listDiscounts, { ...params, ...query }, context),
  }),
  defineOperation({
    id: 'createDiscount',
    method: 'POST',
    path: '/api/v1/products/{productId}/discounts',
    tag,
    summary: 'Add a discount code',
    auth: 'account',
    scope: 'write',
    params: productParams,
    body: createDiscountBody,
    response: discountResource,
    errors: ['product_not_found', 'code_taken', 'limit_reached'],
    run: ({ app, params, body, context }) => app.requester.requestBytes(createDiscount, { ...params, body }, context),
  }),
  defineOperation({
    id: 'updateDiscount',
    method: 'PATCH',
    path: '/api/v1/products/{productId}/discounts/{discountId}',
    tag,
    summary: 'Change a discount code’s expiry or use limit',
    auth: 'account',
    scope: 'write',
    params: discountParams,
    body: updateDiscountBody,
    response: discountResource,
    errors: ['product_not_found', 'discount_not_found'],
    run: ({ app, params, body, context }) => app.requester.requestBytes(updateDiscount, { ...params, body }, context),
  }),
  defineOperation({
    id: 'deleteDiscount',
    method: 'DELETE',
    path: '/api/v1/products/{productId}/discounts/{discountId}',
    tag,
    summary: 'Remove a discount code',
    auth: 'account',
    scope: 'write',
    params: discountParams,
    response: okResult,
    errors: ['product_not_found', 'discount_not_found'],
    run: ({ app, params, context }) => app.requester.requestBytes(deleteDiscount, params, context),
  }),
];
