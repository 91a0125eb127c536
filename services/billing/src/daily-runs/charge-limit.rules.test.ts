import { expect, test } from 'vitest';
import { chargeLimits, chargeLimitText } from './charge-limit.rules.ts';

const due = (cents: number, count = 100, currency = 'usd') => [{ currency, count, cents }];
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

test('twenty charges never stop, twenty-one may', () => {
  expect(exceeded(due(2_000, 20), {}, {}, 3)).toEqual([false]);
  expect(exceeded(due(2_100, 21), {}, {}, 3)).toEqual([true]);
});

test('0 is no limit', () => {
  expect(chargeLimits(due(9_999_999), {}, {}, 0)).toMatchObject([{ limitCents: null, exceeded: false }]);
});

test('each currency is compared with its own', () => {
  const both = [...due(1_000), ...due(1_000, 100, 'eur')];
  expect(exceeded(both, { usd: 1_000 }, {}, 3)).toEqual([false, true]);
  const text = chargeLimitText(chargeLimits(both, { usd: 1_000 }, {}, 3), 3);
  expect(text).toContain('100 charges over €10.00 are due, more than 3 times what is normal (€0.00)');
  expect(text).not.toContain('$');
});
