import { maxAmountCents } from '@app/contracts/common';
import { currencyDigits } from '@app/money/format';
import type { ParsedAmount } from '@app/money/parse';
import type { Formats } from '../../formats.ts';

type Fault = Extract<ParsedAmount, { readonly ok: false }>;
type ReadAmount =
  | { readonly ok: true; readonly cents: number }
  /** A sentence for the field. */
  | { readonly ok: false; readonly error: string };

/** An amount that was typed into a field, in minor units. @param label of the field */
export function readAmount(typed: string, currency: string, label: string, formats: Formats): ReadAmount {
  const parsed = formats.parseAmount(typed, currency);
  if (!parsed.ok) return { ok: false, error: sentenceOf(parsed, currency, label, formats) };
  if (parsed.cents <= maxAmountCents) return parsed;
  return { ok: false, error: `${label} can be at most ${formats.amount(maxAmountCents, currency)}.` };
}

function sentenceOf(parsed: Fault, currency: string, label: string, formats: Formats): string {
  const example = (cents: number) => formats.typedAmount(cents, currency);
  const code = currency.toUpperCase();
  const digits = currencyDigits(currency);
  const whole = example(149 * 10 ** digits);
  switch (parsed.fault) {
    case 'ambiguous':
      return `${label} can be read in two ways: type ${parsed.readings.map(example).join(' or ')}.`;
    case 'decimals':
      return digits === 0
        ? `${code} has no decimals: type a whole number, like ${whole}.`
        : `${code} has ${digits} decimals: type a number like ${example(149.5 * 10 ** digits)}.`;
    case 'currency':
      return `${label} is in ${code}: type the number alone, like ${whole}.`;
    case 'negative':
      return `${label} cannot be below zero.`;
    case 'empty':
      return `${label} is missing: type a number, like ${whole}.`;
    case 'unreadable':
      return `${label} must be a number, like ${whole}.`;
    default:
      return parsed satisfies never;
  }
}
