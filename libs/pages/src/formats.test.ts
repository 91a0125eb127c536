import { expect, test } from 'vitest';
import { countriesOf, formatsFor } from './formats.ts';

test.each([
  [undefined, '$1,234.50', 'Nov 23, 2026'],
  ['de-DE,de;q=0.9,en;q=0.8', '1.234,50 $', '23. Nov. 2026'],
  ['en-GB', 'US$1,234.50', '23 Nov 2026'],
  ['*', '$1,234.50', 'Nov 23, 2026'],
  ['x'.repeat(10_000), '$1,234.50', 'Nov 23, 2026'],
  ['zz-ZZ, fr-FR', '1 234,50 $US', '23 nov. 2026'],
  ['ar-u-nu-arab, en-US', '$1,234.50', 'Nov 23, 2026'],
])('the reader of %s sees %s on %s', (languages, amount, date) => {
  const formats = formatsFor(languages);
  expect(formats.amount(123_450, 'usd').replaceAll(/\s/g, ' ')).toBe(amount);
  expect(formats.date('2026-11-23T12:00:00.000Z')).toBe(date);
});

test('a currency keeps its own decimals in every language', () => {
  expect(formatsFor('de').amount(12_345, 'jpy').replaceAll(/\s/g, ' ')).toBe('12.345 ¥');
  expect(formatsFor('en').amount(1_234, 'kwd').replaceAll(/\s/g, ' ')).toBe('KWD 1.234');
});

test('the axis of a chart says decimals only where there are some', () => {
  expect(formatsFor('en-US').tick(150_000, 'usd')).toBe('$1,500');
  expect(formatsFor('en-US').tick(50, 'usd')).toBe('$0.50');
  expect(formatsFor('de').tick(150_000, 'eur').replaceAll(/\s/g, ' ')).toBe('1.500 €');
  expect(formatsFor('en-US').amount(150_000, 'usd')).toBe('$1,500.00');
});

test('what is below zero has a minus sign in every language', () => {
  for (const [language, amount] of [
    ['en-US', '−$22.35'],
    ['de', '−22,35 $'],
    ['nl', 'US$ −22,35'],
  ] as const)
    expect(formatsFor(language).amount(-2235, 'usd').replaceAll(/\s/g, ' ')).toBe(amount);
});

test('the axis of a chart says days without their year', () => {
  expect(formatsFor('en-US').day('2026-11-23')).toBe('Nov 23');
  expect(formatsFor('de').day('2026-11-23')).toBe('23. Nov.');
});

test('the countries are those of the languages, each once', () => {
  expect(countriesOf('de-AT,de;q=0.9,en-GB;q=0.8,fr-AT;q=0.7')).toEqual(['AT', 'GB']);
  for (const none of ['de', undefined, '<script>', 'xx-1']) expect(countriesOf(none)).toEqual([]);
});

test('languages of any number leave few formats behind', () => {
  const all = Intl.supportedValuesOf('currency');
  for (const language of ['de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'fi', 'pl']) {
    for (const currency of all) expect(formatsFor(language).amount(100, currency)).not.toBe('');
  }
  expect(formatsFor('de').amount(100, 'usd').replaceAll(/\s/g, ' ')).toBe('1,00 $');
});
