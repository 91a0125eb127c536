import type { ProductResource } from '@app/contracts/products';
import type { Problem } from '../../call.ts';
import { money } from '../../components/lines.ts';
import { badge } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, labelsOfForm, refusedForm, wrongForm } from '../frame/forms.ts';
import type { Visit } from '../frame/visit.ts';

export const statusBadge = ({ status }: Pick<ProductResource, 'status'>): Html => badges[status];

const badges = {
  draft: badge('info', 'Draft'),
  live: badge('good', 'Live'),
  archived: badge('none', 'Archived'),
} as const;

type Priced = Pick<ProductResource, 'price_cents' | 'currency' | 'billing_interval'>;

/** `$149.00`, `$29.00 every month`. */
export function priceOf({ price_cents, currency, billing_interval }: Priced, formats: Formats): Html {
  const price = price_cents === 0 ? html`Free` : money(formats.amount(price_cents, currency));
  return billing_interval === null ? price : html`${price} every ${billing_interval}`;
}

const badLink = 'Start the link with https://, like https://site.com/course.';

/** A link as it was typed, with https:// where its beginning was left out; null for none. What begins with another scheme stays, to be refused. */
export const linkIn = (typed: string): string | null =>
  typed === '' ? null : /^[a-z][a-z0-9+.-]*:\/\/|^[a-z][a-z0-9+-]*:(?!\d)/i.test(typed) ? typed : `https://${typed}`;

/** Refusals that are about one field without naming it. */
const fieldsOfCodes: Readonly<Record<string, readonly [field: string, sentence: string]>> = {
  slug_taken: ['slug', 'Another product of yours has this address: type another.'],
  position_taken: ['position', 'Another email has this position: type another number.'],
  code_taken: ['code', 'There is this code already: type another.'],
};

/** As `refusedForm`, with what is taken at its field. */
export function refusedProductForm(
  visit: Visit,
  problem: Problem,
  labels: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>> = {},
): FormState {
  const [field, sentence] = fieldsOfCodes[problem.code] ?? [];
  if (field === undefined || sentence === undefined) {
    const state = refusedForm(visit, problem, labels, names);
    const isNoLink = problem.errors?.some(({ field: of, message }) => of === 'accessUrl' && message.includes('URL'));
    return isNoLink
      ? Object.assign({}, state, { errors: Object.assign({}, state.errors, { accessUrl: badLink }) })
      : state;
  }
  return wrongForm(visit, { [field]: sentence }, labelsOfForm(labels, names));
}

/** A whole number as it was typed; null for anything else. */
export function readWhole(typed: string | null): number | null {
  const text = (typed ?? '').trim();
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
