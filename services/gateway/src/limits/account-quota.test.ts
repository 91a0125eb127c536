import { access } from 'node:fs/promises';
import { type Logger, silentLogger } from '@app/service-kit/logger';
import { sharedWindows } from '@app/testing/shared-windows';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AccountQuota } from './account-quota.ts';
import type { RateWindows } from './rate-windows.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function table() {
  const { state, shared } = sharedWindows();
  const replicas = (limit: number, count: number) =>
    Array.from({ length: count }, () => new AccountQuota(limit, shared, silentLogger()));
  return { state, replicas };
}

test('whatever replica each request comes to, all together are never more than the limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 30 }),
      async (limit, bursts) => {
        const replicas = table().replicas(limit, 3);
        let allowed = 0;
        for (const [at, size] of bursts) {
          const taken = await Promise.all(Array.from({ length: size }, () => replicas[at]?.take('acc')));
          allowed += taken.filter((one) => one?.allowed).length;
        }
        expect(allowed).toBeLessThanOrEqual(limit);
      },
    ),
  );
});

test('one replica gives the whole limit in 66 statements, and another has what it leased', async () => {
  const { state, replicas } = table();
  const [one, two] = replicas(600, 2) as [AccountQuota, AccountQuota];
  let allowed = 0;
  while ((await one.take('acc')).allowed) allowed += 1;
  expect([allowed, state.statements]).toEqual([600, 66]);
  expect((await two.take('acc')).allowed).toBe(false);
  vi.advanceTimersByTime(60_001);
  await two.take('acc');
  allowed = 0;
  while ((await one.take('acc')).allowed) allowed += 1;
  expect(allowed).toBe(600 - 38);
  let rest = 0;
  while ((await two.take('acc')).allowed) rest += 1;
  expect(rest).toBe(37);
});

test('what a replica shows is right at once for what came to it, and within 5 s for what came to others', async () => {
  const { replicas } = table();
  const [one, two] = replicas(600, 2) as [AccountQuota, AccountQuota];
  for (let i = 0; i < 10; i++) expect((await one.take('acc')).remaining).toBe(599 - i);
  while ((await two.take('acc')).allowed);
  vi.advanceTimersByTime(5_001);
  await one.take('acc');
  await vi.advanceTimersByTimeAsync(0);
  expect((await one.take('acc')).remaining).toBe(38 - 12);
});

test('a refused account costs nothing more in its minute, and has a new one after it', async () => {
  const { state, replicas } = table();
  const [one] = replicas(5, 1) as [AccountQuota];
  for (let i = 0; i < 5; i++) expect((await one.take('acc')).remaining).toBe(4 - i);
  const { statements } = state;
  for (let i = 0; i < 100; i++) expect(await one.take('acc')).toMatchObject({ allowed: false, remaining: 0 });
  expect(state.statements).toBe(statements);
  expect((await one.take('other')).allowed).toBe(true);
  vi.advanceTimersByTime(59_000);
  expect(await one.take('acc')).toMatchObject({ allowed: false, resetSeconds: 1 });
  vi.advanceTimersByTime(1_000);
  expect(await one.take('acc')).toEqual({ allowed: true, remaining: 4, resetSeconds: 60, waitMs: 0 });
});

test('of all requests at once sixty are served, and the others one after the other at twice the pace of the limit', async () => {
  const [quota] = table().replicas(600, 1) as [AccountQuota];
  const waits = async (count: number): Promise<number[]> =>
    (await Promise.all(Array.from({ length: count }, () => quota.take('acc')))).map(({ waitMs }) => waitMs);
  expect(await waits(600)).toEqual(Array.from({ length: 600 }, (_, n) => Math.max(0, n - 59) * 50));
  expect(await waits(3)).toEqual([0, 0, 0]);
  vi.advanceTimersByTime(60_000);
  for (let n = 0; n < 59; n += 1) expect(await waits(1)).toEqual([0]);
  // One comes each 50 ms: the reserve stays, and after half a second without one it is ten more.
  for (let n = 0; n < 10; n += 1) {
    vi.advanceTimersByTime(50);
    expect(await waits(1)).toEqual([0]);
  }
  vi.advanceTimersByTime(500);
  expect((await waits(12)).filter((waitMs) => waitMs > 0)).toHaveLength(1);
});

test.each([
  [5, 5],
  [60, 60],
  [600, 60],
  [6_000, 600],
])('of a limit of %i requests, %i come at once without waiting', async (limit, atOnce) => {
  const [quota] = table().replicas(limit, 1) as [AccountQuota];
  const taken = await Promise.all(Array.from({ length: limit }, () => quota.take('acc')));
  expect(taken.filter(({ waitMs }) => waitMs === 0)).toHaveLength(atOnce);
});

test.each(['hangs', 'fails'] as const)(
  'a table that %s refuses no caller: each replica allows the limit by itself, and waits once',
  async (away) => {
    const { state, replicas } = table();
    const both = replicas(50, 2);
    state.away = away;
    for (const replica of both) {
      const all = Promise.all(Array.from({ length: 60 }, () => replica.take('acc')));
      await vi.advanceTimersByTimeAsync(250);
      expect((await all).filter(({ allowed }) => allowed)).toHaveLength(50);
    }
    expect(state.statements).toBe(2);
    state.away = null;
    vi.advanceTimersByTime(60_001);
    for (const replica of both) expect((await replica.take('acc')).allowed).toBe(true);
    expect(state.statements).toBe(4);
  },
);

test('after a pause of the process itself, what the database said meanwhile counts', async () => {
  vi.useRealTimers();
  const warn = vi.fn();
  const add: RateWindows['add'] = async () => {
    // Arrives as an answer of the database does: when the event loop checks for what has come.
    await access(import.meta.dirname);
    return [{ taken: 1, leftMs: 60_000 }];
  };
  const shared = { add } as RateWindows;
  const quota = new AccountQuota(5, shared, { warn, info: vi.fn() } as unknown as Logger);
  const taken = quota.take('acc');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  expect((await taken).allowed).toBe(true);
  expect(warn).not.toHaveBeenCalled();
});
