import { silentLogger } from '@app/service-kit/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startOverdueWatch } from './overdue-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minuteMs = 60_000;

test('it checks at once and every ten minutes, a minute after a check that failed or found some, and never after it was closed', async () => {
  let checks = 0;
  const watch = startOverdueWatch({
    logger: silentLogger(),
    check: async () => {
      checks += 1;
      if (checks <= 2) throw new Error('no answer');
      return checks === 3 ? 3 : 0;
    },
    waiting: 'something due',
  });
  await vi.advanceTimersByTimeAsync(minuteMs - 1);
  expect([checks, watch.accounts()]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(minuteMs + 1);
  expect([checks, watch.accounts()]).toEqual([3, 3]);
  await vi.advanceTimersByTimeAsync(minuteMs);
  expect([checks, watch.accounts()]).toEqual([4, 0]);
  await vi.advanceTimersByTimeAsync(10 * minuteMs - 1);
  expect(checks).toBe(4);
  await vi.advanceTimersByTimeAsync(1);
  expect(checks).toBe(5);
  await watch.close();
  await vi.advanceTimersByTimeAsync(60 * minuteMs);
  expect(checks).toBe(5);
});

test('a check under way sees that the process closes, and no other one follows it', async () => {
  const checks: (() => boolean)[] = [];
  const gate = Promise.withResolvers<number>();
  const check = async (closing: () => boolean): Promise<number> => {
    checks.push(closing);
    return await gate.promise;
  };
  const watch = startOverdueWatch({ logger: silentLogger(), check, waiting: 'something due' });
  expect(checks.map((closing) => closing())).toEqual([false]);
  const closed = watch.close();
  expect(checks.map((closing) => closing())).toEqual([true]);
  gate.resolve(1);
  await closed;
  await vi.advanceTimersByTimeAsync(60 * minuteMs);
  expect(checks).toHaveLength(1);
});

test('after a run it checks at once whether accounts wait still, and not where none did', async () => {
  const waiting = [2, 1, 0];
  let checks = 0;
  const check = async () => {
    checks += 1;
    return waiting.shift() ?? 0;
  };
  const watch = startOverdueWatch({ logger: silentLogger(), check, waiting: 'something due' });
  await vi.advanceTimersByTimeAsync(0);
  expect([checks, watch.accounts()]).toEqual([1, 2]);
  for (const left of [1, 0]) {
    watch.runEnded();
    watch.runEnded();
    await vi.advanceTimersByTimeAsync(0);
    expect([watch.accounts(), watch.check.warning?.() === undefined]).toEqual([left, left === 0]);
  }
  watch.runEnded();
  await vi.advanceTimersByTimeAsync(10 * minuteMs - 1);
  expect(checks).toBe(3);
  await watch.close();
});
