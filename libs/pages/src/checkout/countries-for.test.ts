import { expect, test } from 'vitest';
import { countriesFor } from './countries-for.ts';

test('countries of the reader’s languages come first, and no country is left out or named twice', () => {
  const codes = countriesFor('de-AT,en-GB;q=0.8').map(([code]) => code);
  expect(codes.slice(0, 3)).toEqual(['AT', 'GB', 'AF']);
  expect(new Set(codes).size).toBe(249);
  expect(codes).toHaveLength(249);
  expect(countriesFor('zz-ZZ')[0]?.[0]).toBe('AF');
});
