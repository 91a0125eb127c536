import { findAccessViolations, findMarkupFaults } from '@app/testing/browser/find-violations';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { expect, test } from 'vitest';
import type { GalleryPage } from './gallery/gallery.ts';
import { shownPages, startGallery } from './gallery-site.ts';

type Shown = GalleryPage;
/** Mail programs show an email within a page of their own, and read no style sheets of ours. */
const ofPagesAlone = /no-inline-style|^(?:region|landmark-one-main): /;
const faultsOf = ({ name }: Shown, found: readonly string[]): string[] =>
  found.filter((fault) => !name.startsWith('email-') || !ofPagesAlone.test(fault));
const markup = (page: Shown): string => page.render({ stylesheets: ['/style.css'] });

/**
 * Shows a page of the gallery in the window without loading the window anew: axe stays, which takes longer to load than to
 * run. The page goes to the window as text: to request it would take twice as long.
 */
async function show(page: Visit['page'], shown: Shown): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(`/${shown.name}`);
  await page.evaluate(`(async () => {
    const shown = new DOMParser().parseFromString(${JSON.stringify(markup(shown))}, 'text/html').documentElement;
    const styles = [...shown.querySelectorAll('link[rel=stylesheet]')];
    const loaded = styles.map((link) => new Promise((resolve) => link.addEventListener('load', resolve)));
    document.documentElement.replaceWith(document.adoptNode(shown));
    await Promise.all(loaded);
  })()`);
}

test.each(shownPages.map((page) => [page.name, page] as const))('%s is valid HTML', async (_, page) => {
  expect(faultsOf(page, await findMarkupFaults(markup(page)))).toEqual([]);
});

test('axe finds nothing wrong with any page, in light and in dark', { timeout: 240_000 }, async () => {
  const { page } = await openVisit(await startGallery());
  const found: Record<string, string[]> = {};
  for (const shown of shownPages) {
    await show(page, shown);
    const violations = faultsOf(shown, await findAccessViolations(page));
    if (violations.length > 0) found[shown.name] = violations;
  }
  expect(found).toEqual({});
});

test('no page is wider than a narrow phone, or than a phone whose text is twice as large', async () => {
  const { page } = await openVisit(await startGallery());
  const wide: string[] = [];
  for (const shown of shownPages) {
    await show(page, shown);
    for (const width of [320, 195]) {
      await page.setViewportSize({ width, height: 844 });
      const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      if (over > 0) wide.push(`${shown.name} at ${width} by ${over}`);
    }
  }
  expect(wide).toEqual([]);
});
