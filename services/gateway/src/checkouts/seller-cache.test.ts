import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Seller } from './find-seller.ts';
import { SellerCache } from './seller-cache.ts';

const seller: Seller = {
  accountId: 'acc_1',
  handle: 'ada',
  account: { testMode: false, supportEmail: 'help@example.com', businessName: 'Ada', holdDecisionMinutes: 60 },
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('buyers of one shop share a look-up for less than 700 ms after it began', async () => {
  const lookUp = vi.fn(async () => seller);
  const cache = new SellerCache(lookUp);
  expect(await Promise.all([cache.find('ada'), cache.find('ada')])).toEqual([seller, seller]);
  vi.advanceTimersByTime(699);
  expect(await cache.find('ada')).toBe(seller);
  expect(lookUp).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await cache.find('ada');
  expect(lookUp).toHaveBeenCalledTimes(2);
});

test('a look-up begun before a change of settings is not used after it', async () => {
  const changed = { ...seller, account: { ...seller.account, testMode: true } };
  const answers = [seller, changed];
  const cache = new SellerCache(async () => answers.shift() ?? null);
  const before = cache.find('ada');
  cache.clear();
  expect(await cache.find('ada')).toBe(changed);
  expect(await before).toBe(seller);
  expect(await cache.find('ada')).toBe(changed);
});

test('an unknown handle and a failed look-up are asked for again', async () => {
  const answers = [async () => null, async () => Promise.reject(new Error('away')), async () => seller];
  const cache = new SellerCache(() => (answers.shift() ?? (async () => null))());
  expect(await cache.find('ada')).toBeNull();
  await expect(cache.find('ada')).rejects.toThrow('away');
  expect(await cache.find('ada')).toBe(seller);
});

test('the number of entries is bounded: the oldest goes first', async () => {
  const lookUp = vi.fn(async () => seller);
  const cache = new SellerCache(lookUp);
  for (let shop = 0; shop <= 10_000; shop++) await cache.find(`shop-${shop}`);
  lookUp.mockClear();
  await cache.find('shop-1');
  expect(lookUp).not.toHaveBeenCalled();
  await cache.find('shop-0');
  expect(lookUp).toHaveBeenCalledTimes(1);
});
