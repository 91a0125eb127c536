import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencyDigits, formatAmount } from './format.ts';
import { parseAmount } from './parse.ts';

const cents = (text: string, currency = 'usd', locale?: string) => {
  const parsed = parseAmount(text, currency, locale);
  return parsed.ok ? parsed.cents : parsed.fault;
};

const locales =
  'en-US en-GB en-IN de-DE de-CH de-AT fr-FR es-ES pl-PL pt-BR sv-SE ja-JP ar-EG ar-KW fa-IR hi-IN he-IL'.split(' ');
const currencies = 'usd eur gbp chf jpy krw kwd bhd inr sek brl pln cad egp clf'.split(' ');

test('what is printed for a reader is read back as the same amount, with its currency and without', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...locales),
      fc.constantFrom(...currencies),
      fc.oneof(fc.nat(2_000_000), fc.nat(9_999_999_999)),
      (locale, currency, amount) => {
        expect(cents(formatAmount(amount, currency, locale), currency, locale)).toBe(amount);
        const digits = currencyDigits(currency);
        const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
        for (const useGrouping of [true, false]) {
          const typed = (amount / 10 ** digits).toLocaleString(locale, { ...format, useGrouping });
          expect(cents(typed, currency, locale)).toBe(amount);
        }
      },
    ),
  );
});

test('prices are read as people write them', () => {
  for (const text of ['149', '149.00', '149,00', '$149', '149 $', 'USD 149', '149 usd', ' 149.0 ', '149,-', '149.–'])
    expect(cents(text), text).toBe(14_900);
  for (const text of ['1490', '1,490', '1.490,00', '1,490.00', '1 490,00', '1’490.00', "1'490", '1\u202f490,00'])
    expect(cents(text), text).toBe(149_000);
  expect(cents('1.490', 'eur', 'de-DE')).toBe(149_000);
  expect(cents('1.490 €', 'eur', 'fr-FR')).toBe('ambiguous');
  expect(cents('¥1,200', 'jpy')).toBe(1_200);
  expect(cents('￥１２００', 'jpy')).toBe(1_200);
  expect(cents('1.200', 'jpy')).toBe(1_200);
  expect(cents('12,34,567.50', 'inr')).toBe(123_456_750);
  expect(cents('0', 'usd')).toBe(0);
  expect(cents('.5')).toBe('unreadable');
});

test('what can be two amounts is none, and both are named', () => {
  expect(parseAmount('1.490', 'usd')).toEqual({ ok: false, fault: 'ambiguous', readings: [149_000, 149] });
  expect(parseAmount('1,490', 'eur', 'de-DE')).toEqual({ ok: false, fault: 'ambiguous', readings: [149_000, 149] });
  expect(parseAmount('12,345', 'kwd', 'de-CH')).toEqual({
    ok: false,
    fault: 'ambiguous',
    readings: [12_345_000, 12_345],
  });
  // The reader's own signs decide; a zero begins no thousands.
  expect([cents('12.345', 'kwd'), cents('12,345', 'kwd'), cents('0.345', 'kwd')]).toEqual([12_345, 12_345_000, 345]);
});

test('what is no amount of the currency says why', () => {
  const faults = {
    '': 'empty',
    '  ': 'empty',
    '-5': 'negative',
    '5-': 'negative',
    '€5': 'currency',
    'eur 5': 'currency',
    '1.234.5': 'unreadable',
    '1,23,45': 'unreadable',
    '1.505': 'decimals',
    '1,505': 150_500,
    '1.234.567': 123_456_700,
    '1.5055': 'decimals',
    '12.345.6,7': 'unreadable',
    ten: 'unreadable',
    '5 or 6': 'unreadable',
    '1e5': 'unreadable',
  };
  for (const [text, fault] of Object.entries(faults)) expect(cents(text), text).toBe(fault);
  expect([cents('12.5', 'jpy'), cents('12.50', 'jpy'), cents('5 £', 'jpy')]).toEqual([
    'decimals',
    'decimals',
    'currency',
  ]);
});

test('no text makes it throw, and what is read is a whole number of minor units', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."0159.,' ٫٬-$€a") }),
      fc.constantFrom(...locales),
      (text, locale) => {
        const parsed = parseAmount(text, 'usd', locale);
        if (parsed.ok) expect(Number.isInteger(parsed.cents) && parsed.cents >= 0).toBe(true);
      },
    ),
  );
});
