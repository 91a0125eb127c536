import { expect, test } from 'vitest';
import { formatsFor } from '../../formats.ts';
import type { Html } from '../../html.ts';
import type { Visit } from '../frame/visit.ts';
import { showMetrics } from './metrics.ts';

const overview = {
  ...{ from: '2026-10-02', to: '2026-10-31', previous: { from: '2026-09-02', to: '2026-10-01' }, by: 'day' },
  ...{ currencies: [], products: [], productCount: 0 },
  visits: { current: { views: 0, conversionRate: 0 }, previous: { views: 0, conversionRate: 0 }, series: [] },
};

test('a span that cannot be is explained in the words of its form', async () => {
  const refused = {
    ok: false,
    problem: { detail: '', errors: [{ field: 'from', message: 'must not be after `to`' }] },
  };
  const visit = {
    path: '/app/metrics',
    formats: formatsFor('en-US'),
    request: { query: new URLSearchParams('from=2026-10-31&to=2026-10-02'), now: '2026-10-31T12:00:00.000Z' },
    account: async () => ({ defaultCurrency: 'usd' }),
    call: async (operation: string) => (operation === 'getOverview' ? refused : { ok: true, body: { data: [] } }),
    read: async () => overview,
  };
  const { status, main } = await showMetrics(visit as unknown as Visit);
  expect([status, (main as Html).text]).toEqual([
    422,
    expect.stringContaining('The first day must not be after the last day.'),
  ]);
});
