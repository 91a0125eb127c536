import type { FieldError } from '@app/contracts/errors';
import { readAmount } from '../frame/amounts.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { formKey, freshForm, refusedForm, unreadable } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { editPage, labels } from './edit-page.ts';
import { findAffiliate, pathOf } from './parts.ts';

/** GET of the form for a new affiliate. */
export const showNew = (visit: Visit): DashboardPage =>
  editPage(visit, null, freshForm(visit, { kind: 'percent', renewalMonths: '0' }));

export async function takeNew(visit: Visit): Promise<Answer> {
  const { terms, faults } = await readTerms(visit);
  const code = visit.request.form.get('code')?.trim() ?? '';
  const body = Object.assign({ code }, terms);
  const created = await visit.call('createAffiliate', { body, faults, idempotencyKey: formKey(visit) });
  if (created.ok) return onTo(pathOf(created.body.code));
  return refusedPage(editPage(visit, null, refusedForm(visit, created.problem, labels)));
}

/** GET of the form for an affiliate’s terms. */
export async function showEdit(visit: Visit, { code = '' }: Params): Promise<DashboardPage> {
  const [affiliate, { defaultCurrency }] = await Promise.all([findAffiliate(visit, code), visit.account()]);
  const { name, email, commission_percent: percent, commission_cents: cents, renewal_months: months } = affiliate;
  const stored = {
    name,
    email,
    kind: percent === null ? 'amount' : 'percent',
    commissionPercent: percent === null ? '' : String(percent),
    commissionCents: cents === null ? '' : visit.formats.typedAmount(cents, defaultCurrency),
    renewalMonths: String(months),
  };
  return editPage(visit, affiliate, freshForm(visit, stored));
}

export async function takeEdit(visit: Visit, { code = '' }: Params): Promise<Answer> {
  const affiliate = await findAffiliate(visit, code);
  const { terms, faults } = await readTerms(visit);
  const updated = await visit.call('updateAffiliate', {
    params: { code },
    body: terms,
    faults,
    idempotencyKey: formKey(visit),
  });
  if (updated.ok) return onTo(`${pathOf(code)}?did=saved`);
  return refusedPage(editPage(visit, affiliate, refusedForm(visit, updated.problem, labels)));
}

interface Terms {
  readonly name: string;
  readonly email: string;
  readonly renewalMonths: number;
  readonly commissionPercent?: number;
  readonly commissionCents?: number;
}

/** What was typed, as the operations take it, and what of it could not be read. */
async function readTerms(visit: Visit): Promise<{ readonly terms: Terms; readonly faults: readonly FieldError[] }> {
  const typed = (name: string): string => (visit.request.form.get(name) ?? '').trim();
  const common = { name: typed('name'), email: typed('email'), renewalMonths: numberIn(typed('renewalMonths')) };
  if (typed('kind') !== 'amount')
    return { terms: Object.assign(common, { commissionPercent: numberIn(typed('commissionPercent')) }), faults: [] };
  const { defaultCurrency } = await visit.account();
  const amount = readAmount(typed('commissionCents'), defaultCurrency, labels.commissionCents, visit.formats);
  const commissionCents = amount.ok ? amount.cents : Number.NaN;
  const faults = amount.ok ? [] : [unreadable('commissionCents', amount.error)];
  return { terms: Object.assign(common, { commissionCents }), faults };
}

/** What is no number is refused at its field by the operation. */
const numberIn = (typed: string): number =>
  typed === '' ? Number.NaN : Number(typed.replace(',', '.').replace('%', ''));
