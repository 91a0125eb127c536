import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LookupCache } from './lookup-cache.ts';

const found = { name: 'Ada' };
const both = [{ keepsMisses: true }, { keepsMisses: false }];

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test.each(both)('calls at the same time share one look-up, later ones its result (%o)', async (options) => {
  const lookUp = vi.fn(async () => found);
  const cache = new LookupCache(lookUp, options);
  expect(await Promise.all([cache.find('a'), cache.find('a'), cache.find('a')])).toEqual([found, found, found]);
  expect(cache.find('a')).toBe(found);
  expect(lookUp).toHaveBeenCalledTimes(1);
});

test.each([found, null])('an entry is used for less than 700 ms after its look-up began (%o)', async (outcome) => {
  const lookUp = vi.fn(async () => outcome);
  const cache = new LookupCache(lookUp, { keepsMisses: true });
  await cache.find('a');
  vi.advanceTimersByTime(699);
  expect(await cache.find('a')).toBe(outcome);
  expect(lookUp).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await cache.find('a');
  expect(lookUp).toHaveBeenCalledTimes(2);
});

test.each([{ name: 'Grace' }, null])('a look-up begun before a change is not used after it (%o)', async (changed) => {
  const outcomes = [found, changed];
  const cache = new LookupCache(async () => outcomes.shift() ?? null, { keepsMisses: true });
  const before = cache.find('a');
  cache.clear();
  expect(await cache.find('a')).toBe(changed);
  expect(await before).toBe(found);
  expect(cache.find('a')).toBe(changed);
});

test.each(both)('a failed look-up is not cached (%o)', async (options) => {
  const lookUp = vi.fn(async () => found).mockRejectedValueOnce(new Error('database away'));
  const cache = new LookupCache(lookUp, options);
  await expect(cache.find('a')).rejects.toThrow('database away');
  expect(await cache.find('a')).toBe(found);
});

test('without misses, a key that was not found is looked up again', async () => {
  const outcomes = [null, found];
  const cache = new LookupCache(async () => outcomes.shift() ?? null, { keepsMisses: false });
  expect(await cache.find('a')).toBeNull();
  expect(await cache.find('a')).toBe(found);
});

test.each([found, null])(
  'memory is bounded: beyond ten thousand keys the oldest are looked up again (%o)',
  async (outcome) => {
    const cache = new LookupCache(async () => outcome, { keepsMisses: true });
    for (let i = 0; i <= 10_000; i++) await cache.find(`key ${i}`);
    expect(cache.known('key 0')).toBeUndefined();
    expect(cache.known('key 1')).toBe(outcome);
    expect(cache.known('key 10000')).toBe(outcome);
  },
);
