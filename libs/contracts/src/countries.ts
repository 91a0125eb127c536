import { z } from 'zod';

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Codes that CLDR names but ISO 3166 does not assign to a country. */
const notCountries = new Set(['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'ZZ']);

/** English name of an ISO 3166 alpha-2 code, or `undefined` for what is not a country. */
export function countryName(code: string): string | undefined {
  return /^[A-Z]{2}$/.test(code) && !notCountries.has(code) ? names.of(code) : undefined;
}

export const countryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'must be a two-letter ISO 3166 country code')
  .overwrite((code) => code.toUpperCase())
  .refine((code) => countryName(code) !== undefined, 'must be a two-letter ISO 3166 country code');
