import { field } from '../../components/field.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { readAmount } from '../frame/amounts.ts';
import { type FormState, typedIn } from '../frame/forms.ts';
import { readWhole } from './parts.ts';

const texts = {
  codeHint: 'Letters, digits and hyphens; buyers may write it in small letters.',
  offHint: (currency: string) => `Of the product’s price: 15 % or an amount in ${currency.toUpperCase()}, like 20.`,
  offMissing: 'Discount is missing: type 15 % or an amount.',
  percent: 'A discount is from 1 % to 100 %, without decimals.',
  endHint: 'It can be used to the end of this day, in UTC. Empty is without an end.',
  badDay: 'Last day must be a day, like 2026-12-31.',
  usesHint: 'How many times it can be used. Leave empty for no limit.',
  badUses: 'Uses must be a whole number from 1, like 100.',
} as const;

export const discountLabels = {
  code: 'Code',
  percentOff: 'Discount',
  amountOffCents: 'Discount',
  expiresAt: 'Last day',
  maxUses: 'Uses',
} as const;
export const discountNames = { percentOff: 'off', amountOffCents: 'off' } as const;

export type DiscountRead<Fields> =
  | { readonly ok: true; readonly fields: Fields }
  | { readonly ok: false; readonly errors: Record<string, string> };

interface End {
  readonly expiresAt: string | null;
  readonly maxUses: number | null;
}
interface Size {
  readonly percentOff?: number;
  readonly amountOffCents?: number;
}

export function readNewDiscount(
  form: URLSearchParams,
  currency: string,
  formats: Formats,
): DiscountRead<End & Size & { readonly code: string }> {
  const size = readSize((form.get('off') ?? '').trim(), currency, formats);
  const end = readEnd(form);
  if (size.ok && end.ok)
    return { ok: true, fields: Object.assign({ code: (form.get('code') ?? '').trim() }, size.fields, end.fields) };
  return { ok: false, errors: Object.assign({}, size.ok ? {} : size.errors, end.ok ? {} : end.errors) };
}

/** `15 %` is a percentage, everything else an amount. */
function readSize(typed: string, currency: string, formats: Formats): DiscountRead<Size> {
  if (typed === '') return { ok: false, errors: { off: texts.offMissing } };
  if (typed.includes('%')) {
    const percent = readWhole(typed.replace('%', ''));
    if (percent === null || percent < 1 || percent > 100) return { ok: false, errors: { off: texts.percent } };
    return { ok: true, fields: { percentOff: percent } };
  }
  const amount = readAmount(typed, currency, discountLabels.amountOffCents, formats);
  return amount.ok
    ? { ok: true, fields: { amountOffCents: amount.cents } }
    : { ok: false, errors: { off: amount.error } };
}

/** What ends a code: a day, a number of uses, both or neither. */
export function readEnd(form: URLSearchParams): DiscountRead<End> {
  const day = (form.get('expiresAt') ?? '').trim();
  const uses = (form.get('maxUses') ?? '').trim();
  const errors: Record<string, string> = {};
  const expiresAt = day === '' ? null : `${day}T23:59:59.999Z`;
  if (expiresAt !== null && !isDay(day)) errors.expiresAt = texts.badDay;
  const maxUses = uses === '' ? null : readWhole(uses);
  if (uses !== '' && (maxUses === null || maxUses < 1)) errors.maxUses = texts.badUses;
  return Object.keys(errors).length === 0 ? { ok: true, fields: { expiresAt, maxUses } } : { ok: false, errors };
}

const isDay = (day: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(day) && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;

export function discountFields(state: FormState, currency: string): Html {
  return html`${field({
    name: 'code',
    label: discountLabels.code,
    hint: texts.codeHint,
    value: typedIn(state, 'code'),
    error: state.errors.code,
    isRequired: true,
    maxLength: 50,
  })}${field({
    name: 'off',
    label: discountLabels.percentOff,
    hint: texts.offHint(currency),
    value: typedIn(state, 'off'),
    error: state.errors.off,
    isRequired: true,
    maxLength: 40,
  })}${endFields(state)}`;
}

export const endFields = (state: FormState): Html =>
  html`${field({
    name: 'expiresAt',
    label: discountLabels.expiresAt,
    hint: texts.endHint,
    type: 'date',
    value: typedIn(state, 'expiresAt'),
    error: state.errors.expiresAt,
  })}${field({
    name: 'maxUses',
    label: discountLabels.maxUses,
    hint: texts.usesHint,
    value: typedIn(state, 'maxUses'),
    error: state.errors.maxUses,
    keyboard: 'numeric',
    maxLength: 10,
  })}`;
