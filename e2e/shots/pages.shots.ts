import { takePictures } from '@app/testing/browser/take-pictures';
import { test } from 'vitest';
import { openedPortal } from '../support/opened-portal.ts';
import { startShop } from '../support/shop.ts';

test('the pages of a running platform', async () => {
  const { baseUrl, path } = await startShop();
  await takePictures(baseUrl, [
    { name: 'checkout', path },
    { name: 'no-product', path: path.replace(/[^/]+$/, 'nothing') },
    { name: 'nothing-here', path: '/nothing-here' },
    { name: 'developers', path: '/developers' },
    { name: 'developers-errors', path: '/developers/errors' },
    { name: 'developers-webhooks', path: '/developers/webhooks' },
    { name: 'developers-reference', path: '/developers/reference' },
    { name: 'developers-reference-orders', path: '/developers/reference/orders' },
    { name: 'developers-reference-events', path: '/developers/reference/events' },
  ]);
});

test('the pages of a buyer’s portal', async () => {
  const { baseUrl, cookie, pages } = await openedPortal();
  const pictured = pages.map(({ name, path }) => ({ name: `portal-${name}`, path }));
  await takePictures(baseUrl, pictured, [cookie]);
});
