import { expect, test } from 'vitest';
import { countryCode, countryName } from './countries.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const pairs = letters.flatMap((first) => letters.map((second) => first + second));

test('the 249 countries of ISO 3166 are accepted in any case, and each has a name', () => {
  const accepted = pairs.filter((code) => countryCode.safeParse(code).success);
  expect(accepted).toHaveLength(249);
  expect(countryCode.parse('gb')).toBe('GB');
  for (const code of accepted) expect(countryName(code)?.length, code).toBeGreaterThan(3);
  expect(['GB', 'TR', 'BQ', 'SS', 'AX'].map(countryName)).toEqual([
    'United Kingdom',
    'Türkiye',
    'Caribbean Netherlands',
    'South Sudan',
    'Åland Islands',
  ]);
});

test('reserved, former, private and unknown codes are no countries, though some have names', () => {
  for (const code of ['UK', 'XK', 'SU', 'AN', 'YU', 'CS', 'DD', 'FX', 'TP', 'ZR', 'BU', 'EU', 'UN', 'EZ', 'AC', 'TA']) {
    expect(countryCode.safeParse(code).success, code).toBe(false);
    expect(countryName(code), code).toBeUndefined();
  }
  for (const code of ['', 'G', 'GBR', 'G1', 'ZZ', 'XX', 'ＧＢ', ' GB']) {
    expect(countryCode.safeParse(code).success, code).toBe(false);
  }
});
