const formatters = new Map<string, { format: Intl.NumberFormat; digits: number }>();

/** Minor units in a major unit, as a power of ten: 2 for usd, 0 for jpy, 3 for kwd (ISO 4217, as Intl knows it). */
export function currencyDigits(currency: string): number {
  return formatterOf(currency).digits;
}

/**
 * The display amount of webhooks and pages, US English: `$1,234.50`, `¥1,235`, `KWD 1.234`.
 * @param cents amount in minor units, may be negative
 * @param currency ISO 4217 code in any case
 */
export function formatAmount(cents: number, currency: string): string {
  const { format, digits } = formatterOf(currency);
  return format.format(cents / 10 ** digits);
}

/** Making a formatter costs a thousand times more than using one. */
function formatterOf(currency: string): { format: Intl.NumberFormat; digits: number } {
  let entry = formatters.get(currency);
  if (entry === undefined) {
    const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
    entry = { format, digits: format.resolvedOptions().maximumFractionDigits ?? 2 };
    formatters.set(currency, entry);
  }
  return entry;
}
