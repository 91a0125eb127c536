import { silentLogger } from '@app/service-kit/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startOverdueWatch } from './overdue-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minuteMs = 60_000;

test('it looks at once and every ten minutes, a minute after a look that failed or found some, and never after it was closed', async () => {
  let looks = 0;
  const watch = startOverdueWatch({
    logger: silentLogger(),
    look: async () => {
      looks += 1;
      if (looks <= 2) throw new Error('no answer');
      return looks === 3 ? 3 : 0;
    },
    waiting: 'something due',
  });
  await vi.advanceTimersByTimeAsync(minuteMs - 1);
  expect([looks, watch.accounts()]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(minuteMs + 1);
  expect([looks, watch.accounts()]).toEqual([3, 3]);
  await vi.advanceTimersByTimeAsync(minuteMs);
  expect([looks, watch.accounts()]).toEqual([4, 0]);
  await vi.advanceTimersByTimeAsync(10 * minuteMs - 1);
  expect(looks).toBe(4);
  await vi.advanceTimersByTimeAsync(1);
  expect(looks).toBe(5);
  await watch.close();
  await vi.advanceTimersByTimeAsync(60 * minuteMs);
  expect(looks).toBe(5);
});

test('a check under way sees that the process closes, and no other one follows it', async () => {
  const looks: (() => boolean)[] = [];
  const gate = Promise.withResolvers<number>();
  const look = async (closing: () => boolean): Promise<number> => {
    looks.push(closing);
    return await gate.promise;
  };
  const watch = startOverdueWatch({ logger: silentLogger(), look, waiting: 'something due' });
  expect(looks.map((closing) => closing())).toEqual([false]);
  const closed = watch.close();
  expect(looks.map((closing) => closing())).toEqual([true]);
  gate.resolve(1);
  await closed;
  await vi.advanceTimersByTimeAsync(60 * minuteMs);
  expect(looks).toHaveLength(1);
});

test('after a run it looks at once whether accounts wait still, and not where none did', async () => {
  const waiting = [2, 1, 0];
  let looks = 0;
  const look = async () => {
    looks += 1;
    return waiting.shift() ?? 0;
  };
  const watch = startOverdueWatch({ logger: silentLogger(), look, waiting: 'something due' });
  await vi.advanceTimersByTimeAsync(0);
  expect([looks, watch.accounts()]).toEqual([1, 2]);
  for (const left of [1, 0]) {
    watch.runEnded();
    watch.runEnded();
    await vi.advanceTimersByTimeAsync(0);
    expect([watch.accounts(), watch.check.warning?.() === undefined]).toEqual([left, left === 0]);
  }
  watch.runEnded();
  await vi.advanceTimersByTimeAsync(10 * minuteMs - 1);
  expect(looks).toBe(3);
  await watch.close();
});
