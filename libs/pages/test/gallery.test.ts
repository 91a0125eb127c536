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

test('axe finds nothing wrong with any page, in light and in dark', { timeout: 600_000 }, async () => {
  const { page } = await openVisit(await startGallery());
  const found: Record<string, string[]> = {};
  for (const shown of shownPages) {
    await show(page, shown);
    const violations = faultsOf(shown, await findAccessViolations(page));
    if (violations.length > 0) found[shown.name] = violations;
  }
  expect(found).toEqual({});
});

/** A narrow phone, one whose text is twice as large, a phone, and each side of where the dashboard's menu and tables change. */
const widths = [320, 195, 390, 861, 1051, 1100, 1280];

// The inner width of a phone grows with a page that is too wide: the page's own width does not.
test.each(['phone', 'desktop'] as const)('no page is wider than its window: %s', { timeout: 600_000 }, async (size) => {
  const { page } = await openVisit(await startGallery(), { size });
  const wide: string[] = [];
  for (const shown of shownPages) {
    await show(page, shown);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 });
      const over = Number(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      );
      if (over > 0) wide.push(`${shown.name} at ${width} by ${over}`);
    }
  }
  expect(wide).toEqual([]);
});

test('on a phone no cell of a list stands over another one', async () => {
  const { page } = await openVisit(await startGallery());
  const covered: string[] = [];
  for (const shown of shownPages.filter((each) => markup(each).includes('class="table"'))) {
    await show(page, shown);
    const pairs = await page.locator('.table tbody tr').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const boxes = [...row.children].map((cell) => cell.getBoundingClientRect()).filter(({ height }) => height > 0);
        return boxes.filter((one, index) =>
          boxes
            .slice(index + 1)
            .some(
              (other) =>
                Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
                Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1,
            ),
        );
      }),
    );
    if (pairs.length > 0) covered.push(shown.name);
  }
  expect(covered).toEqual([]);
});

test('on a small laptop no list reaches beyond what it stands in', async () => {
  const { page } = await openVisit(await startGallery(), { size: 'desktop' });
  await page.setViewportSize({ width: 1100, height: 844 });
  const beyond: string[] = [];
  for (const shown of shownPages.filter((each) => markup(each).includes('class="table"'))) {
    await show(page, shown);
    const over = (await page.evaluate(`[...document.querySelectorAll('.dashboard .table')].map((table) => {
      const around = table.parentElement;
      const inner = around.getBoundingClientRect().right - parseFloat(getComputedStyle(around).paddingRight);
      return Math.round(table.getBoundingClientRect().right - inner);
    })`)) as number[];
    if (Math.max(0, ...over) > 0) beyond.push(`${shown.name} by ${Math.max(...over)}`);
  }
  expect(beyond).toEqual([]);
});

test('a phone shows the picture, the price and the whole field of the email at once, and bumps between card and code', async () => {
  const { page } = await openVisit(await startGallery());
  await page.setViewportSize({ width: 390, height: 844 });
  const shown = shownPages.find(({ name }) => name === 'order-picture') as Shown;
  await show(page, shown);
  const box = async (selector: string) => {
    const found = await page.locator(selector).boundingBox();
    return found ?? { x: -1, y: -1, width: 0, height: 0 };
  };
  const [thumb, price, email] = [await box('.thumb'), await box('#price'), await box('#email')];
  expect([thumb.width, thumb.height]).toEqual([64, 64]);
  expect(thumb.x + thumb.width).toBeLessThan(price.x);
  expect(email.y + email.height).toBeLessThan(500);
  const tops = await Promise.all(['#email', '#card-form', '.choices', '#codes', '#pay'].map(box));
  expect(tops.map(({ y }) => y)).toEqual(tops.map(({ y }) => y).toSorted((one, other) => one - other));
  await page.setViewportSize({ width: 1280, height: 800 });
  expect([await page.locator('.thumb').isVisible(), await page.locator('.picture').isVisible()]).toEqual([false, true]);
});

test('on a phone the price of a bump with a picture stands whole at the end of its card, beside words that can be read', async () => {
  const { page } = await openVisit(await startGallery());
  await page.setViewportSize({ width: 390, height: 844 });
  await show(page, shownPages.find(({ name }) => name === 'order-bumps-pictured') as Shown);
  const bump = page
    .locator('.choices')
    .filter({ has: page.locator('.thumb') })
    .locator('.choice')
    .first();
  const boxOf = async (part: string) => {
    const box = await bump.locator(part).boundingBox();
    return box ?? { x: -1, y: -1, width: 0, height: 0 };
  };
  const card = await bump.boundingBox();
  const [price, words, amount] = [await boxOf('> .label'), await boxOf('> span'), await boxOf('.label > .amount')];
  expect(Math.round((card?.x ?? 0) + (card?.width ?? 0) - price.x - price.width)).toBe(17);
  expect(words.x + words.width).toBeLessThanOrEqual(price.x);
  expect([words.width > 100, amount.height < 30]).toEqual([true, true]);
});

test('a field in error stays in the row of its filters', async () => {
  const { page } = await openVisit(await startGallery(), { size: 'desktop' });
  for (const name of ['subscriptions-wrong', 'activity-refused']) {
    await show(page, shownPages.find((shown) => shown.name === name) as Shown);
    const row = page.locator('.filters').filter({ has: page.locator('.error') });
    const tops = await row
      .locator('.input, .button')
      .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
    expect([name, tops.length > 1, new Set(tops).size]).toEqual([name, true, 1]);
  }
});

test('Save stays on the screen of a phone and covers no field; a refused field is where its page opens', async () => {
  const { page } = await openVisit(await startGallery());
  await page.setViewportSize({ width: 390, height: 700 });
  await page.goto('/product-refused');
  const save = page.getByRole('button', { name: 'Save' });
  const isClear = async (selector: string) => {
    const [bar, field] = [await page.locator('.save-bar').boundingBox(), await page.locator(selector).boundingBox()];
    return field !== null && bar !== null && field.y >= 0 && field.y + field.height <= bar.y;
  };
  expect(await page.evaluate('document.activeElement?.id')).toBe('accessUrl');
  expect(await isClear('#accessUrl')).toBe(true);
  for (const id of ['product', 'pricing', 'delivery', 'appearance', 'offers']) {
    await page.getByRole('navigation', { name: 'On this page' }).locator(`a[href="#${id}"]`).click();
    const [box, height] = [await save.boundingBox(), (await save.boundingBox())?.height];
    expect([id, Math.round((box?.y ?? 0) + (height ?? 0)) <= 700, height]).toEqual([id, true, 44]);
    expect([id, await isClear(`#${id} h2`)]).toEqual([id, true]);
  }
  await page.locator('#name').focus();
  for (const id of ['description', 'price', 'currency', 'billing', 'accessUrl', 'slug']) {
    await page.keyboard.press('Tab');
    expect([await page.evaluate('document.activeElement?.id'), await isClear(`#${id}`)]).toEqual([id, true]);
  }
});

test('a chart shows the values of the date that the pointer is at, also without script and within a narrow phone', async () => {
  const url = await startGallery();
  const { page } = await openVisit(url, { script: false });
  await page.setViewportSize({ width: 320, height: 844 });
  await page.goto('/home-german');
  const dates = page.locator('.crosshair li');
  expect(await dates.count()).toBe(30);
  const chart = await page.locator('.chart').boundingBox();
  for (const place of [0, 14, 15, 29]) {
    await dates.nth(place).hover();
    const values = dates.nth(place).locator('p');
    expect((await values.locator(':scope > *').allTextContents()).join(' ')).toMatch(
      new RegExp(`^${place + 1}\\. Okt\\. 2026\\s+[\\d.,]+\\s\\$\\s+[\\d.,]+\\s\\$ before$`),
    );
    const [box, lines] = [await values.boundingBox(), await page.locator('.crosshair p:visible').count()];
    expect([place, lines, (box?.x ?? 0) >= (chart?.x ?? 0)]).toEqual([place, 1, true]);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((chart?.x ?? 0) + (chart?.width ?? 0));
  }
});

test('below the button stands only what is true of the purchase', () => {
  const trustOf = (name: string) =>
    /<p class="terms trust">.*?<span>(.*?)<\/span>/.exec(
      markup(shownPages.find((each) => each.name === name) as Shown),
    )?.[1];
  const days = 'You may withdraw within 14 days';
  expect([trustOf('order-consent'), trustOf('order-free')]).toEqual([undefined, undefined]);
  expect(trustOf('stripe-loading')).toBe(`Card data goes straight to Stripe · ${days}`);
  expect(trustOf('stripe-other-currency')).toBe(days);
  expect(trustOf('stripe-saved-for-renewals')).toBe(`Card data goes straight to Stripe · ${days} · Cancel at any time`);
});

test('a day in a badge is that of the moment beside it, in the reader’s zone', async () => {
  const { page } = await openVisit(await startGallery(), { size: 'desktop', timeZone: 'Pacific/Kiritimati' });
  await page.clock.setFixedTime('2026-10-01T00:00:00.000Z');
  await page.goto('/subscription-ending');
  await page.addScriptTag({ url: '/dashboard.js', type: 'module' });
  const shown = await page.locator('main time[datetime="2026-11-23T12:00:00.000Z"]').allInnerTexts();
  expect([shown.length > 1, shown.filter((text) => !text.startsWith('Nov 24, 2026'))]).toEqual([true, []]);
});

test('a time that is near has no point after its unit: sentences have one of their own', async () => {
  const { page } = await openVisit(await startGallery(), { size: 'desktop' });
  await page.clock.setFixedTime('2026-11-23T10:00:00.000Z');
  await page.goto('/subscription-ending');
  await page.addScriptTag({ url: '/dashboard.js', type: 'module' });
  const shown = await page.locator('main time[data-local][datetime="2026-11-23T12:00:00.000Z"]').allInnerTexts();
  expect([shown.length > 1, new Set(shown)]).toEqual([true, new Set(['in 2 hr'])]);
});
