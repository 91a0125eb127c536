import type { Problem } from '../call.ts';
import { cleanText } from './checkout-cookies.ts';
import { fieldErrors } from './order-page.texts.ts';
import type { OrderValues } from './order-page.ts';

/** What the form of an order sent. */
export interface OrderForm {
  /** The button that sent it; empty when a field was left. */
  readonly action: string;
  readonly key: string;
  readonly values: OrderValues;
  readonly bumpIds: readonly string[];
  readonly refusedCode: string;
  /** What was on the page. */
  readonly quote: string;
}

/** The body of `openCheckout` and `updateCheckout`, as far as this form fills it in. */
export interface OrderFields {
  email?: string;
  name?: string;
  country?: string;
  bumpIds?: string[];
  discountCode?: string | null;
}

/** Here alone fields of the form become fields of the operations; errors go back the same way. */
const formFieldOf: Readonly<Record<string, string>> = {
  email: 'email',
  name: 'name',
  country: 'country',
  discountCode: 'code',
  paymentMethod: 'card',
  immediateAccess: 'agrees',
};

export function readOrderForm(form: URLSearchParams): OrderForm {
  const meant = form.get('meant');
  const text = (name: string) => (form.get(name) ?? '').trim();
  return {
    action: meant === null ? text('do') : 'update',
    key: cleanText(form.get('key'), 100),
    values: {
      email: (meant ?? text('email')).trim(),
      name: text('name'),
      country: text('country'),
      code: text('code'),
      card: text('card'),
      agrees: form.has('agrees'),
    },
    bumpIds: form.getAll('bump'),
    refusedCode: text('refusedCode'),
    quote: text('quote'),
  };
}

/** What the form changes: an empty email or country says nothing, an empty code leaves what is applied. */
export function fieldsOf({ action, values, bumpIds }: OrderForm): OrderFields {
  const fields: OrderFields = { name: values.name, bumpIds: [...bumpIds] };
  if (values.email !== '') fields.email = values.email;
  if (values.country !== '') fields.country = values.country;
  if (action === 'remove-code') fields.discountCode = null;
  else if (values.code !== '') fields.discountCode = values.code;
  return fields;
}

/** The fields of the operation that a refusal is about: their names without the position in a list. */
export function refusedFields({ errors = [] }: Problem): string[] {
  return [...new Set(errors.map(({ field }) => field.split('.')[0] ?? ''))];
}

/** Sentences at the fields of the form, for fields of the operation that were refused. */
export function errorsAt(fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const name = formFieldOf[field];
      const text = name === undefined ? undefined : fieldErrors[name];
      return name === undefined || text === undefined ? [] : [[name, text]];
    }),
  );
}
