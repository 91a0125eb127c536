import * as contract from '@app/contracts/catalog';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import type { CatalogDeps } from '../deps.ts';
import { createProduct } from './create-product.ts';
import { getFunnel } from './get-funnel.ts';
import { getProductForSale } from './get-product-for-sale.ts';
import { listProducts } from './list-products.ts';
import { productResourceOf } from './product.entity.ts';
import { requireProduct } from './require-product.ts';
import { resolveProducts } from './resolve-products.ts';
import { updateProduct } from './update-product.ts';

export function productRequests(deps: CatalogDeps): RequestHandler[] {
  const { database } = deps;
  return [
    onRequest(contract.listProducts, (page, { accountId }) => listProducts(database, accountId, page)),
    onRequest(contract.getProduct, async ({ productId }, { accountId }) =>
      productResourceOf(await requireProduct(database.fork(), accountId, productId)),
    ),
    onRequest(contract.getProductForSale, (input, { accountId }) => getProductForSale(database, accountId, input)),
    onRequest(contract.createProduct, (input, context) => createProduct(deps, context, input)),
    onRequest(contract.updateProduct, (input, context) => updateProduct(deps, context, input)),
    onRequest(contract.getFunnel, ({ productId }, { accountId }) => getFunnel(database, accountId, productId)),
    onRequestAcrossAccounts(contract.resolveProducts, (input) => resolveProducts(database, input)),
  ];
}
