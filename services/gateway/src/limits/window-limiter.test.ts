import { silentLogger } from '@app/service-kit/logger';
import { sharedWindows } from '@app/testing/shared-windows';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WindowLimiter } from './window-limiter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function table() {
  const { state, shared } = sharedWindows();
  const replica = (limit: number, maxClients?: number) =>
    new WindowLimiter({ limit, maxClients }, shared, silentLogger());
  return { state, replica };
}

/** Requests that count for good; how many of them were allowed. */
function take(limiter: WindowLimiter, client: string, times = 1): number {
  let allowed = 0;
  for (let i = 0; i < times; i++) {
    const window = limiter.take(client);
    limiter.keep(window);
    if (limiter.allowed(window)) allowed += 1;
  }
  return allowed;
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a client gets exactly its limit in a minute, and a new one after it', async () => {
  const limiter = table().replica(3);
  expect([take(limiter, 'a', 3), take(limiter, 'a')]).toEqual([3, 0]);
  await pass(59_999);
  expect(take(limiter, 'a')).toBe(0);
  await pass(60_001);
  expect(take(limiter, 'a', 4)).toBe(3);
});

test('clients do not take from each other', () => {
  const limiter = table().replica(1);
  expect([take(limiter, 'a'), take(limiter, 'b'), take(limiter, 'a')]).toEqual([1, 1, 0]);
});

test('what is left and when it comes back is shown', async () => {
  const limiter = table().replica(5);
  await pass(1_000.3);
  const window = limiter.take('a');
  expect([limiter.remaining(window), limiter.resetSeconds(window)]).toEqual([4, 60]);
  await pass(59_999);
  expect(limiter.resetSeconds(window)).toBe(1);
});

test('what is taken back is free again, and no other replica counts it', async () => {
  const { state, replica } = table();
  const limiter = replica(3);
  for (let i = 0; i < 100; i++) limiter.release(limiter.take('a'));
  await pass(1_000);
  expect([take(limiter, 'a', 4), state.statements]).toEqual([3, 0]);
});

test('a million clients do not fill the memory: the oldest are forgotten', () => {
  const limiter = table().replica(1, 100);
  for (let i = 0; i < 10_000; i++) take(limiter, `client ${i}`);
  expect([take(limiter, 'client 0'), take(limiter, 'client 9999')]).toEqual([1, 0]);
});

test('what a client used up at one replica is used up at the others, save for its first few requests there', async () => {
  const { replica } = table();
  const [one, two, three] = [replica(60), replica(60), replica(60)];
  expect(take(one, 'a', 100)).toBe(60);
  await pass(300);
  let allowed = 0;
  for (let i = 0; i < 50; i++) {
    allowed += take(two, 'a') + take(three, 'a');
    await pass(300);
  }
  // Five at each that it did not report, and the one that made it query.
  expect(allowed).toBe(12);
  expect(take(two, 'b')).toBe(1);
  await pass(60_000);
  expect(take(two, 'a', 61)).toBe(60);
});

test('two replicas that share a client’s requests allow the limit together, a quarter of a second’s requests more or less', async () => {
  const { replica } = table();
  const replicas = [replica(60), replica(60)];
  let allowed = 0;
  for (let i = 0; i < 100; i++) {
    for (const each of replicas) allowed += take(each, 'a');
    await pass(100);
  }
  expect(allowed).toBeGreaterThanOrEqual(60);
  expect(allowed).toBeLessThanOrEqual(66);
});

test('however many clients there are, the statements are four a second; a few requests of each cost none', async () => {
  const { state, replica } = table();
  const limiter = replica(60);
  for (let i = 0; i < 5_000; i++) take(limiter, `few ${i}`, 5);
  await pass(10_000);
  expect(state.statements).toBe(0);
  for (let i = 0; i < 5_000; i++) take(limiter, `many ${i}`, 6);
  await pass(1_000);
  expect(state.statements).toBe(4);
  await pass(10_000);
  expect(state.statements).toBe(5);
});

test('while the database is away each counts alone, and later they share again', async () => {
  const { state, replica } = table();
  const [one, two] = [replica(60), replica(60)];
  state.away = 'fails';
  expect(take(one, 'a', 61)).toBe(60);
  await pass(300);
  state.away = null;
  expect(take(one, 'a')).toBe(0);
  await pass(300);
  expect(take(two, 'a', 6)).toBe(6);
  await pass(300);
  expect(take(two, 'a')).toBe(0);
});

test('of a longer window parts of a unit count, other replicas get whole ones, and what is given back is free for them', async () => {
  const { shared } = sharedWindows();
  const replica = () =>
    new WindowLimiter(
      { limit: 10, seconds: 3_600, unsharedMax: Number.NEGATIVE_INFINITY, exchangeMs: 1_000 },
      shared,
      silentLogger(),
    );
  const [one, two] = [replica(), replica()];
  const count = (limiter: WindowLimiter, amount: number) => limiter.count(limiter.window('a'), amount);
  const allowed = (limiter: WindowLimiter) => limiter.allowed(limiter.window('a'));
  for (let n = 0; n < 19; n += 1) count(one, 0.5);
  expect([allowed(one), one.resetSeconds(one.window('a'))]).toEqual([true, 3_600]);
  await pass(1_000);
  count(two, 0.5);
  await pass(1_000);
  // Ten whole units and half of one.
  expect([allowed(one), allowed(two)]).toEqual([true, false]);
  count(one, -5);
  await pass(1_000);
  count(two, 0);
  await pass(1_000);
  expect(allowed(two)).toBe(true);
  await pass(3_600_000);
  expect([one.window('a').count, two.window('a').count]).toEqual([0, 0]);
});

test('a limiter that is closed sends nothing more', async () => {
  const { state, replica } = table();
  const limiter = replica(60);
  take(limiter, 'a', 10);
  await limiter.close();
  take(limiter, 'a', 10);
  await pass(1_000);
  expect(state.statements).toBe(0);
});
