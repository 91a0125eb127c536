import { listOf } from '@app/contracts/common';
import {
  createDiscount,
  deleteDiscount,
  getDiscount,
  listDiscounts,
  readDiscountUses,
  updateDiscount,
  usedDiscountResource,
} from '@app/contracts/discounts';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { type OperationCall, type OperationTypes, tagged, type UntaggedOperation } from '../operation.ts';
import { pathId, productParams } from '../path-params.ts';

const discountParams = productParams.extend({ discountId: pathId('discount', 'discount_not_found') });

const percentRule =
  'A percentage is of the product’s own price, and an amount is taken off it at most: bumps and upsells keep theirs, ' +
  'and so do renewals.';

export const discountOperations = tagged('Discounts', [
  withUses(
    forwardOperation(listDiscounts, {
      id: 'listDiscounts',
      method: 'GET',
      path: '/api/v1/products/{productId}/discounts',
      summary: 'List a product’s discount codes, newest first',
      description:
        'Expired and used-up ones too, each with its `uses`. The latest 100; with `limit` or `before` it pages back, and says whether more follow.',
      params: productParams,
      errors: ['product_not_found'],
    }),
  ),
  withUses(
    forwardOperation(createDiscount, {
      id: 'createDiscount',
      audit: false,
      method: 'POST',
      path: '/api/v1/products/{productId}/discounts',
      summary: 'Add a discount code',
      description: percentRule,
      params: productParams,
      errors: ['product_not_found', 'code_taken', 'limit_reached'],
    }),
  ),
  withUses(
    forwardOperation(getDiscount, {
      id: 'getDiscount',
      hasVersion: true,
      method: 'GET',
      path: '/api/v1/products/{productId}/discounts/{discountId}',
      summary: 'Read one discount code',
      description: 'An expired or used-up one too, with its `uses`.',
      params: discountParams,
      errors: ['product_not_found', 'discount_not_found'],
    }),
  ),
  withUses(
    forwardOperation(updateDiscount, {
      id: 'updateDiscount',
      audit: false,
      hasVersion: true,
      method: 'PATCH',
      path: '/api/v1/products/{productId}/discounts/{discountId}',
      summary: 'Change a discount code',
      description:
        'Only the given fields: `percentOff` replaces an amount, `amountOffCents` a percentage. Its code stays, and its uses go on ' +
        'counting. Orders that used it keep their discount.',
      params: discountParams,
      errors: ['product_not_found', 'discount_not_found'],
    }),
  ),
  forwardOperation(deleteDiscount, {
    id: 'deleteDiscount',
    audit: false,
    method: 'DELETE',
    path: '/api/v1/products/{productId}/discounts/{discountId}',
    summary: 'Remove a discount code',
    description: 'Orders that used it keep their discount.',
    params: discountParams,
    errors: ['product_not_found', 'discount_not_found'],
  }),
]);

type UsedDiscount = z.output<typeof usedDiscountResource>;
type Discount = Omit<UsedDiscount, 'uses'>;

interface WithUses<Types extends OperationTypes> extends OperationTypes {
  readonly params: Types['params'];
  readonly query: Types['query'];
  readonly body: Types['body'];
  readonly result: Types['result'] extends { readonly data: readonly unknown[] }
    ? Omit<Types['result'], 'data'> & { readonly data: UsedDiscount[] }
    : UsedDiscount;
}

/** An operation that answers with discounts of catalog, or one, to which it adds the uses that checkout has counted. */
function withUses<Id extends string, Types extends OperationTypes>(
  operation: UntaggedOperation<Id, Types>,
): UntaggedOperation<Id, WithUses<Types>> {
  const isList = operation.response instanceof z.ZodObject && 'data' in operation.response.shape;
  return {
    ...(operation as Omit<UntaggedOperation<Id>, 'types'>),
    response: isList ? listOf(usedDiscountResource) : usedDiscountResource,
    run: async (call) => {
      const answer = await operation.run(call);
      const text = Buffer.from(answer as Uint8Array).toString('utf8');
      if (!isList) return { ...JSON.parse(text), uses: (await usesOf(call, [JSON.parse(text)]))[0] };
      const { data, ...page } = JSON.parse(text) as { readonly data: Discount[] };
      const uses = await usesOf(call, data);
      return { data: data.map((discount, index) => ({ ...discount, uses: uses[index] })), ...page };
    },
  };
}

/** Null each while checkout does not answer: the discounts themselves are known. */
async function usesOf(
  { app, context }: OperationCall<unknown, unknown, unknown>,
  discounts: readonly Discount[],
): Promise<(number | null)[]> {
  if (discounts.length === 0) return [];
  const requested = { discountIds: discounts.map(({ id }) => id) };
  const { uses } = await app.requester.request(readDiscountUses, requested, context).catch(() => ({ uses: [] }));
  return discounts.map((_, index) => uses[index] ?? null);
}
