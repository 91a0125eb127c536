import { expect, test } from 'vitest';
import { formatsFor } from '../../formats.ts';
import type { Html } from '../../html.ts';
import type { Visit } from '../frame/visit.ts';
import { showHome, showLiveHome } from './home.ts';
import { homePage } from './home-page.ts';

const none = { data: [], has_more: false };
const overview = {
  ...{ from: '2026-10-02', to: '2026-10-31', previous: { from: '2026-09-02', to: '2026-10-01' }, by: 'day' },
  ...{ currencies: [], products: [], productCount: 0 },
  visits: { current: { views: 3, conversionRate: 0 }, previous: { views: 0, conversionRate: 0 }, series: [] },
};

/** What a page reads of an account without sales, in the order in which it reads. */
async function readsOf(show: (visit: Visit) => Promise<unknown>, query: string): Promise<string[]> {
  const reads: string[] = [];
  const visit = {
    path: '/app',
    formats: formatsFor('en-US'),
    request: { query: new URLSearchParams(query), now: '2026-10-31T12:00:00.000Z' },
    account: async () => ({ emailVerified: true, processor: 'simulated', takesNone: false, defaultCurrency: 'usd' }),
    read: async (operation: string, given: object) => {
      reads.push(`${operation} ${JSON.stringify(given)}`);
      return operation === 'getOverview' ? overview : none;
    },
  };
  await show(visit as unknown as Visit);
  return reads;
}

test('what waits for the seller stands above the first steps', async () => {
  const need = { label: 'Card held: 1 ($12.00)', href: '/app/orders?status=authorized' };
  const live = {
    ...{ overview, before: null, range: '30d', currency: 'usd', needs: [need], orders: [] },
    ...{ pictures: new Map(), events: [], formats: formatsFor('en-US') },
  } as const;
  const steps = [{ label: 'Make a product', href: '/app/products', isDone: false }];
  const { text } = homePage({ live: live as never, steps, takesNone: false }).main as Html;
  const places = ['Needs you', 'First steps', 'id="live"'].map((part) => text.indexOf(part));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
});

const operations = (reads: readonly string[]): string[] => reads.map((read) => read.split(' ')[0] ?? '').toSorted();

test('home reads nothing twice, and again each minute only what changes by itself', async () => {
  const reads = await readsOf(showHome, '');
  expect(reads).toHaveLength(new Set(reads).size);
  expect(reads).toHaveLength(12);
  const live = await readsOf(showLiveHome, 'range=30d&currency=usd');
  expect(live).toHaveLength(10);
  expect(operations(reads).filter((each) => !operations(live).includes(each))).toEqual([
    'listDailyRuns',
    'listTestOrders',
  ]);
});
