import { currencyDigits, formatTick, shownAmount } from '@app/money/format';
import { type ParsedAmount, parseAmount } from '@app/money/parse';

/** How amounts and dates are written for a reader. */
export interface Formats {
  /** Minor units of a currency (ISO 4217, any case); what is below zero has a minus sign, which is wider than a hyphen. */
  amount(cents: number, currency: string): string;
  /** The same on the axis of a chart, without decimals where it has none. */
  tick(cents: number, currency: string): string;
  /** As a reader types it: without currency and thousands. */
  typedAmount(cents: number, currency: string): string;
  /** What a reader typed as an amount. */
  parseAmount(typed: string, currency: string): ParsedAmount;
  /** A day, in UTC. */
  date(at: string): string;
  /** A day without its year, in UTC. */
  day(at: string): string;
  /** @param month `YYYY-MM` */
  month(month: string): string;
  /** A minute, in UTC, which it says. */
  dateTime(at: string): string;
  /** A second, in UTC, which it says. */
  moment(at: string): string;
  /** A whole number, with its groups. */
  count(value: number): string;
  /** @param share 0.125 is 12.5 % */
  percent(share: number): string;
}

/** Readers' languages are of any number: those seen least recently are made anew. */
const kept = new Map<string, Formats>();
const keptMax = 50;

/**
 * The formats of the first language of an Accept-Language header that Intl knows, else of US English. The pages themselves
 * are English: numbers and dates alone follow the reader.
 */
export function formatsFor(acceptLanguage: string | undefined): Formats {
  const locale = localeOf(acceptLanguage);
  const known = kept.get(locale);
  if (known !== undefined) return known;
  if (kept.size >= keptMax) kept.delete(kept.keys().next().value ?? '');
  const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const ofDay = {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  } as const;
  const minute = new Intl.DateTimeFormat(locale, ofDay);
  const second = new Intl.DateTimeFormat(locale, Object.assign({}, ofDay, { second: '2-digit' as const }));
  const month = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const count = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const formats: Formats = {
    dateTime: (at) => minute.format(new Date(at)),
    moment: (at) => second.format(new Date(at)),
    month: (text) => month.format(new Date(`${text}-01`)),
    count: (value) => count.format(value),
    percent: (share) => percent.format(share),
    amount: (cents, currency) => shownAmount(cents, currency, locale),
    tick: (cents, currency) => formatTick(cents, currency, locale).replace('-', '−'),
    typedAmount: (cents, currency) => typedAmount(cents, currency, locale),
    parseAmount: (typed, currency) => parseAmount(typed, currency, locale),
    date: (at) => date.format(new Date(at)),
    day: (at) => day.format(new Date(at)),
  };
  kept.set(locale, formats);
  return formats;
}

/** Whole amounts have no decimals: `149`, `149.50`. */
function typedAmount(cents: number, currency: string, locale: string): string {
  const unit = 10 ** currencyDigits(currency);
  const digits = cents % unit === 0 ? 0 : currencyDigits(currency);
  const format = { useGrouping: false, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, format).format(cents / unit);
}

/** The countries of the reader's languages, each once, in the order of the languages. */
export function countriesOf(acceptLanguage = ''): readonly string[] {
  const regions = acceptLanguage
    .slice(0, 200)
    .split(',')
    .slice(0, 8)
    .map((part) => /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})$/i.exec(part.split(';')[0]?.trim() ?? '')?.[1]?.toUpperCase());
  return [...new Set(regions.filter((region) => region !== undefined))];
}

function localeOf(acceptLanguage = ''): string {
  for (const part of acceptLanguage.slice(0, 200).split(',').slice(0, 8)) {
    const tag = part.split(';')[0]?.trim() ?? '';
    // Extensions of a tag choose digits and calendars: the language and its country are enough.
    const [plain] = /^[a-z]{2,3}(-[a-z]{4})?(-[a-z]{2})?$/i.exec(tag) ?? [];
    if (plain !== undefined && Intl.NumberFormat.supportedLocalesOf([plain]).length > 0)
      return new Intl.Locale(plain).baseName;
  }
  return 'en-US';
}
