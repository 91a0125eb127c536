import type { FieldError } from '@app/contracts/errors';
import { field } from '../../components/field.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { readAmount } from '../frame/amounts.ts';
import { type FormState, typedField, typedIn, unreadable } from '../frame/forms.ts';
import type { Body } from '../frame/visit.ts';
import { readWhole } from './parts.ts';

const texts = {
  codeHint: 'Letters, digits and hyphens; buyers may write it in small letters.',
  offHint: 'Of the product’s own price.',
  unit: 'Percent or amount',
  percentOff: '% off',
  amountOff: (currency: string) => `${currency.toUpperCase()} off`,
  offMissing: 'Discount is missing: type a number, like 15.',
  unitMissing: 'Choose whether this is a percentage or an amount.',
  percent: 'A discount is from 1 % to 100 %, without decimals.',
  percentAsAmount: (currency: string) =>
    `This is a percentage. Choose “% off”, or type an amount in ${currency.toUpperCase()}.`,
  endHint: 'It can be used to the end of this day, in UTC. Leave empty for no end.',
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

export type Discount = Body<'listDiscounts'>['data'][number];

/** What the operations take, and what of it could not be read. */
interface DiscountRead<Fields> {
  readonly fields: Fields;
  readonly faults: readonly FieldError[];
}

interface End {
  /** Left out where it stays: a day that has passed could not be given anew. */
  readonly expiresAt?: string | null;
  readonly maxUses: number | null;
}
interface Size {
  readonly percentOff?: number;
  readonly amountOffCents?: number;
}

interface ReadOptions {
  /** Of the product's price. */
  readonly currency: string;
  readonly formats: Formats;
  /** Null for one that is being made. */
  readonly stored: Pick<Discount, 'expires_at'> | null;
}

/** What the form holds, but for the code: how much is taken off and until when. */
export function readDiscount(form: URLSearchParams, options: ReadOptions): DiscountRead<End & Size> {
  const size = readSize(form, options);
  const end = readEnd(form, options);
  return { fields: Object.assign({}, size.fields, end.fields), faults: [...size.faults, ...end.faults] };
}

/** The unit decides what a number means: a bare 15 could be either. */
function readSize(form: URLSearchParams, { currency, formats }: ReadOptions): DiscountRead<Size> {
  const typed = (form.get('off') ?? '').trim();
  const wrong = (off: string): DiscountRead<Size> => ({
    fields: { percentOff: Number.NaN },
    faults: [unreadable('percentOff', off)],
  });
  if (typed === '') return wrong(texts.offMissing);
  const unit = form.get('unit');
  if (unit === 'percent') {
    const percent = readWhole(typed.replace('%', ''));
    const isShare = percent !== null && percent >= 1 && percent <= 100;
    return isShare ? { fields: { percentOff: percent }, faults: [] } : wrong(texts.percent);
  }
  if (unit !== 'amount') return wrong(texts.unitMissing);
  if (typed.includes('%')) return wrong(texts.percentAsAmount(currency));
  const amount = readAmount(typed, currency, discountLabels.amountOffCents, formats);
  return amount.ok ? { fields: { amountOffCents: amount.cents }, faults: [] } : wrong(amount.error);
}

/** What ends a code: a day, a number of uses, both or neither. */
function readEnd(form: URLSearchParams, { stored }: ReadOptions): DiscountRead<End> {
  const day = (form.get('expiresAt') ?? '').trim();
  const uses = (form.get('maxUses') ?? '').trim();
  const faults: FieldError[] = [];
  if (day !== '' && !isDay(day)) faults.push(unreadable('expiresAt', texts.badDay));
  const maxUses = uses === '' ? null : readWhole(uses);
  if (uses !== '' && (maxUses === null || maxUses < 1)) faults.push(unreadable('maxUses', texts.badUses));
  if (stored !== null && day === dayOf(stored)) return { fields: { maxUses }, faults };
  return { fields: { expiresAt: day === '' ? null : `${day}T23:59:59.999Z`, maxUses }, faults };
}

const isDay = (day: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(day) && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;

const dayOf = ({ expires_at }: Pick<Discount, 'expires_at'>): string => expires_at?.slice(0, 10) ?? '';

/** What the form of a discount holds at first. */
export const storedDiscount = (discount: Discount, currency: string, formats: Formats): Record<string, string> => ({
  off:
    discount.percent_off === null
      ? formats.typedAmount(discount.amount_off_cents ?? 0, currency)
      : String(discount.percent_off),
  unit: discount.percent_off === null ? 'amount' : 'percent',
  expiresAt: dayOf(discount),
  maxUses: discount.max_uses === null ? '' : String(discount.max_uses),
});

/** @param isNew its code can be chosen: links and advertisements name it later */
export function discountFields(state: FormState, currency: string, isNew: boolean): Html {
  const code = field({
    ...typedField(state, 'code'),
    label: discountLabels.code,
    hint: texts.codeHint,
    isRequired: true,
    maxLength: 50,
  });
  return html`${isNew && code}${field({
    ...typedField(state, 'off'),
    label: discountLabels.percentOff,
    hint: texts.offHint,
    keyboard: 'decimal',
    isRequired: true,
    maxLength: 40,
    beside: unitChoice(typedIn(state, 'unit'), currency),
  })}${field({
    ...typedField(state, 'expiresAt'),
    label: discountLabels.expiresAt,
    hint: texts.endHint,
    type: 'date',
  })}${field({
    ...typedField(state, 'maxUses'),
    label: discountLabels.maxUses,
    hint: texts.usesHint,
    keyboard: 'numeric',
    maxLength: 10,
  })}`;
}

const unitChoice = (unit: string, currency: string): Html =>
  html`<select class="input" name="unit" aria-label="${texts.unit}"><option value="percent">${texts.percentOff}</option><option
value="amount" selected="${unit === 'amount'}">${texts.amountOff(currency)}</option></select>`;
