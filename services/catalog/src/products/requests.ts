import { getProductImage as getImage } from '@app/contracts/images';
import * as products from '@app/contracts/products';
import * as sale from '@app/contracts/products-for-sale';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import type { PricingDeps } from '../commands/price-for-processor.ts';
import { createProduct } from './create-product.ts';
import { findProductsForSale } from './find-products-for-sale.ts';
import { listProducts } from './list-products.ts';
import { productResourceOf } from './product.entity.ts';
import { deleteProductImage, getProductImage, putProductImage } from './product-image.ts';
import { requireProduct } from './require-product.ts';
import { updateProduct } from './update-product.ts';

export function productRequests(deps: PricingDeps): RequestHandler[] {
  const { database } = deps;
  return [
    onRequest(products.listProducts, (input, { accountId }) => listProducts(database, accountId, input)),
    onRequest(products.getProduct, async ({ productId, urls }, { accountId }) =>
      productResourceOf(await requireProduct(database.fork(), accountId, productId), urls),
    ),
    onRequest(products.createProduct, (input, context) => createProduct(deps, context, input)),
    onRequest(products.updateProduct, (input, context) => updateProduct(deps, context, input)),
    onRequest(products.putProductImage, (input, context) => putProductImage(deps, context, input)),
    onRequest(products.deleteProductImage, (input, context) => deleteProductImage(deps, context, input)),
    onRequestAcrossAccounts(getImage, (input) => getProductImage(database, input)),
    onRequestAcrossAccounts(sale.findProductsForSale, (input) => findProductsForSale(database, input)),
  ];
}
