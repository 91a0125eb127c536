import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HostRates } from './host-rates.ts';
import { priorities } from './priority.rules.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const url = 'https://victim.example/hook';

test('an account and a host share one bound over all URLs and ports; another account and host have their own', () => {
  const rates = new HostRates(10);
  const rate = rates.of('acc_1', url);
  for (const same of ['https://VICTIM.example:8443/other', 'http://victim.example./'])
    expect(rates.of('acc_1', same)).toBe(rate);
  expect(rates.of('acc_2', url)).not.toBe(rate);
  expect(rates.of('acc_1', 'https://other.example/')).not.toBe(rate);
  expect(rates.of('acc_1', 'https://one.of-many.victim.example/')).toBe(rate);
  expect(rates.of('acc_1', 'https://192.0.2.1/')).not.toBe(rates.of('acc_1', 'https://198.51.2.1/'));
  expect(rates.of('acc_1', null)).toBeNull();
  expect(new HostRates(0).of('acc_1', url)).toBeNull();
});

test('five seconds of the rate go out at once, and then the rate, however long the pause was', () => {
  const rate = new HostRates(10).of('acc_1', url);
  const takeAll = (): number => {
    let taken = 0;
    for (; (rate?.available() ?? 0) > 0; taken += 1) rate?.take();
    return taken;
  };
  expect(takeAll()).toBe(50);
  vi.advanceTimersByTime(300);
  expect(takeAll()).toBe(3);
  vi.advanceTimersByTime(3_600_000);
  expect(takeAll()).toBe(50);
});

test('hosts of many domains get three times the rate of one together, and another account has its own', () => {
  const rates = new HostRates(10);
  const takeAll = (count = 120): number => {
    let taken = 0;
    for (let n = 0; n < count; n += 1) {
      const rate = rates.of('acc_1', `https://victim-${n}.example/`);
      for (; (rate?.available() ?? 0) > 0; taken += 1) rate?.take();
    }
    return taken;
  };
  expect(takeAll()).toBe(150);
  vi.advanceTimersByTime(1_000);
  expect(takeAll()).toBe(30);
  expect(rates.of('acc_2', url)?.available()).toBe(50);
  vi.advanceTimersByTime(60_000);
  expect(takeAll(1)).toBe(50);
  // The account's bound is full before the host's: it is not forgotten before it.
  vi.advanceTimersByTime(2_000);
  rates.forgetUnused();
  expect(takeAll()).toBe(150);
});

test('replicas share the bound evenly, and each may send at least one', () => {
  const rates = new HostRates(10);
  rates.setReplicas(2);
  expect(rates.of('acc_1', url)?.available()).toBe(25);
  rates.setReplicas(100);
  const rate = rates.of('acc_2', url);
  expect(rate?.available()).toBe(1);
  rate?.take();
  vi.advanceTimersByTime(9_000);
  expect(rate?.available()).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(rate?.available()).toBe(1);
});

test('what waits in memory leaves room for what is more urgent', () => {
  const rate = new HostRates(10).of('acc_1', url);
  expect(rate?.roomFor(priorities.money)).toBe(60);
  rate?.addWaiting(priorities.resent, 30);
  expect(rate?.roomFor(priorities.resent)).toBe(0);
  expect(rate?.roomFor(priorities.money)).toBe(30);
});

test('what waits for many hosts of one account takes no more memory than its own bound', () => {
  const rates = new HostRates(10);
  // Five seconds of three hosts' rate go out at once, and one second of it waits.
  for (let n = 0; n < 3; n += 1) rates.of('acc_1', `https://victim-${n}.example/`)?.addWaiting(priorities.money, 50);
  const next = rates.of('acc_1', 'https://next.example/');
  expect(next?.roomFor(priorities.money)).toBe(30);
  expect(next?.roomFor(priorities.money, new Map(next.bounds.map((bound) => [bound, 30])))).toBe(0);
  expect(rates.of('acc_2', url)?.roomFor(priorities.money)).toBe(60);
});
