import { button } from '../../components/button.ts';
import { choices } from '../../components/choice.ts';
import { field } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form, typedField, typedIn } from '../frame/forms.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { type Affiliate, affiliatesPath, pathOf } from './parts.ts';

const texts = {
  add: 'Add an affiliate',
  edit: 'Change the affiliate',
  back: 'Affiliates',
  code: 'Code',
  codeHint: 'Letters, digits, hyphens and underscores. It stands in the affiliate’s links and cannot be changed.',
  name: 'Name',
  email: 'Email',
  emailHint: 'No commission is earned by the affiliate’s own purchases.',
  commission: 'Commission',
  percent: 'A share of each sale',
  percentLabel: 'Share in percent',
  amount: 'A fixed amount for each sale',
  amountLabel: 'Amount',
  amountHint: 'In the currency of the sale, and never more than its total.',
  months: 'Months in which renewals earn commission',
  monthsHint: 'Counted from the sale. 0 for never.',
  earlier: 'Commissions on earlier sales, and on the renewals of those, stay as they are.',
  save: 'Save',
  saving: 'Saving…',
  adding: 'Adding…',
} as const;

/** In the order of the page. */
export const labels = {
  code: texts.code,
  name: texts.name,
  email: texts.email,
  commissionPercent: texts.percentLabel,
  commissionCents: texts.amountLabel,
  renewalMonths: texts.months,
} as const;

/** @param affiliate null for a new one */
export function editPage(visit: Visit, affiliate: Affiliate | null, state: FormState): DashboardPage {
  const isNew = affiliate === null;
  const main = form(visit, {
    state,
    content: html`${isNew && input(state, 'code', { hint: texts.codeHint, maxLength: 64 })}${input(state, 'name', { maxLength: 200 })}${input(state, 'email', { hint: texts.emailHint, maxLength: 254 })}${commission(state)}${input(state, 'renewalMonths', { hint: texts.monthsHint, maxLength: 4 })}${!isNew && html`<p class="small quiet">${texts.earlier}</p>`}`,
    buttons: button({
      label: isNew ? texts.add : texts.save,
      busyLabel: isNew ? texts.adding : texts.saving,
      kind: 'accent',
    }),
  });
  const back = isNew
    ? { href: affiliatesPath, label: texts.back }
    : { href: pathOf(affiliate.code), label: affiliate.name };
  return { title: isNew ? texts.add : texts.edit, back, main };
}

const input = (
  state: FormState,
  name: keyof typeof labels,
  { hint, maxLength }: { readonly hint?: string; readonly maxLength: number },
): Html =>
  field({
    ...typedField(state, name),
    label: labels[name],
    hint,
    autocomplete: 'off',
    isRequired: !name.startsWith('commission'),
    maxLength,
  });

/** One of the two counts: the one that is chosen. */
function commission(state: FormState): Html {
  const isAmount = typedIn(state, 'kind') === 'amount';
  return html`${choices({
    legend: texts.commission,
    name: 'kind',
    kind: 'radio',
    choices: [
      { value: 'percent', label: texts.percent, isChosen: !isAmount },
      { value: 'amount', label: texts.amount, isChosen: isAmount },
    ],
  })}${input(state, 'commissionPercent', { maxLength: 10 })}${input(state, 'commissionCents', { hint: texts.amountHint, maxLength: 40 })}`;
}
