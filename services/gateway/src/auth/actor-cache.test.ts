import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ActorCache, type Found } from './actor-cache.ts';
import { nobody } from './actors.ts';

const found: Found = { actor: nobody, expiresAtMs: Number.POSITIVE_INFINITY };

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('requests at the same time share one look-up, later ones its result', async () => {
  const lookUp = vi.fn(async () => found);
  const cache = new ActorCache(lookUp);
  expect(await Promise.all([cache.find('a'), cache.find('a'), cache.find('a')])).toEqual([found, found, found]);
  expect(cache.find('a')).toBe(found);
  expect(lookUp).toHaveBeenCalledTimes(1);
});

test('an entry is used for less than 700 ms after its look-up began, an unknown key’s too', async () => {
  const lookUp = vi.fn(async () => null);
  const cache = new ActorCache(lookUp);
  await cache.find('a');
  vi.advanceTimersByTime(699);
  await cache.find('a');
  expect(lookUp).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await cache.find('a');
  expect(lookUp).toHaveBeenCalledTimes(2);
});

test('a look-up begun before a change is not used after it', async () => {
  const answers = [Promise.resolve(found), Promise.resolve(null)];
  const cache = new ActorCache(async () => (await answers.shift()) ?? null);
  const before = cache.find('a');
  cache.clear();
  expect(await cache.find('a')).toBeNull();
  expect(await before).toBe(found);
  expect(cache.find('a')).toBeNull();
});

test('a failed look-up is not remembered', async () => {
  const lookUp = vi.fn(async () => found).mockRejectedValueOnce(new Error('database away'));
  const cache = new ActorCache(lookUp);
  await expect(cache.find('a')).rejects.toThrow('database away');
  expect(await cache.find('a')).toBe(found);
});

test('memory is bounded: beyond ten thousand keys the oldest are looked up again', async () => {
  const lookUp = vi.fn(async () => null);
  const cache = new ActorCache(lookUp);
  for (let i = 0; i <= 10_000; i++) await cache.find(`key ${i}`);
  expect(cache.known('key 0')).toBeUndefined();
  expect(cache.known('key 10000')).toBeNull();
});
