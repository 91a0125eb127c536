import { button } from '../../components/button.ts';
import { select } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { onTo, RefusedError, refusedPage } from '../frame/answers.ts';
import { type FormState, form, formKey, freshForm, refusedForm, typedIn } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { endpointFields, endpointLabels, readEndpoint, storedOf } from './endpoint-form.ts';
import { endpointPage } from './endpoint-page.ts';
import { endpointsPage } from './endpoints-page.ts';
import { readLatest } from './latest-deliveries.ts';
import { backToEndpoint, endpointPath, hostOf, integrationsTitle, secretOnce, webhooksPath } from './parts.ts';

const texts = {
  newTitle: 'Add an endpoint',
  add: 'Add the endpoint',
  adding: 'Adding…',
  held: 'What happened before today',
  heldHint: 'Events have happened before there was an endpoint, and are held for it.',
  keepHeld: 'Keep it and decide later',
  sendHeld: 'Send all of them',
  sendOrders: 'Send orders, refunds and upsells; drop the others',
  dropHeld: 'Drop them',
  addedTitle: 'Endpoint added',
  addedText:
    'This is its signing secret. Your receiver checks with it that a webhook is ours. It is shown this once; later it takes your password.',
  secret: 'Signing secret',
  goOn: 'Open the endpoint',
  changeTitle: (name: string) => `Change ${name}`,
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved.',
  done: { on: 'It is on.', off: 'It is off. Events are held for 30 days.', dropped: 'The held events are dropped.' },
} as const;

const done: Readonly<Record<string, string>> = Object.assign({ saved: texts.saved }, texts.done);

/** GET of the endpoints: the first tab. */
export async function showEndpoints(visit: Visit): Promise<DashboardPage> {
  const { data } = await visit.read('listWebhookEndpoints', {});
  return endpointsPage({ endpoints: data, formats: visit.formats });
}

export async function showEndpoint(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const [endpoint, deliveries] = await Promise.all([
    visit.read('readWebhookEndpoint', { params: { endpointId: id } }),
    readLatest(visit, id),
  ]);
  const said = done[visit.request.query.get('done') ?? ''] ?? null;
  return endpointPage({ endpoint, deliveries, formats: visit.formats, done: said });
}

/** GET of the form for another one. What happened before the first is offered to it. */
export async function showNewEndpoint(visit: Visit): Promise<DashboardPage> {
  return newEndpointPage(visit, freshForm(visit), await firstOf(visit));
}

interface First {
  /** The account has no primary endpoint yet. */
  readonly isFirst: boolean;
  readonly hasHeld: boolean;
  /** Of the primary endpoint. */
  readonly url: string | null;
}

async function firstOf(visit: Visit): Promise<First> {
  const [primary, held] = await Promise.all([
    visit.call('getWebhookEndpoint', {}),
    visit.read('listWebhookDeliveries', { query: { status: 'held', limit: 1 } }),
  ]);
  if (!primary.ok && primary.problem.status !== 404) throw new RefusedError(primary.problem, primary.retryAfterSeconds);
  return { isFirst: !primary.ok, hasHeld: held.data.length > 0, url: primary.ok ? primary.body.url : null };
}

export function newEndpointPage(
  visit: Visit,
  state: FormState,
  { isFirst, hasHeld }: Omit<First, 'url'>,
): DashboardPage {
  const role = html`<input type="hidden" name="role" value="${isFirst ? 'primary' : 'additional'}">`;
  const content = html`${role}${endpointFields(state)}${isFirst && hasHeld && heldField(state)}`;
  const buttons = button({ label: texts.add, busyLabel: texts.adding, kind: 'accent' });
  return {
    title: texts.newTitle,
    back: { href: webhooksPath, label: integrationsTitle },
    main: form(visit, { content, state, buttons }),
  };
}

const heldField = (state: FormState): Html =>
  select({
    name: 'held',
    label: texts.held,
    hint: texts.heldHint,
    value: typedIn(state, 'held'),
    error: state.errors.held,
    options: [
      ['', texts.keepHeld],
      ['send', texts.sendHeld],
      ['orders', texts.sendOrders],
      ['discard', texts.dropHeld],
    ],
  });

/**
 * The first endpoint takes over what is held, which PUT gives it. A second click finds the primary one there with the same
 * URL: PUT makes no other one of it.
 */
export async function takeNewEndpoint(visit: Visit): Promise<Answer> {
  const { form: sent } = visit.request;
  const first = await firstOf(visit);
  const { body, faults } = readEndpoint(sent);
  const held = heldIn(sent);
  const wanted = held === undefined ? body : Object.assign(body, { held });
  const isAgain = sent.get('role') === 'primary' && first.url === body.url;
  const added =
    first.isFirst || isAgain
      ? await visit.call('putWebhookEndpoint', { body: wanted, faults })
      : await visit.call('createWebhookEndpoint', { body: wanted, faults, idempotencyKey: formKey(visit) });
  if (!added.ok) return refusedPage(newEndpointPage(visit, refusedForm(visit, added.problem, endpointLabels), first));
  const { id, secret, secret_notice } = added.body;
  if (secret === undefined && secret_notice === undefined) return onTo(endpointPath(id));
  return addedPage({ id, secret, secret_notice });
}

const heldIn = (sent: URLSearchParams): 'send' | 'orders' | 'discard' | undefined => {
  const held = sent.get('held');
  return held === 'send' || held === 'orders' || held === 'discard' ? held : undefined;
};

interface Added {
  readonly id: string;
  readonly secret: string | undefined;
  readonly secret_notice: string | undefined;
}

export const addedPage = ({ id, secret, secret_notice }: Added): DashboardPage => ({
  title: texts.addedTitle,
  back: { href: webhooksPath, label: integrationsTitle },
  main: html`${secretOnce({ label: texts.secret, secret, notice: secret_notice, text: texts.addedText })}<p><a href="${endpointPath(id)}">${texts.goOn}</a></p>`,
  isSecret: true,
});

export async function showChangeEndpoint(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const endpoint = await visit.read('readWebhookEndpoint', { params: { endpointId: id } });
  const values = visit.typed ?? storedOf(endpoint);
  return changePage(visit, { values, errors: {}, problem: null }, endpoint);
}

interface Named {
  readonly id: string;
  readonly url: string;
  readonly headers: readonly string[];
}

function changePage(visit: Visit, state: FormState, { id, url, headers }: Named): DashboardPage {
  const buttons = button({ label: texts.save, busyLabel: texts.saving, kind: 'accent' });
  return {
    title: texts.changeTitle(hostOf(url)),
    back: backToEndpoint({ id, url }),
    main: form(visit, { content: endpointFields(state, headers), state, buttons }),
  };
}

export async function takeChangeEndpoint(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const params = { endpointId: id };
  const changed = await visit.call('updateWebhookEndpoint', { params, ...readEndpoint(visit.request.form) });
  if (changed.ok) return onTo(`${endpointPath(id)}?done=saved`);
  const state = refusedForm(visit, changed.problem, endpointLabels);
  return refusedPage(changePage(visit, state, await visit.read('readWebhookEndpoint', { params })));
}
