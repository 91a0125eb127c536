import { expect, test } from 'vitest';
import { monthlyCents } from './monthly.rules.ts';

test('a yearly price counts with a twelfth of it a month, half up, and a monthly one as it is', () => {
  expect([monthlyCents(1900, 'month'), monthlyCents(12_000, 'year')]).toEqual([1900, 1000]);
  expect([monthlyCents(18, 'year'), monthlyCents(17, 'year'), monthlyCents(0, 'year')]).toEqual([2, 1, 0]);
});
