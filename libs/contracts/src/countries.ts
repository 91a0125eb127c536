import { z } from 'zod';

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Codes that CLDR names but ISO 3166 does not assign to a country. */
const notCountries = new Set(['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'ZZ']);

/** At most 676 codes; asking CLDR costs about 5 µs, and every order of a country asks. */
const asked = new Map<string, string | undefined>();

/** English name of an ISO 3166 alpha-2 code, or `undefined` for what is not a country. */
export function countryName(code: string): string | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  if (!asked.has(code)) asked.set(code, notCountries.has(code) ? undefined : names.of(code));
  return asked.get(code);
}

export const countryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'must be a two-letter ISO 3166 country code')
  .overwrite((code) => code.toUpperCase())
  .refine((code) => countryName(code) !== undefined, 'must be a two-letter ISO 3166 country code');
