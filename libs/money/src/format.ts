/** Currencies whose minor unit is not a hundredth, by ISO 4217. CLDR, which Intl follows, counts what shops show. */
const exponents = new Map([
  ...exponentOf(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...exponentOf(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...exponentOf(4, 'CLF UYW'),
]);

function exponentOf(digits: number, codes: string): [string, number][] {
  return codes.split(' ').map((code) => [code, digits]);
}

/**
 * Minor units in a major unit, as a power of ten: 2 for usd, 0 for jpy, 3 for kwd.
 * @param currency ISO 4217 code in any case
 */
export function currencyDigits(currency: string): number {
  return exponents.get(currency.toUpperCase()) ?? 2;
}

/**
 * A plain decimal for other programs, with all digits of the currency: `-145.65`, `1235` yen, `1.234` dinars.
 * @param cents amount in minor units
 * @param currency ISO 4217 code in any case
 */
export function decimalAmount(cents: number, currency: string): string {
  const digits = currencyDigits(currency);
  const text = String(Math.abs(cents)).padStart(digits + 1, '0');
  const sign = cents < 0 ? '-' : '';
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * The display amount of webhooks and pages, by default in US English: `$1,234.50`, `¥1,235`, `KWD 1.234`.
 * @param cents amount in minor units, may be negative
 * @param currency ISO 4217 code in any case
 * @param locale BCP 47 tag that Intl knows
 */
export function formatAmount(cents: number, currency: string, locale = 'en-US'): string {
  return formatterOf(currency, locale, 'auto').format(cents / 10 ** currencyDigits(currency));
}

/** The same for people who read it: with a minus sign, where a hyphen stands in what other programs get. */
export const shownAmount = (cents: number, currency: string, locale = 'en-US'): string =>
  formatAmount(cents, currency, locale).replace('-', '−');

/** The same without decimals where it has none, for the axes of charts: `$1,500`, `$0.50`. */
export function formatTick(cents: number, currency: string, locale: string): string {
  return formatterOf(currency, locale, 'stripIfInteger').format(cents / 10 ** currencyDigits(currency));
}

const formatters = new Map<string, Intl.NumberFormat>();
/** Buyers bring locales of their own: the oldest formatter is made anew. */
const formattersMax = 500;

/** Making a formatter costs a thousand times more than using one. */
function formatterOf(currency: string, locale: string, zeros: 'auto' | 'stripIfInteger'): Intl.NumberFormat {
  const key = `${locale} ${currency} ${zeros}`;
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    const digits = currencyDigits(currency);
    formatter = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      trailingZeroDisplay: zeros,
    });
    if (formatters.size >= formattersMax) formatters.delete(formatters.keys().next().value ?? '');
    formatters.set(key, formatter);
  }
  return formatter;
}
