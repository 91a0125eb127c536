import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type HostRate, HostRates } from './host-rates.ts';
import { priorities } from './priority.rules.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const url = 'https://victim.example/hook';

const takeAll = (rate: HostRate | null): number => {
  let taken = 0;
  for (; (rate?.available() ?? 0) > 0; taken += 1) rate?.take();
  return taken;
};

test('an account and a host share one bound over all URLs, ports and names of its domain; another host has its own', () => {
  const rates = new HostRates(10);
  const rate = rates.of('acc_1', url);
  for (const same of ['https://VICTIM.example:8443/other', 'http://victim.example./'])
    expect(rates.of('acc_1', same)).toBe(rate);
  expect(takeAll(rate)).toBe(50);
  expect(rates.of('acc_1', 'https://one.of-many.victim.example/')?.available()).toBe(0);
  expect(rates.of('acc_1', 'https://other.example/')?.available()).toBe(50);
  expect(takeAll(rates.of('acc_2', 'https://192.0.2.1/'))).toBe(50);
  expect(rates.of('acc_2', 'https://198.51.2.1/')?.available()).toBe(50);
  expect(rates.of('acc_1', null)).toBeNull();
  expect(new HostRates(0).of('acc_1', url)).toBeNull();
});

test('a host that has acknowledged nothing gets as much from all accounts together, in even parts', () => {
  const rates = new HostRates(10);
  const accounts = Array.from({ length: 10 }, (_, n) => `acc_${n}`);
  const takeOf = (accountId: string): number => takeAll(rates.of(accountId, url));
  for (const accountId of accounts) rates.of(accountId, url)?.addWaiting(priorities.money, 1_000);
  const first = accounts.map(takeOf);
  expect(first.reduce((sum, taken) => sum + taken, 0)).toBe(50);
  for (let second = 0; second < 60; second += 1) {
    vi.advanceTimersByTime(1_000);
    // Whoever asks first gets no more than its part.
    const taken = accounts.map(takeOf);
    expect(taken.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(10);
    if (second > 20) expect(taken).toEqual(Array(10).fill(1));
  }
  // One that comes later waits for no more than its part either.
  vi.advanceTimersByTime(1_000);
  expect(takeOf('acc_new')).toBeGreaterThan(0);
  for (const accountId of accounts) rates.of(accountId, url)?.addWaiting(priorities.money, -1_000);
  // Alone again it has all.
  vi.advanceTimersByTime(60_000);
  takeOf('acc_new');
  vi.advanceTimersByTime(5_000);
  expect(takeOf('acc_new')).toBe(50);
});

test('after its first acknowledgement to anyone each account has its own bound at the host', () => {
  const rates = new HostRates(10);
  takeAll(rates.of('acc_1', url));
  expect(rates.of('acc_2', url)?.available()).toBe(0);
  rates.connected('victim.example', '192.0.2.1');
  rates.acknowledged(url, '192.0.2.1');
  expect(rates.of('acc_2', url)?.available()).toBe(50);
  expect(takeAll(rates.of('acc_2', url))).toBe(50);
  expect(takeAll(rates.of('acc_3', 'https://victim.example:8443/'))).toBe(50);
  // Another name of the domain may lead elsewhere.
  expect(takeAll(rates.of('acc_4', 'https://other.victim.example/'))).toBe(50);
  expect(rates.of('acc_5', 'https://other.victim.example/')?.available()).toBe(0);
});

test('many names that lead to one address share what it gets, and a name that acknowledged elsewhere has no more', () => {
  const rates = new HostRates(10);
  const name = (n: number): string => `attacker-${n}.example`;
  const rateOf = (n: number) => rates.of(`acc_${n}`, `https://${name(n)}/`);
  for (let n = 0; n < 20; n += 1) {
    rateOf(n)?.take();
    rates.connected(name(n), '198.51.100.1');
    rates.acknowledged(`https://${name(n)}/`, '198.51.100.1');
    rates.connected(name(n), '203.0.113.7');
  }
  let sent = 0;
  for (let second = 0; second < 100; second += 1) {
    for (let n = 0; n < 20; n += 1) sent += takeAll(rateOf(n));
    vi.advanceTimersByTime(1_000);
  }
  expect(sent).toBeLessThanOrEqual(50 + 99 * 10);
  expect(sent).toBeGreaterThan(900);
});

test('a connection to an address that the name did not lead to before takes of what the address gets, or is not made', () => {
  const rates = new HostRates(10);
  const names = Array.from({ length: 60 }, (_, n) => `fresh-${n}.example`);
  for (const [n, name] of names.entries()) rates.of(`acc_${n}`, `https://${name}/`)?.take();
  const made = names.filter((name) => rates.mayConnect(name, ['203.0.113.7']).length > 0);
  expect(made).toHaveLength(50);
  // What was not connected waits, and so does what was.
  for (const name of made) rates.connected(name, '203.0.113.7');
  for (const [n, name] of names.entries()) expect(rates.of(`acc_${n}`, `https://${name}/`)?.available()).toBe(0);
  expect(rates.mayConnect('fresh-0.example', ['203.0.113.7', '198.51.100.1'])).toHaveLength(2);
  expect(rates.mayConnect('fresh-59.example', ['203.0.113.8', '198.51.100.1'])).toHaveLength(2);
  // Of IPv6 a whole network is one address.
  rates.connected('fresh-1.example', '2001:db8:0:1::1');
  for (let n = 0; n < 50; n += 1) rates.mayConnect('fresh-2.example', [`2001:db8:0:1::${(n + 2).toString(16)}`]);
  expect(rates.mayConnect('fresh-2.example', ['2001:db8:0:1:ffff::1'])).toEqual([]);
});

test('what waits in memory follows a name to its next address', () => {
  const rates = new HostRates(10);
  const rate = rates.of('acc_1', url);
  rate?.addWaiting(priorities.money, 30);
  rates.connected('victim.example', '203.0.113.7');
  expect(rate?.roomFor(priorities.money)).toBe(30);
  rates.connected('victim.example', '203.0.113.8');
  expect(rate?.roomFor(priorities.money)).toBe(30);
  rate?.addWaiting(priorities.money, -30);
  expect(rate?.isUnused()).toBe(true);
  rates.forgetUnused();
  expect(rates.of('acc_1', url)).not.toBe(rate);
});

test('five seconds of the rate go out at once, and then the rate, however long the pause was', () => {
  const rate = new HostRates(10).of('acc_1', url);
  expect(takeAll(rate)).toBe(50);
  vi.advanceTimersByTime(300);
  expect(takeAll(rate)).toBe(3);
  vi.advanceTimersByTime(3_600_000);
  expect(takeAll(rate)).toBe(50);
});

test('hosts of many domains get three times the rate of one together, and another account has its own', () => {
  const rates = new HostRates(10);
  const takeOf = (count = 120): number => {
    let taken = 0;
    for (let n = 0; n < count; n += 1) taken += takeAll(rates.of('acc_1', `https://victim-${n}.example/`));
    return taken;
  };
  expect(takeOf()).toBe(150);
  vi.advanceTimersByTime(1_000);
  expect(takeOf()).toBe(30);
  expect(rates.of('acc_2', 'https://another.example/')?.available()).toBe(50);
  vi.advanceTimersByTime(60_000);
  expect(takeOf(1)).toBe(50);
  // The account's bound is full before the host's: it is not forgotten before it.
  vi.advanceTimersByTime(2_000);
  rates.forgetUnused();
  expect(takeOf()).toBe(150);
});

test('replicas share the bound evenly, and each may send at least one', () => {
  const rates = new HostRates(10);
  rates.setReplicas(2);
  expect(rates.of('acc_1', url)?.available()).toBe(25);
  rates.setReplicas(100);
  const rate = rates.of('acc_2', 'https://other.example/');
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
