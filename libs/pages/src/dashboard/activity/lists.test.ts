import { expect, test } from 'vitest';
import { visitAt } from '../../../test/gallery/dashboard-samples.ts';
import { deliveryOf } from '../../../test/gallery/dashboard-tools-samples.ts';
import { activityPage } from './activity-page.ts';
import { deliveriesPage } from './deliveries-page.ts';

test('a list of which the filters leave nothing has a link that clears them', () => {
  const nothing = { items: [], problem: null, isFiltered: true };
  for (const [path, page] of [
    ['/app/activity', activityPage],
    ['/app/activity/deliveries', deliveriesPage],
  ] as const)
    expect(page(visitAt(path, 'status=failed'), nothing).main.text).toContain(
      `<a href="${path}">Clear the filters</a>`,
    );
});

test('of the emails of one event a phone too shows to whom each went', () => {
  const items = ['mailto:ada@example.com', 'mailto:seller@example.com'].map((url) => deliveryOf({ url }));
  const shown = deliveriesPage(visitAt('/app/activity/deliveries'), { items, problem: null }).main.text;
  const onPhone = [...shown.matchAll(/<td class="detail">(.*?)<\/td>/g)].map(([, cell = '']) =>
    cell.replaceAll(/<[^>]+>/g, ''),
  );
  expect(onPhone).toEqual(['ada@example.com', 'ada@example.com · to seller@example.com']);
});
