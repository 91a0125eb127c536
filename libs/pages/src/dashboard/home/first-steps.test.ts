import { expect, test } from 'vitest';
import type { Visit } from '../frame/visit.ts';
import { firstSteps } from './first-steps.ts';
import { readsOf } from './reads.ts';

const now = '2026-10-31T12:00:00.000Z';
const visits = { current: { views: 0 } };

/** Whether the step of the daily job is done. */
async function isDailyJobDone(runs: object): Promise<boolean | undefined> {
  const answers: Record<string, object> = { getOverview: { visits }, listDailyRuns: runs };
  const visit = {
    request: { query: new URLSearchParams(), now },
    account: async () => ({ emailVerified: true, processor: 'simulated' }),
    read: async (operation: string) => answers[operation] ?? { data: [] },
  } as unknown as Visit;
  return (await firstSteps(visit, readsOf(visit))).find(({ href }) => href === '/app/daily-job')?.isDone;
}

test('nobody has to see to a daily job that the platform runs by itself, or that ran today', async () => {
  expect(await isDailyJobDone({ next_start_at: '2026-11-01T03:00:00.500Z', data: [] })).toBe(true);
  expect(await isDailyJobDone({ next_start_at: null, data: [] })).toBe(false);
  expect(await isDailyJobDone({ next_start_at: null, data: [{ started_at: '2026-10-31T03:00:00.000Z' }] })).toBe(true);
});
