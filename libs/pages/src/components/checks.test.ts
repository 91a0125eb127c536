import { expect, test } from 'vitest';
import { checkHead, secondsToNextCheck } from './checks.ts';

test('a payment under way is checked ever more slowly, at least once a minute, with script and without', () => {
  const waits = Array.from({ length: 60 }, (_, checks) => secondsToNextCheck(checks));
  expect(waits.slice(0, 5)).toEqual([2, 3, 5, 7, 10]);
  expect(waits).toEqual(waits.toSorted((one, other) => one - other));
  expect(Math.max(...waits)).toBe(60);
  expect(checkHead({ nextUrl: '/c/a/b?check=5', checks: 4 }).text).toContain('content="10;url=/c/a/b?check=5"');
});
