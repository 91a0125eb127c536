import { takePictures } from '@app/testing/browser/take-pictures';
import { test } from 'vitest';
import { startShop } from '../support/shop.ts';

test('the pages of a running platform', async () => {
  const { baseUrl, path } = await startShop();
  await takePictures(baseUrl, [
    { name: 'checkout', path },
    { name: 'no-product', path: path.replace(/[^/]+$/, 'nothing') },
    { name: 'nothing-here', path: '/nothing-here' },
    { name: 'developers', path: '/developers' },
    { name: 'developers-errors', path: '/developers/errors' },
  ]);
});
