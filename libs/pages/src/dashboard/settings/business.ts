import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form, freshForm, keyOf, refusedForm, typedIn } from '../frame/forms.ts';
import { type Answer, type DashboardPage, onTo, type Visit } from '../frame/visit.ts';

const texts = {
  title: 'Settings',
  name: 'Business name',
  nameHint: 'Buyers see it on your checkout and in emails.',
  supportEmail: 'Support email',
  supportEmailHint: 'Buyers write to it, and it is on every receipt.',
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved.',
} as const;

const labels = { businessName: texts.name, supportEmail: texts.supportEmail };

/** GET of what buyers see of the business. */
export async function showBusiness(visit: Visit): Promise<DashboardPage> {
  const { businessName, supportEmail } = await visit.read('getSettings', {});
  return businessPage(visit, freshForm(visit, { businessName, supportEmail }));
}

export async function takeBusiness(visit: Visit): Promise<Answer> {
  const { form: sent } = visit.request;
  const body = { businessName: sent.get('businessName') ?? '', supportEmail: sent.get('supportEmail') ?? '' };
  const updated = await visit.call('updateSettings', { body, idempotencyKey: keyOf(visit) });
  if (updated.ok) return onTo(`${visit.path}?saved=1`);
  return Object.assign(businessPage(visit, refusedForm(visit, updated.problem, labels)), { status: 422 });
}

function businessPage(visit: Visit, state: FormState): DashboardPage {
  const isSaved = visit.request.query.has('saved') && state.problem === null;
  return { title: texts.title, main: html`${isSaved && notice('good', texts.saved)}${businessForm(visit, state)}` };
}

function businessForm(visit: Visit, state: FormState): Html {
  const input = (name: keyof typeof labels, hint: string, type: 'text' | 'email', autocomplete: string) =>
    field({
      name,
      label: labels[name],
      hint,
      type,
      value: typedIn(state, name),
      error: state.errors[name],
      autocomplete,
      isRequired: true,
      maxLength: 254,
    });
  const content = html`${input('businessName', texts.nameHint, 'text', 'organization')}${input('supportEmail', texts.supportEmailHint, 'email', 'email')}`;
  const buttons = button({ label: texts.save, busyLabel: texts.saving, kind: 'accent' });
  return form(visit, { content, state, buttons });
}
