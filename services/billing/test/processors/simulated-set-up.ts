import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll } from 'vitest';
import type { RunQuery } from '../../src/processors/simulated/simulated-books.ts';
import { openSimulatedProcessor, type SimulatedProcessor } from '../../src/processors/simulated/simulated-processor.ts';
import { openStorage, storage } from '../set-up.ts';

/** Of the test file that is running. */
export let processor: SimulatedProcessor;
export let clock: FakeClock;

/** For readers of the processor's books. */
export const run: RunQuery = (sql, values) => query(storage.url, sql, values);

/** Called at the top of a test file: opens billing's database, and the simulated processor on it. */
export function openSimulated(options: { readonly slowMs?: number } = {}): void {
  openStorage();
  clock = fakeClock('2026-03-15T12:00:00.000Z');
  beforeAll(async () => {
    processor = await openSimulatedProcessor({ databaseUrl: storage.url, clock, ...options });
  });
  afterAll(() => processor.close());
}
