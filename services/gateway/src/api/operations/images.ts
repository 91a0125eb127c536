import { imageResource, putImageBody } from '@app/contracts/images';
import { deleteProductImage, putProductImage } from '@app/contracts/products';
import { logoUrlOf, productImagesUrlOf } from '../../edge/public-urls.ts';
import { deleteLogo, putLogo } from '../../identity/logos.ts';
import { forwardOperation } from '../forward-operation.ts';
import { defineOkOperation, defineOperation, tagged } from '../operation.ts';
import { productParams as params } from '../path-params.ts';
import { putImageText, shownImage } from '../shown-image.ts';

const productImages = tagged('Products', [
  defineOperation({
    id: 'putProductImage',
    audit: false,
    method: 'PUT',
    path: '/api/v1/products/{productId}/image',
    changesImages: true,
    summary: 'Set the picture on a product’s page',
    description: putImageText,
    auth: 'account',
    scope: 'write',
    params,
    body: putImageBody,
    response: imageResource,
    errors: ['product_not_found'],
    run: async ({ app, params, body, context, baseUrl }) => {
      const image = await app.requester.request(putProductImage, { ...params, body }, context);
      return shownImage(image, `${productImagesUrlOf(baseUrl)}/${image.name}`);
    },
  }),
  forwardOperation(deleteProductImage, {
    id: 'deleteProductImage',
    audit: false,
    method: 'DELETE',
    path: '/api/v1/products/{productId}/image',
    changesImages: true,
    summary: 'Delete the picture on a product’s page',
    description: 'The page shows none then. Deleting again does nothing more.',
    params,
    errors: ['product_not_found'],
  }),
]);

const logos = tagged('Settings', [
  defineOperation({
    id: 'putLogo',
    audit: 'settings',
    method: 'PUT',
    path: '/api/v1/settings/logo',
    changesImages: true,
    summary: 'Set the logo of the hosted pages',
    description:
      'A PNG, JPEG or WebP as base64; its bytes say which. EXIF and other metadata are removed. The one before is deleted.',
    auth: 'account',
    scope: 'write',
    body: putImageBody,
    response: imageResource,
    errors: [],
    run: async ({ app, context, body, baseUrl }) => {
      const image = await putLogo(app, context, body.data);
      app.sellers.clear();
      return shownImage(image, logoUrlOf(baseUrl, image.name));
    },
  }),
  defineOkOperation({
    id: 'deleteLogo',
    audit: 'settings',
    method: 'DELETE',
    path: '/api/v1/settings/logo',
    changesImages: true,
    summary: 'Delete the logo of the hosted pages',
    description: 'The pages show the business’s name alone then. Deleting again does nothing more.',
    auth: 'account',
    scope: 'write',
    errors: [],
    run: async ({ app, context }) => {
      await deleteLogo(app, context);
      app.sellers.clear();
    },
  }),
]);

export const imageOperations = [...productImages, ...logos];
