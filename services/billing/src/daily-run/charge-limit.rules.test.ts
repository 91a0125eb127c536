import { expect, test } from 'vitest';
import { chargeLimits, chargeLimitText } from './charge-limit.rules.ts';

const due = (cents: number, count = 200, currency = 'usd') => [{ currency, count, cents }];
const exceeded = (...args: Parameters<typeof chargeLimits>) => chargeLimits(...args).map((limit) => limit.exceeded);

test('what is due may be as much as the limit allows, and not a cent more', () => {
  expect(exceeded(due(300), { usd: 100 }, {}, 3)).toEqual([false]);
  expect(exceeded(due(301), { usd: 100 }, {}, 3)).toEqual([true]);
});

test('normal is the larger of the largest run and of what fell due of late', () => {
  expect(chargeLimits(due(300), { usd: 40 }, { usd: 100 }, 3)[0]?.normalCents).toBe(100);
  expect(chargeLimits(due(300), { usd: 100 }, { usd: 40 }, 3)[0]?.normalCents).toBe(100);
});

test('an account’s first day of many renewals, all due today, runs through', () => {
  expect(exceeded(due(1_900_000, 1_000), {}, { usd: 1_900_000 }, 3)).toEqual([false]);
});

test('a clock that jumped a month is stopped: what fell due of late is a tenth of what is due', () => {
  expect(exceeded(due(3_000_000, 1_000), { usd: 100_000 }, { usd: 300_000 }, 3)).toEqual([true]);
});

test('a hundred charges have no limit, a hundred and one may', () => {
  expect(exceeded(due(2_000, 100), {}, {}, 3)).toEqual([false]);
  expect(exceeded(due(2_100, 101), {}, {}, 3)).toEqual([true]);
});

test('0 is no limit', () => {
  expect(chargeLimits(due(9_999_999), {}, {}, 0)).toMatchObject([{ limitCents: null, exceeded: false }]);
});

test('so few charges that they never stop a run have no limit', () => {
  expect(chargeLimits(due(1_900, 1), {}, {}, 3)).toMatchObject([{ count: 1, limitCents: null, exceeded: false }]);
});

test('each currency is compared with its own', () => {
  const both = [...due(1_000), ...due(1_000, 200, 'eur')];
  expect(exceeded(both, { usd: 1_000, eur: 100 }, {}, 3)).toEqual([false, true]);
  const waiting = [{ currency: 'eur', count: 140, cents: 700 }];
  const text = chargeLimitText(chargeLimits(both, { usd: 1_000, eur: 100 }, {}, 3), waiting, 3);
  expect(text).toContain('200 charges, together €10.00, were due, more than 3 times what is normal (€1.00)');
  expect(text).toContain('140 wait (€7.00) for the next run');
  expect(text).toContain('or raise dailyChargeLimit;');
  expect(text).not.toContain('$');
});

test('where nothing says what is normal, no multiple of it is advised', () => {
  const waiting = [{ currency: 'usd', count: 150, cents: 15_000 }];
  const text = chargeLimitText(chargeLimits(due(25_000, 250), {}, {}, 3), waiting, 3);
  expect(text).toContain('250 charges, together $250.00, were due, and nothing in USD was charged');
  expect(text).not.toMatch(/times|raise/);
  expect(text).toContain('or set dailyChargeLimit to 0 (no limit);');
});
