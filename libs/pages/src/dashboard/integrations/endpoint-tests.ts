import type { RequestOutput } from '@app/contracts/define';
import type { selfTestWebhook } from '@app/contracts/webhook-tests';
import { webhookEventName } from '@app/contracts/webhooks';
import { button } from '../../components/button.ts';
import { select } from '../../components/field.ts';
import { badge, notice } from '../../components/notice.ts';
import { timeline } from '../../components/parts.ts';
import { html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { eventChoices } from '../frame/event-names.ts';
import { type FormState, form, formKey, freshForm, refusedForm, typedIn } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { backToEndpoint, type Endpoint } from './parts.ts';

const texts = {
  testTitle: 'Send a test',
  testText:
    'A sample of the event is sent to it at once, signed as usual and marked with x-service-test: 1. It is no sale, and in no list of orders.',
  event: 'Event',
  send: 'Send the test',
  sending: 'Sending…',
  selfTitle: 'Test its signature check',
  selfText:
    'Four copies of a sample are sent, one after the other: a good one, one with a wrong signature, one that was signed ten minutes ago, and the good one once more. A receiver that checks signatures refuses the second and the third. It takes up to a minute.',
  selfButton: 'Send four copies',
  again: 'Test again',
  testing: 'Testing…',
  status: (code: number, ms: number) => `Answered ${code} in ${ms} ms.`,
  noAnswer: (error: string, ms: number) => `${error}, after ${ms} ms.`,
  passed: 'As it should be',
  failed: 'Wrong',
} as const;

export type SelfTest = RequestOutput<typeof selfTestWebhook>;

const copies: Readonly<Record<SelfTest['results'][number]['copy'], string>> = {
  good: 'A good copy',
  bad_signature: 'A wrong signature',
  stale: 'Signed ten minutes ago',
  doubled: 'The good copy once more',
};

const readEndpoint = (visit: Visit, id: string): Promise<Endpoint> =>
  visit.read('readWebhookEndpoint', { params: { endpointId: id } });

export async function showTest(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const endpoint = await readEndpoint(visit, id);
  return testPage(visit, endpoint, freshForm(visit, { event: endpoint.events?.[0] ?? 'order.paid' }));
}

function testPage(visit: Visit, { id, url }: Endpoint, state: FormState): DashboardPage {
  const content = html`<p>${texts.testText}</p>${select({
    name: 'event',
    label: texts.event,
    value: typedIn(state, 'event'),
    error: state.errors.event,
    options: eventChoices,
  })}`;
  const buttons = button({ label: texts.send, busyLabel: texts.sending, kind: 'accent' });
  return {
    title: texts.testTitle,
    back: backToEndpoint({ id, url }),
    main: form(visit, { content, state, buttons }),
  };
}

/** Leads on to the delivery, which shows what came of it. */
export async function takeTest(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const event = webhookEventName.safeParse(visit.request.form.get('event')).data ?? 'order.paid';
  const sent = await visit.call('sendTestWebhook', {
    params: { endpointId: id },
    body: { event },
    idempotencyKey: formKey(visit, event),
  });
  if (sent.ok) return onTo(`/app/activity/deliveries/${sent.body.id}`);
  const state = refusedForm(visit, sent.problem, { event: texts.event });
  return refusedPage(testPage(visit, await readEndpoint(visit, id), state));
}

export async function showSelfTest(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  return selfTestPage(visit, await readEndpoint(visit, id), freshForm(visit), null);
}

export function selfTestPage(
  visit: Visit,
  { id, url }: Endpoint,
  state: FormState,
  result: SelfTest | null,
): DashboardPage {
  const label = result === null ? texts.selfButton : texts.again;
  const buttons = button({ label, busyLabel: texts.testing, kind: result === null ? 'accent' : 'plain' });
  return {
    title: texts.selfTitle,
    back: backToEndpoint({ id, url }),
    main: html`${result === null ? html`<p>${texts.selfText}</p>` : selfTestResult(result)}${form(visit, { content: html``, state, buttons })}`,
  };
}

function selfTestResult({ ok, summary, results }: SelfTest) {
  const entries = results.map((each) => ({
    at: html`${each.status_code === null ? texts.noAnswer(each.error ?? '', each.duration_ms) : texts.status(each.status_code, each.duration_ms)}`,
    title: copies[each.copy],
    badge: each.ok ? badge('good', texts.passed) : badge('bad', texts.failed),
    detail: each.explanation,
  }));
  return html`${notice(ok ? 'good' : 'bad', summary)}${timeline(entries)}`;
}

export async function takeSelfTest(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const params = { endpointId: id };
  const [endpoint, tested] = await Promise.all([
    readEndpoint(visit, id),
    visit.call('selfTestWebhook', { params, idempotencyKey: formKey(visit) }),
  ]);
  if (tested.ok) return selfTestPage(visit, endpoint, freshForm(visit), tested.body);
  return refusedPage(selfTestPage(visit, endpoint, refusedForm(visit, tested.problem, {}), null));
}
