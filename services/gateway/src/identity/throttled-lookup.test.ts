import type { Database } from '@app/service-kit/database';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createThrottledLookup } from './throttled-lookup.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'setImmediate'] }));
afterEach(() => void vi.useRealTimers());

const valid = Buffer.from('valid');

/** A database that knows one hash, and counts its questions. */
function counting() {
  const requested: number[] = [];
  const pool = {
    query: async ({ values: [hashes] }: { values: [Buffer[]] }) => {
      requested.push(hashes.length);
      return { rows: hashes.filter((hash) => hash.equals(valid)).map((hash) => ({ hash })) };
    },
  };
  return { requested, database: { pool } as unknown as Database };
}

test('ten thousand invented credentials in ten seconds are some forty statements, and a valid one is among the found', async () => {
  const { requested, database } = counting();
  const lookup = createThrottledLookup(database);
  const found: boolean[] = [];
  for (let i = 0; i < 10_000; i++) {
    void lookup.exists(i === 5_000 ? valid : Buffer.from(`invented ${i}`)).then((exists) => found.push(exists));
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requested.length).toBeLessThanOrEqual(45);
  expect([found.length, found.filter(Boolean).length]).toEqual([10_000, 1]);
});

test('beyond those that may wait, no lookup is made', async () => {
  const { requested, database } = counting();
  const lookup = createThrottledLookup(database);
  const all = Array.from({ length: 5_000 }, () => lookup.exists(valid));
  await vi.advanceTimersByTimeAsync(2_000);
  const found = await Promise.all(all);
  expect(found.filter(Boolean).length).toBe(2_000);
  expect(requested).toEqual([1_000, 1_000]);
});
