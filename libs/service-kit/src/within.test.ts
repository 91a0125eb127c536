import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { within } from './within.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('work that ends in time has its own outcome, and leaves no timer', async () => {
  expect(await within(10, Promise.resolve('done'), () => 'late')).toBe('done');
  await expect(within(10, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});

test('work that takes longer has the outcome of the limit, and may fail after it', async () => {
  const work = Promise.withResolvers<string>();
  const outcome = within(10, work.promise, () => 'late');
  const failure = expect(
    within(10, work.promise, () => {
      throw new Error('too late');
    }),
  ).rejects.toThrow('too late');
  await vi.advanceTimersByTimeAsync(10);
  work.reject(new Error('failed'));
  expect(await outcome).toBe('late');
  await failure;
});
