import { takePictures } from '@app/testing/browser/take-pictures';
import { test } from 'vitest';
import { shownPages, startGallery } from './gallery-site.ts';

test('every component and page of the gallery', async () => {
  const pages = shownPages.map(({ name }) => ({ name: `gallery-${name}`, path: `/${name}` }));
  await takePictures(await startGallery(), pages);
});
