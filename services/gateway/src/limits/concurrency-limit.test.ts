import { DomainError } from '@app/contracts/errors';
import { expect, test } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';

const tooLate = () => new DomainError('service_unavailable', 'too late');

test('a caller has so many pieces of work under way at once, and the callers do not wait for each other', async () => {
  const limit = createConcurrencyLimit({ atOnce: 2, withinMs: 60_000, tooLate });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.push(() => resolve(name)));
  };
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => limit(name.slice(0, 1), work(name)));
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1']);
  ends[0]?.();
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const end of ends) end();
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('work that fails frees its slot; work that gets a slot too late is refused and not begun', async () => {
  const limit = createConcurrencyLimit({ atOnce: 1, withinMs: 20, tooLate });
  await expect(limit('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const held = Promise.withResolvers<void>();
  const first = limit('a', () => held.promise);
  let begun = false;
  const second = limit('a', async () => {
    begun = true;
  });
  await expect(second).rejects.toThrow('too late');
  held.resolve();
  await first;
  expect(begun).toBe(false);
  expect(await limit('a', async () => 'free again')).toBe('free again');
});
