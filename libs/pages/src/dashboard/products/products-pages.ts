import type { Pages } from '../frame/visit.ts';
import { discountPages } from './discounts.ts';
import { emailPages } from './emails.ts';
import { showNewProduct, takeNewProduct } from './new-product.ts';
import { offerPages } from './offers.ts';
import { showPicture, takePicture } from './picture.ts';
import { showNewPreview, showPreview } from './preview.ts';
import { showProduct, takeProduct } from './product.ts';
import { showProducts } from './products.ts';
import { showCode } from './share.ts';

export const productsPages: Pages = Object.assign(
  {
    '/app/products': { show: showProducts },
    '/app/products/new': { show: showNewProduct, take: takeNewProduct },
    '/app/products/new/preview': { show: showNewPreview, take: showNewPreview },
    '/app/products/:productId': { show: showProduct, take: takeProduct },
    '/app/products/:productId/preview': { show: showPreview, take: showPreview },
    '/app/products/:productId/picture': { show: showPicture, take: takePicture },
    '/app/products/:productId/qr.svg': { show: showCode },
  },
  offerPages('bump'),
  offerPages('upsell'),
  emailPages,
  discountPages,
);
