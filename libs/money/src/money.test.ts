import fc from 'fast-check';
import { expect, test } from 'vitest';
import { divideHalfUp, monthlyCents, percentOf, rate } from './arithmetic.ts';
import { currencyDigits, decimalAmount, formatAmount } from './format.ts';

test('display amounts respect currencies without and with three decimals', () => {
  expect(formatAmount(123_450, 'usd')).toBe('$1,234.50');
  expect(formatAmount(-500, 'eur')).toBe('-€5.00');
  expect(formatAmount(1235, 'jpy')).toBe('¥1,235');
  expect(formatAmount(1234, 'kwd')).toBe('KWD\u00a01.234');
  expect(currencyDigits('jpy')).toBe(0);
});

test('minor units are those of ISO 4217, whatever shops usually show', () => {
  for (const currency of ['cop', 'huf', 'idr', 'pkr', 'mga', 'lbp', 'usd']) expect(currencyDigits(currency)).toBe(2);
  for (const currency of ['clp', 'krw', 'vnd', 'xof', 'isk']) expect(currencyDigits(currency)).toBe(0);
  for (const currency of ['iqd', 'bhd', 'OMR']) expect(currencyDigits(currency)).toBe(3);
  expect(currencyDigits('clf')).toBe(4);
  expect(formatAmount(1_234_500, 'cop')).toBe('COP\u00a012,345.00');
  expect(formatAmount(123_450, 'HUF')).toBe('HUF\u00a01,234.50');
  expect(formatAmount(1_234_567, 'iqd')).toBe('IQD\u00a01,234.567');
  expect(formatAmount(-1_234, 'ugx')).toBe('-UGX\u00a01,234');
});

test('a yearly price counts with a twelfth of it a month, half up, and a monthly one as it is', () => {
  expect([monthlyCents(1900, 'month'), monthlyCents(12_000, 'year')]).toEqual([1900, 1000]);
  expect([0, 5, 6, 17, 18, 1200].map((cents) => monthlyCents(cents, 'year'))).toEqual([0, 0, 1, 1, 2, 100]);
});

test('halves round up, and away from zero below it', () => {
  expect(divideHalfUp(5, 2)).toBe(3);
  expect(divideHalfUp(-5, 2)).toBe(-3);
  expect(divideHalfUp(4, 3)).toBe(1);
  expect(() => divideHalfUp(1, 0)).toThrow(RangeError);
});

test('a rounded quotient is never further than half a unit from the true one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 10 }), fc.integer({ min: 1, max: 10 ** 6 }), (dividend, divisor) => {
      const error = Math.abs(divideHalfUp(dividend, divisor) * divisor - dividend);
      expect(error * 2).toBeLessThanOrEqual(divisor);
    }),
  );
});

test('a percentage and its complement never lose more than one minor unit together', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9_999_999_999 }),
      fc.integer({ min: 0, max: 10_000 }),
      (cents, basisPoints) => {
        const both = percentOf(cents, basisPoints / 100) + percentOf(cents, (10_000 - basisPoints) / 100);
        expect(both - cents).toBeGreaterThanOrEqual(0);
        expect(both - cents).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test('a rate has four decimals and is zero of nothing', () => {
  expect(rate(1, 3)).toBe(0.3333);
  expect(rate(2, 3)).toBe(0.6667);
  expect(rate(0, 0)).toBe(0);
});

test.each([
  [14565, 'usd', '145.65'],
  [-5, 'usd', '-0.05'],
  [0, 'eur', '0.00'],
  [1235, 'jpy', '1235'],
  [-1, 'jpy', '-1'],
  [1234, 'kwd', '1.234'],
  [-9, 'KWD', '-0.009'],
  [9_999_999_999, 'usd', '99999999.99'],
])('%i minor units of %s are the decimal %s', (cents, currency, decimal) => {
  expect(decimalAmount(cents, currency)).toBe(decimal);
});
