import { createDiscount, deleteDiscount, listDiscounts, updateDiscount } from '@app/contracts/discounts';
import { forwardOperation } from '../operations/forward-operation.ts';
import { pathId } from '../operations/path-params.ts';
import { productParams } from './product-params.ts';

const tag = 'Discounts';
const discountParams = productParams.extend({ discountId: pathId('discount', 'discount_not_found') });

export const discountOperations = [
  forwardOperation(listDiscounts, {
    id: 'listDiscounts',
    method: 'GET',
    path: '/api/v1/products/{productId}/discounts',
    tag,
    summary: 'List a product’s discount codes, newest first',
    params: productParams,
    errors: ['product_not_found'],
  }),
  forwardOperation(createDiscount, {
    id: 'createDiscount',
    method: 'POST',
    path: '/api/v1/products/{productId}/discounts',
    tag,
    summary: 'Add a discount code',
    params: productParams,
    errors: ['product_not_found', 'code_taken', 'limit_reached'],
  }),
  forwardOperation(updateDiscount, {
    id: 'updateDiscount',
    method: 'PATCH',
    path: '/api/v1/products/{productId}/discounts/{discountId}',
    tag,
    summary: 'Change a discount code’s expiry or use limit',
    params: discountParams,
    errors: ['product_not_found', 'discount_not_found'],
  }),
  forwardOperation(deleteDiscount, {
    id: 'deleteDiscount',
    method: 'DELETE',
    path: '/api/v1/products/{productId}/discounts/{discountId}',
    tag,
    summary: 'Remove a discount code',
    params: discountParams,
    errors: ['product_not_found', 'discount_not_found'],
  }),
];
