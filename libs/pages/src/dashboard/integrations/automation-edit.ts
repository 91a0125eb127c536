import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { tabs } from '../../components/parts.ts';
import { html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { eventLabel } from '../frame/event-names.ts';
import { type FormState, form, formKey, freshForm, refusedForm, unreadable, wrongForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import {
  automationFields,
  automationLabels,
  type Does,
  ofFields,
  type Shape,
  storedAutomation,
  type Wanted,
  wantedIn,
} from './automation-form.ts';
import { type Drawn, drawEmail, emailPreview } from './automation-preview.ts';
import { readAutomation, readProducts } from './automations.ts';
import { automationPath, automationsPath, secretOnce } from './parts.ts';

const texts = {
  newTitle: 'Add an automation',
  add: 'Add the automation',
  adding: 'Adding…',
  back: 'Automations',
  kinds: 'What it does',
  email: 'Send an email',
  post: 'Send to a URL',
  change: (name: string) => `Change ${name}`,
  save: 'Save',
  saving: 'Saving…',
  automation: 'Automation',
  when: (event: string) => `When: ${event}.`,
  builtIn: 'It is built in: its text can be changed, and nothing else.',
  addedTitle: 'Automation added',
  addedText:
    'This is its signing secret. Your receiver checks with it that what comes is ours. It is shown this once; later it takes your password.',
  secret: 'Signing secret',
  goOn: 'Open the automation',
} as const;

/** What the form of a new email holds at first: something to change. */
const firstEmail = {
  event: 'order.paid',
  to: 'buyer',
  subject: 'Welcome to {{product}}',
  body: 'Hello {{firstName}},\n\nthank you for buying {{product}}.\n\nYour access: {{accessUrl}}\n\n{{businessName}}',
} as const;

const newPath = (does: Does): string => `${automationsPath}/new${does === 'post' ? '?does=post' : ''}`;
const doesIn = ({ request: { query } }: Visit): Does => (query.get('does') === 'post' ? 'post' : 'email');

/** GET of the form for another one. */
export async function showNewAutomation(visit: Visit): Promise<DashboardPage> {
  const does = doesIn(visit);
  const shape = { does, automation: null, products: await readProducts(visit) };
  const state = freshForm(visit, does === 'email' ? firstEmail : { event: 'order.paid' });
  return formPage(visit, shape, state);
}

/** POST that makes it, or draws its email as it is typed. */
export async function takeNewAutomation(visit: Visit): Promise<Answer> {
  const { form: sent } = visit.request;
  const shape = { does: doesIn(visit), automation: null, products: await readProducts(visit) };
  const { errors, ...body } = wantedIn(sent, shape);
  if (sent.get('do') === 'preview') return await formPage(visit, shape, wrongForm(visit, errors));
  const faults = Object.entries(errors).map(([name, sentence]) => unreadable(name, sentence));
  const made = await visit.call('createAutomation', { body, faults, idempotencyKey: formKey(visit) });
  if (!made.ok) {
    const state = refusedForm(visit, ofFields(made.problem), automationLabels);
    return refusedPage(await formPage(visit, shape, state));
  }
  const { id, secret, secret_notice } = made.body;
  return shape.does === 'email' ? onTo(`${automationPath(id)}?done=made`) : madePage({ id, secret, secret_notice });
}

interface Made {
  readonly id: string;
  readonly secret: string | undefined;
  readonly secret_notice: string | undefined;
}

export const madePage = ({ id, secret, secret_notice }: Made): DashboardPage => ({
  title: texts.addedTitle,
  back: { href: automationsPath, label: texts.back },
  main: html`${secretOnce({ label: texts.secret, secret, notice: secret_notice, text: texts.addedText })}<p><a href="${automationPath(id)}">${texts.goOn}</a></p>`,
  isSecret: true,
});

/** GET of the form that changes one. */
export async function showChangeAutomation(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const shape = await shapeOf(visit, id);
  return formPage(visit, shape, freshForm(visit, storedAutomation(shape.automation)));
}

async function shapeOf(visit: Visit, id: string) {
  const automation = await readAutomation(visit, id);
  const isOwn = automation.built_in === null;
  const products: ReadonlyMap<string, string> = isOwn ? await readProducts(visit) : new Map();
  return { does: automation.action.type, automation, products };
}

/** POST that saves it, or draws its email as it is typed. */
export async function takeChangeAutomation(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const shape = await shapeOf(visit, id);
  const { errors, name, productId, action } = wantedIn(visit.request.form, shape);
  if (visit.request.form.get('do') === 'preview') return await formPage(visit, shape, wrongForm(visit, errors));
  const body = shape.automation.built_in === null ? { name, productId, action } : { action };
  const params = { automationId: id };
  const saved = await visit.call('updateAutomation', { params, body, idempotencyKey: formKey(visit) });
  if (saved.ok) return onTo(`${automationPath(id)}?done=saved`);
  const state = refusedForm(visit, ofFields(saved.problem), automationLabels);
  return refusedPage(await formPage(visit, shape, state));
}

/** The form with its email beside it, as far as there is one. */
async function formPage(visit: Visit, shape: Shape, state: FormState): Promise<DashboardPage> {
  const wanted = wantedIn(state.values, shape);
  const { event, action } = wanted;
  const drawn = action.type === 'email' ? await drawEmail(visit, event, action) : null;
  return automationFormPage(visit, { shape, state, wanted, drawn });
}

interface FormContent {
  readonly shape: Shape;
  readonly state: FormState;
  readonly wanted: Pick<Wanted, 'event' | 'action'>;
  /** Null for one that sends to a URL. */
  readonly drawn: Drawn | null;
}

export function automationFormPage(visit: Visit, { shape, state, wanted, drawn }: FormContent): DashboardPage {
  const { automation, does } = shape;
  const isNew = automation === null;
  const address = isNew ? newPath(does) : automationPath(automation.id, '/change');
  const about =
    !isNew &&
    html`<p class="small quiet">${texts.when(eventLabel(automation.event))} ${automation.built_in !== null && texts.builtIn}</p>`;
  const fields = form(visit, {
    id: 'edited',
    action: address,
    state,
    content: html`${about}${automationFields(state, shape)}`,
    buttons: button({
      label: isNew ? texts.add : texts.save,
      busyLabel: isNew ? texts.adding : texts.saving,
      kind: 'accent',
    }),
  });
  const { event, action } = wanted;
  const preview = drawn !== null && action.type === 'email' && emailPreview({ address, event, to: action.to, drawn });
  const boxed = card(texts.automation, fields);
  return {
    title: isNew ? texts.newTitle : texts.change(automation.name),
    back: isNew
      ? { href: automationsPath, label: texts.back }
      : { href: automationPath(automation.id), label: automation.name },
    main: html`${isNew && kindTabs(does)}${preview === false ? boxed : html`<div class="two-columns">${boxed}${preview}</div>`}`,
    scripts: preview === false ? [] : ['htmx.js'],
  };
}

const kindTabs = (open: Does) =>
  tabs(
    texts.kinds,
    (['email', 'post'] as const).map((does) => ({ label: texts[does], href: newPath(does), isOpen: does === open })),
  );
