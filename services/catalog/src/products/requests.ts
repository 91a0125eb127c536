import * as contract from '@app/contracts/catalog';
import { type Answer, answer } from '@app/messaging/serve-requests';
import type { CatalogDeps } from '../deps.ts';
import { createProduct } from './create-product.ts';
import { getFunnel } from './get-funnel.ts';
import { listProducts } from './list-products.ts';
import { productResourceOf } from './product.entity.ts';
import { requireProduct } from './require-product.ts';
import { updateProduct } from './update-product.ts';

export function productRequests(deps: CatalogDeps): Answer[] {
  const { database } = deps;
  return [
    answer(contract.listProducts, (page, { accountId }) => listProducts(database, accountId, page)),
    answer(contract.getProduct, async ({ productId }, { accountId }) =>
      productResourceOf(await requireProduct(database.fork(), accountId, productId)),
    ),
    answer(contract.createProduct, (input, context) => createProduct(deps, context, input)),
    answer(contract.updateProduct, (input, context) => updateProduct(deps, context, input)),
    answer(contract.getFunnel, ({ productId }, { accountId }) => getFunnel(database, accountId, productId)),
  ];
}
