import { currencyDigits } from './format.ts';

/** What a person typed as an amount, in minor units, or why it is none. */
export type ParsedAmount =
  | { readonly ok: true; readonly cents: number }
  | { readonly ok: false; readonly fault: 'empty' | 'unreadable' | 'negative' | 'currency' | 'decimals' }
  /** Two amounts are written like this: with thousands and with decimals. */
  | { readonly ok: false; readonly fault: 'ambiguous'; readonly readings: readonly [number, number] };

/** Spaces and apostrophes group digits and nothing else; the Arabic signs stand for one thing each. */
const separators = ".,' ٫٬";
const decimalSigns = '.,٫';
const amount = new RegExp(String.raw`^(?<before>\D*?)(?<number>\d(?:[\d${separators}]*\d)?)(?<after>\D*)$`);
/** `149,-` is how prices without cents are written in Germany and Switzerland. */
const noCents = /^[.,](?:--?|[–—])/;

/**
 * Reads an amount as people write it: `149`, `1.490,00`, `$1,490`, `149 €`. Where thousands and decimals could be meant, the
 * reader's own way of writing decides: its sign for thousands, or its decimal sign with no more decimals than the currency has.
 * @param currency ISO 4217 code in any case
 * @param locale of the reader, a BCP 47 tag that Intl knows
 */
export function parseAmount(text: string, currency: string, locale = 'en-US'): ParsedAmount {
  const habits = habitsOf(currency, locale);
  const typed = plain(text.trim()).replaceAll(/./gu, (char) => habits.digits.get(char) ?? char);
  if (typed === '') return { ok: false, fault: 'empty' };
  const { before = '', number = '', after = '' } = amount.exec(typed)?.groups ?? {};
  if (number === '') return { ok: false, fault: 'unreadable' };
  const around = [before, after.replace(noCents, '')].map((part) => part.trim());
  if (around.some((part) => /^[-−]|[-−]$/.test(part))) return { ok: false, fault: 'negative' };
  if (!around.every((part) => part === '' || habits.names.has(part)))
    return { ok: false, fault: /\p{Sc}|^\p{L}{3}$/u.test(around.join('')) ? 'currency' : 'unreadable' };
  return readNumber(number, currencyDigits(currency), habits);
}

function readNumber(number: string, digits: number, { decimal, group }: Habits): ParsedAmount {
  const whole = grouped(number);
  const split = splitAtDecimal(number);
  const asFraction = split === null ? null : centsOf(split, digits);
  // The reader's own decimal sign, with more decimals than there are, is no sign for thousands.
  const isOverlong =
    split !== null && asFraction === null && (whole === null || (split.sign === decimal && digits > 0));
  if (isOverlong) return { ok: false, fault: 'decimals' };
  if (whole === null) return asFraction === null ? { ok: false, fault: 'unreadable' } : { ok: true, cents: asFraction };
  const asWhole = toCents(whole, '', digits);
  if (split === null || asFraction === null || split.sign === group) return { ok: true, cents: asWhole };
  if (split.sign === decimal && split.decimals.length <= digits) return { ok: true, cents: asFraction };
  return { ok: false, fault: 'ambiguous', readings: [asWhole, asFraction] };
}

interface Split {
  readonly units: string;
  readonly sign: string;
  readonly decimals: string;
}

/** A number whose last sign is the decimal one; null where it cannot be. */
function splitAtDecimal(number: string): Split | null {
  const at = number.search(/\D(?=\d*$)/);
  const sign = number.charAt(at);
  if (at < 0 || !decimalSigns.includes(sign)) return null;
  const units = grouped(number.slice(0, at), sign);
  return units === null ? null : { units, sign, decimals: number.slice(at + 1) };
}

/** More decimals than the currency has say nothing while they are zeros. */
const centsOf = ({ units, decimals }: Split, digits: number): number | null =>
  digits > 0 && /^0*$/.test(decimals.slice(digits)) ? toCents(units, decimals, digits) : null;

/** Digits without the one sign that groups them by three, or by two before the last three; null where they are not grouped. */
function grouped(number: string, notBy = ''): string | null {
  const sign = /\D/.exec(number)?.[0];
  if (sign === undefined) return number;
  if (sign === '٫' || sign === notBy) return null;
  const [first = '', ...others] = number.split(sign);
  const inner = others.slice(0, -1);
  const isGrouped =
    /^[1-9]\d{0,2}$/.test(first) &&
    /^\d{3}$/.test(others.at(-1) ?? '') &&
    (inner.every((part) => /^\d{3}$/.test(part)) || (first.length < 3 && inner.every((part) => /^\d{2}$/.test(part))));
  return isGrouped ? first + others.join('') : null;
}

const toCents = (units: string, decimals: string, digits: number): number =>
  Number(units + decimals.slice(0, digits).padEnd(digits, '0'));

/** How a reader writes amounts of a currency. */
interface Habits {
  readonly decimal: string;
  readonly group: string;
  /** Latin digits by those of the reader. */
  readonly digits: ReadonlyMap<string, string>;
  /** The currency's code and signs. */
  readonly names: ReadonlySet<string>;
}

function habitsOf(currency: string, locale: string): Habits {
  const partsOf = (of: string, display: 'symbol' | 'narrowSymbol' | 'code') =>
    new Intl.NumberFormat(of, { style: 'currency', currency, currencyDisplay: display, minimumFractionDigits: 1 })
      .formatToParts(12_345_678.9)
      .map(({ type, value }) => ({ type, value: plain(value) }));
  const parts = partsOf(locale, 'symbol');
  const signOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ' ';
  const names = [locale, 'en-US', 'en-CA'].flatMap((of) =>
    (['symbol', 'narrowSymbol', 'code'] as const).flatMap((display) =>
      partsOf(of, display).flatMap(({ type, value }) => (type === 'currency' ? [value.trim()] : [])),
    ),
  );
  const own = [...new Intl.NumberFormat(locale, { useGrouping: false }).format(9_876_543_210)];
  return {
    decimal: signOf('decimal'),
    group: signOf('group'),
    digits: new Map(own.map((digit, index) => [digit, String(9 - index)])),
    names: new Set(names),
  };
}

/** One way of writing for what looks alike: wide digits, kinds of spaces and apostrophes, marks of direction, capitals. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\u061c\u200e\u200f]/g, '')
    .replaceAll('’', "'")
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
