import type { Database } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progressTable, startProgress } from './progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const table = progressTable('test_runs');

/** Writes go to a list; each `failing` one is lost. */
function start(failing = 0) {
  const written: unknown[] = [];
  const query = async ({ values }: { values: unknown[] }) => {
    if (failing > 0) {
      failing -= 1;
      throw new Error('no answer');
    }
    written.push(values.slice(2));
  };
  const database = { pool: { query } } as unknown as Database;
  const run = { accountId: 'acc_a', runId: 'run_1' };
  return { written, progress: startProgress({ database, logger: silentLogger() }, table, run) };
}

test('it is written once a second, and only where it changed', async () => {
  const { written, progress } = start();
  progress.expect(5);
  progress.done(1);
  progress.done(1);
  await vi.advanceTimersByTimeAsync(999);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(3_001);
  expect(written).toEqual([[2, 3]]);
  progress.done(0);
  await progress.close();
  expect(written).toEqual([[2, 3]]);
});

test('a write that fails is made again with the next one, and costs the run nothing', async () => {
  const { written, progress } = start(1);
  progress.expect(3);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([[0, 3]]);
  await progress.close();
});

test('closing writes what is left, and nothing more is written after it', async () => {
  const { written, progress } = start();
  // More than was expected: nothing is left to do, and no number below it.
  progress.done(2);
  await progress.close();
  progress.done(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual([[2, 0]]);
  expect(vi.getTimerCount()).toBe(0);
});
