import { findAccessViolations, findMarkupFaults } from '@app/testing/browser/find-violations';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { expect, test } from 'vitest';
import { gallery } from '../src/gallery/gallery.ts';
import { startGallery } from './gallery-site.ts';

/** Shows a page of the gallery in the window without loading the window anew: axe stays, which takes longer to load than to run. */
async function show(page: Visit['page'], name: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(`/${name}`);
  await page.evaluate(`(async () => {
    const answer = await fetch('/${name}');
    const shown = new DOMParser().parseFromString(await answer.text(), 'text/html').documentElement;
    const styles = [...shown.querySelectorAll('link[rel=stylesheet]')];
    const loaded = styles.map((link) => new Promise((resolve) => link.addEventListener('load', resolve)));
    document.documentElement.replaceWith(document.adoptNode(shown));
    await Promise.all(loaded);
  })()`);
}

test.each(gallery.map((page) => [page.name, page] as const))('%s is valid HTML', async (_, page) => {
  expect(await findMarkupFaults(page.render({ stylesheets: ['/style.css'] }))).toEqual([]);
});

test('axe finds nothing wrong with any page, in light and in dark', { timeout: 240_000 }, async () => {
  const { page } = await openVisit(await startGallery());
  const found: Record<string, string[]> = {};
  for (const { name } of gallery) {
    await show(page, name);
    const violations = await findAccessViolations(page);
    if (violations.length > 0) found[name] = violations;
  }
  expect(found).toEqual({});
});

test('no page is wider than a narrow phone, or than a phone whose text is twice as large', async () => {
  const { page } = await openVisit(await startGallery());
  const wide: string[] = [];
  for (const { name } of gallery) {
    await show(page, name);
    for (const width of [320, 195]) {
      await page.setViewportSize({ width, height: 844 });
      const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      if (over > 0) wide.push(`${name} at ${width} by ${over}`);
    }
  }
  expect(wide).toEqual([]);
});
