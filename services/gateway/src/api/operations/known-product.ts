import { DomainError } from '@app/contracts/errors';
import { getProduct } from '@app/contracts/products';
import type { OperationCall, OperationTypes, UntaggedOperation } from '../operation.ts';

/**
 * An operation whose body may name a product by `productId`, for a service that knows no products: catalog is queried
 * first. An automation of a product that is not there would never run, and no notification would say so.
 */
export function ofKnownProduct<Id extends string, Types extends OperationTypes>(
  operation: UntaggedOperation<Id, Types>,
): UntaggedOperation<Id, Types> {
  return {
    ...operation,
    errors: [...operation.errors, 'unknown_product'],
    run: async (call) => {
      const { productId } = call.body as { readonly productId?: string | null };
      if (productId) await requireProduct(call, productId);
      return await operation.run(call);
    },
  };
}

/** @throws DomainError unknown_product, also for a product of another account */
async function requireProduct(
  { app, context }: OperationCall<unknown, unknown, unknown>,
  productId: string,
): Promise<void> {
  try {
    await app.requester.request(getProduct, { productId }, context);
  } catch (err) {
    if (!(err instanceof DomainError) || err.code !== 'product_not_found') throw err;
    throw new DomainError('unknown_product', `No product has the id "${productId}".`, [
      { field: 'productId', code: 'product_not_found', message: 'must be the id of a product of this account' },
    ]);
  }
}
