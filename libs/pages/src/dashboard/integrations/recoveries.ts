import { dayMs } from '@app/contracts/durations';
import { button } from '../../components/button.ts';
import { choices } from '../../components/choice.ts';
import { field } from '../../components/field.ts';
import { html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, form, formKey, freshForm, refusedForm, typedIn } from '../frame/forms.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { waiting } from '../frame/waiting.ts';
import { backToEndpoint, type Endpoint, recoveryPath } from './parts.ts';
import { progressOf, recoveriesPage, recoveryPage } from './recoveries-page.ts';

const texts = {
  title: 'Send events again',
  text: (url: string) =>
    `Events of a time are sent again to ${url}, oldest first, under the ids that they had, at a bounded rate and after what happens now.`,
  since: 'Events that happened since (UTC)',
  until: 'Until (UTC)',
  untilHint: 'Left empty: until now.',
  which: 'Which',
  failed: 'Only what did not arrive',
  failedHint: 'What failed, was canceled, or waits for its next attempt.',
  all: 'Everything',
  allHint: 'Also what arrived, and events that are older than the endpoint. Its receiver gets ids that it knows.',
  start: 'Send them again',
  starting: 'Starting…',
} as const;

/** GET of all recoveries. */
export async function showRecoveries(visit: Visit): Promise<DashboardPage> {
  const [recoveries, endpoints] = await Promise.all([
    visit.read('listWebhookRecoveries', { query: pageQuery(visit) }),
    visit.read('listWebhookEndpoints', {}),
  ]);
  return recoveriesPage({
    recoveries: recoveries.data,
    endpoints: endpoints.data,
    formats: visit.formats,
    pager: listPager(visit, 'Recoveries', recoveries),
  });
}

/** GET of one, which shows its progress until it has ended. */
export async function showRecovery(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const [recovery, endpoints] = await Promise.all([
    visit.read('getWebhookRecovery', { params: { recoveryId: id } }),
    visit.read('listWebhookEndpoints', {}),
  ]);
  const endpoint = endpoints.data.find((each) => each.id === recovery.endpoint_id);
  const page = recoveryPage(visit, { recovery, endpoint, problem: null });
  return recovery.status === 'running' ? waiting(visit, page, progressOf(recovery, visit.formats)) : page;
}

/** POST that stops it. */
export async function takeRecovery(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const params = { recoveryId: id };
  const stopped = await visit.call('cancelWebhookRecovery', { params, idempotencyKey: formKey(visit) });
  // One that has ended meanwhile shows how.
  if (stopped.ok || stopped.problem.code === 'invalid_transition') return onTo(visit.path);
  const recovery = await visit.read('getWebhookRecovery', { params });
  const problem = refusedForm(visit, stopped.problem, {});
  return refusedPage(recoveryPage(visit, { recovery, endpoint: undefined, problem }));
}

const readEndpoint = (visit: Visit, id: string): Promise<Endpoint> =>
  visit.read('readWebhookEndpoint', { params: { endpointId: id } });

/** A field of a form has no zone: it is UTC, as its label says. */
const fieldTime = (at: number): string => new Date(at).toISOString().slice(0, 16);
const timeIn = (sent: URLSearchParams, name: string): string => {
  const typed = sent.get(name) ?? '';
  const withSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(typed) ? `${typed}:00` : typed;
  return typed === '' ? '' : `${withSeconds}Z`;
};

/** GET of the form that starts one; it begins when the endpoint began to fail, or a day ago. */
export async function showRecover(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const endpoint = await readEndpoint(visit, id);
  const from = endpoint.failing_since ?? endpoint.switched_off?.at;
  const since = fieldTime(from === undefined ? Date.parse(visit.request.now) - dayMs : Date.parse(from));
  return recoverPage(visit, endpoint, freshForm(visit, { since, which: 'failed' }));
}

export function recoverPage(visit: Visit, { id, url }: Endpoint, state: FormState): DashboardPage {
  const time = (name: string, label: string, hint?: string) =>
    field({
      name,
      label,
      hint,
      type: 'datetime-local',
      value: typedIn(state, name),
      error: state.errors[name],
      isRequired: name === 'since',
    });
  const which = choices({
    legend: texts.which,
    name: 'which',
    kind: 'radio',
    choices: [
      { value: 'failed', label: texts.failed, hint: texts.failedHint, isChosen: typedIn(state, 'which') !== 'all' },
      { value: 'all', label: texts.all, hint: texts.allHint, isChosen: typedIn(state, 'which') === 'all' },
    ],
  });
  const content = html`<p>${texts.text(url)}</p>${time('since', texts.since)}${time('until', texts.until, texts.untilHint)}${which}`;
  const buttons = button({ label: texts.start, busyLabel: texts.starting, kind: 'accent' });
  return {
    title: texts.title,
    back: backToEndpoint({ id, url }),
    main: form(visit, { content, state, buttons }),
  };
}

export async function takeRecover(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const { form: sent } = visit.request;
  const until = timeIn(sent, 'until');
  const which: 'all' | 'failed' = sent.get('which') === 'all' ? 'all' : 'failed';
  const since = { since: timeIn(sent, 'since'), which };
  const body = until === '' ? since : Object.assign(since, { until });
  const started = await visit.call('recoverWebhooks', {
    params: { endpointId: id },
    body,
    idempotencyKey: formKey(visit, since.since, until, which),
  });
  if (started.ok) return onTo(recoveryPath(started.body.id));
  const state = refusedForm(visit, started.problem, { since: 'The beginning', until: 'The end', which: texts.which });
  return refusedPage(recoverPage(visit, await readEndpoint(visit, id), state));
}
