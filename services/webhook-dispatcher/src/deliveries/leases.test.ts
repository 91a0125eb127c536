import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Leases } from './leases.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const leaseSeconds = 60;

test('a lease names its owner and ends after its time', () => {
  const startMs = performance.now();
  const lease = new Leases(7, leaseSeconds).create();
  expect(lease).toMatchObject({ owner: 7, seconds: leaseSeconds, endsMs: startMs + 60_000 });
});

test('a lease is confirmed once, or lost from three seconds after it was registered until it ends', () => {
  const plan = fc.record({
    confirmAfterMs: fc.option(fc.nat(10_000)),
    checkEveryMs: fc.integer({ min: 250, max: 2_500 }),
  });
  fc.assert(
    fc.property(plan, ({ confirmAfterMs, checkEveryMs }) => {
      const leases = new Leases(1, leaseSeconds);
      const lease = leases.create();
      leases.register(lease);
      const startMs = performance.now();
      let [isConfirmed, isLost] = [false, false];
      for (let passedMs = 0; passedMs <= leaseSeconds * 1_000; passedMs = performance.now() - startMs) {
        if (confirmAfterMs !== null && passedMs >= confirmAfterMs) {
          // A lease that was reported as lost is not confirmed, because its deliveries are freed.
          expect(leases.confirm(lease)).toBe(!isLost && !isConfirmed);
          isConfirmed ||= !isLost;
        }
        isLost = !isConfirmed && passedMs > 3_000;
        expect(leases.lostTokens()).toEqual(isLost ? [lease.token] : []);
        vi.advanceTimersByTime(checkEveryMs);
      }
      expect(leases.lostTokens()).toEqual([]);
    }),
    randomRuns(100, 5_000),
  );
});

test('leases are confirmed and lost independently of each other', () => {
  const leases = new Leases(1, leaseSeconds);
  const [first, second, third] = [leases.create(), leases.create(), leases.create()];
  for (const lease of [first, second]) leases.register(lease);
  vi.advanceTimersByTime(2_000);
  leases.register(third);
  expect(leases.confirm(second)).toBe(true);
  vi.advanceTimersByTime(2_000);
  expect(leases.lostTokens()).toEqual([first.token]);
  expect(leases.confirm(third)).toBe(true);
});

test('a lease that was never expected is not confirmed', () => {
  const leases = new Leases(1, leaseSeconds);
  expect(leases.confirm(leases.create())).toBe(false);
});
