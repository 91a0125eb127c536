import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from './database.ts';
import { silentLogger } from './logger.ts';
import { startRetention } from './retention.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const aMinuteMs = 60_000;
const rule = { statement: () => ({ text: 'delete' }), limit: () => 30 };

/** A database whose statements delete nothing, or fail; counts them. */
function startCounted({ fails = false } = {}) {
  const query = vi.fn(async () => {
    if (fails) throw new Error('away');
    return { rowCount: 0 };
  });
  const database = { pool: { query } } as unknown as Database;
  return { query, retention: startRetention(database, silentLogger(), [rule]) };
}

test('a process that is renewed every few minutes deletes too, and one that stays does so every hour', async () => {
  const { query, retention } = startCounted();
  expect(query).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(aMinuteMs);
  expect(query).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60 * aMinuteMs);
  expect(query).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(120 * aMinuteMs);
  expect(query).toHaveBeenCalledTimes(4);
  await retention.close();
});

test('a run that fails is followed by the next one', async () => {
  const { query, retention } = startCounted({ fails: true });
  await vi.advanceTimersByTimeAsync(62 * aMinuteMs);
  expect(query).toHaveBeenCalledTimes(2);
  await retention.close();
});

test('once closed nothing is deleted any more', async () => {
  for (const livedMs of [0, 2 * aMinuteMs]) {
    const { query, retention } = startCounted();
    await vi.advanceTimersByTimeAsync(livedMs);
    await retention.close();
    query.mockClear();
    await vi.advanceTimersByTimeAsync(180 * aMinuteMs);
    expect(query).not.toHaveBeenCalled();
  }
});
