import { button } from '../../components/button.ts';
import { choices } from '../../components/choice.ts';
import { notice } from '../../components/notice.ts';
import { html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, form, freshForm, refusedForm, typedIn } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { backToEndpoint, type Endpoint, endpointPath, hostOf, switchTexts, webhooksPath } from './parts.ts';

const texts = {
  ...switchTexts,
  off: 'Nothing is sent to it while it is off. Events are held for 30 days, and you decide what becomes of them when you switch it on.',
  heldTitle: (name: string) => `Events held for ${name}`,
  heldButton: 'Do this',
  legend: (count: string) => `What becomes of ${count} held events`,
  legendOne: 'What becomes of the held event',
  send: 'Send all of them',
  sendHint: 'Oldest first, at a bounded rate, after what happens now.',
  orders: 'Send orders, refunds and upsells, and drop the others',
  ordersHint: 'For a receiver that only grants and ends access.',
  discard: 'Drop all of them',
  discardHint: 'They are kept in the list of deliveries, and can be sent again one by one for 30 days.',
  remove: (url: string) => `Nothing is sent to ${url} any more, and what waits for it is canceled.`,
  removeFirst: 'That is also what was held before it was added. Later events are held, if there is no other endpoint.',
} as const;

const readEndpoint = (visit: Visit, id: string): Promise<Endpoint> =>
  visit.read('readWebhookEndpoint', { params: { endpointId: id } });

const ways = [
  ['send', texts.send, texts.sendHint],
  ['orders', texts.orders, texts.ordersHint],
  ['discard', texts.discard, texts.discardHint],
] as const;

const wayOf = (sent: URLSearchParams) => ways.find(([way]) => way === sent.get('held'))?.[0];

/** GET of the page that switches an endpoint off, or on with what was held for it. */
export async function showSwitch(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  return switchPage(visit, await readEndpoint(visit, id), freshForm(visit, { held: 'send' }));
}

function switchPage(visit: Visit, endpoint: Endpoint, state: FormState): DashboardPage {
  const { url, active, held } = endpoint;
  const to = html`<input type="hidden" name="active" value="${active ? 'false' : 'true'}">`;
  const label = active ? texts.offButton : texts.onButton;
  const buttons = button({ label, busyLabel: texts.working, kind: active ? 'danger' : 'accent' });
  const request = active ? html`<p>${texts.off}</p>` : held.count > 0 && heldChoices(visit, endpoint, state);
  return {
    title: (active ? texts.offTitle : texts.onTitle)(hostOf(url)),
    back: backToEndpoint(endpoint),
    main: form(visit, { content: html`${to}${request}`, state, buttons }),
  };
}

function heldChoices({ formats }: Visit, { held }: Endpoint, state: FormState) {
  const count = `${formats.count(held.count)}${held.more ? '+' : ''}`;
  return choices({
    legend: held.count === 1 ? texts.legendOne : texts.legend(count),
    name: 'held',
    kind: 'radio',
    choices: ways.map(([value, label, hint]) => ({ value, label, hint, isChosen: typedIn(state, 'held') === value })),
  });
}

export async function takeSwitch(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const { form: sent } = visit.request;
  const active = sent.get('active') === 'true';
  const held = active ? wayOf(sent) : undefined;
  const body = held === undefined ? { active } : { active, held };
  const changed = await visit.call('updateWebhookEndpoint', { params: { endpointId: id }, body });
  if (changed.ok) return onTo(`${endpointPath(id)}?done=${active ? 'on' : 'off'}`);
  const state = refusedForm(visit, changed.problem, {});
  return refusedPage(switchPage(visit, await readEndpoint(visit, id), state));
}

/** GET of the choice for what is held. One that is off is switched on by what sends it. */
export async function showHeld(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const endpoint = await readEndpoint(visit, id);
  if (endpoint.held.count === 0) return onTo(endpointPath(id));
  return heldPage(visit, endpoint, freshForm(visit, { held: 'send' }));
}

export function heldPage(visit: Visit, endpoint: Endpoint, state: FormState): DashboardPage {
  const { url, active } = endpoint;
  const buttons = button({ label: texts.heldButton, busyLabel: texts.working, kind: 'accent' });
  const off = !active && notice('info', 'It is off: sending them switches it on.');
  return {
    title: texts.heldTitle(hostOf(url)),
    back: backToEndpoint(endpoint),
    main: html`${off}${form(visit, { content: heldChoices(visit, endpoint, state), state, buttons })}`,
  };
}

export async function takeHeld(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const held = wayOf(visit.request.form) ?? 'send';
  const body = held === 'discard' ? { held } : { held, active: true };
  const changed = await visit.call('updateWebhookEndpoint', { params: { endpointId: id }, body });
  if (changed.ok) return onTo(`${endpointPath(id)}${held === 'discard' ? '?done=dropped' : ''}`);
  const state = refusedForm(visit, changed.problem, {});
  return refusedPage(heldPage(visit, await readEndpoint(visit, id), state));
}

/** GET of what removing an endpoint means. */
export async function showRemoveEndpoint(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  return removePage(visit, await readEndpoint(visit, id));
}

function removePage(visit: Visit, endpoint: Endpoint): DashboardPage {
  const { url, role } = endpoint;
  const content = html`<p>${texts.remove(url)} ${role === 'primary' && texts.removeFirst}</p>`;
  const buttons = button({ label: texts.removeTitle(hostOf(url)), busyLabel: texts.working, kind: 'danger' });
  return {
    title: texts.removeTitle(hostOf(url)),
    back: backToEndpoint(endpoint),
    main: form(visit, { content, buttons }),
  };
}

export async function takeRemoveEndpoint(visit: Visit, { id = '' }: Params): Promise<Answer> {
  await visit.read('removeWebhookEndpoint', { params: { endpointId: id } });
  return onTo(webhooksPath);
}
