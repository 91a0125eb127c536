import { expect, test } from 'vitest';
import { formatsFor } from '../../formats.ts';
import { readAmount } from './amounts.ts';

const read = (typed: string, currency: string, languages = 'en-US') => {
  const amount = readAmount(typed, currency, 'The price', formatsFor(languages));
  return amount.ok ? amount.cents : amount.error;
};

test('an amount that cannot be read says what to type, and what it says is read', () => {
  expect(read('1.490', 'usd')).toBe('The price can be read in two ways: type 1490 or 1.49.');
  expect(read('1,490', 'kwd', 'de-CH')).toBe('The price can be read in two ways: type 1490 or 1.490.');
  expect([read('1490', 'usd'), read('1.49', 'usd'), read('1.490', 'kwd', 'de-CH')]).toEqual([149_000, 149, 1_490]);
  expect(read('149.505', 'usd')).toBe('USD has 2 decimals: type a number like 149.50.');
  expect(read('12.5', 'jpy')).toBe('JPY has no decimals: type a whole number, like 149.');
  expect(read('€149', 'usd')).toBe('The price is in USD: type the number alone, like 149.');
  expect(read('free', 'usd')).toBe('The price must be a number, like 149.');
  expect(read('', 'eur')).toBe('The price is missing: type a number, like 149.');
  expect(read('-1', 'eur')).toBe('The price cannot be below zero.');
  expect(read('100000000', 'usd')).toBe('The price can be at most $99,999,999.99.');
});
