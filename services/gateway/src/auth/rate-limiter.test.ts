import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

test('a caller gets exactly its limit in a window, and a new one after it', () => {
  const limiter = new RateLimiter(3, 60_000);
  const allowed = (nowMs: number) => limiter.allowed(limiter.take('a', nowMs));
  expect([allowed(0), allowed(1), allowed(59_999), allowed(59_999)]).toEqual([true, true, true, false]);
  expect(allowed(60_000)).toBe(true);
});

test('callers do not take from each other', () => {
  const limiter = new RateLimiter(1);
  expect(limiter.allowed(limiter.take('a', 0))).toBe(true);
  expect(limiter.allowed(limiter.take('b', 0))).toBe(true);
  expect(limiter.allowed(limiter.take('a', 0))).toBe(false);
});

test('what is left and when it comes back is told', () => {
  const limiter = new RateLimiter(5, 60_000);
  const window = limiter.take('a', 1_000);
  expect(limiter.remaining(window)).toBe(4);
  expect(limiter.resetSeconds(window, 1_000)).toBe(60);
  expect(limiter.resetSeconds(window, 60_999)).toBe(1);
});

test('a window never lasts longer than it is said to, at whatever fraction of a millisecond it began', () => {
  const limiter = new RateLimiter(5, 60_000);
  for (let nowMs = 0.1; nowMs < 1e9; nowMs = nowMs * 1.7 + 0.123456789) {
    expect(limiter.resetSeconds(limiter.take(`at ${nowMs}`, nowMs), nowMs)).toBe(60);
  }
});

test('a million callers do not fill the memory: the oldest are forgotten', () => {
  const limiter = new RateLimiter(1, 60_000, 100);
  for (let i = 0; i < 10_000; i++) limiter.take(`caller ${i}`, i);
  expect(limiter.allowed(limiter.take('caller 0', 10_000))).toBe(true);
  expect(limiter.allowed(limiter.take('caller 9999', 10_000))).toBe(false);
});
