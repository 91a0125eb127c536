import { button } from '../../components/button.ts';
import { html } from '../../html.ts';
import { nothingHere, onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, form, formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { readAutomation } from './automations.ts';
import { type Automation, automationPath, automationsPath, switchTexts } from './parts.ts';

const texts = {
  ...switchTexts,
  off: 'It sends nothing while it is off, and what waits to be sent is dropped. What happens meanwhile is not sent later.',
  on: 'What happens from now on starts it. What happened while it was off is not sent.',
  remove: 'It ends, and what waits to be sent is dropped. What it sent stays in the list of deliveries for 30 days.',
  testTitle: 'Send a test',
  testEmail: 'Its email is made with sample data and sent to you, never to a buyer. Its subject begins with [Test].',
  testPost: (url: string) =>
    `A sample of the event is sent to ${url}, signed as usual and marked with x-service-test: 1. It is no sale.`,
  send: 'Send the test',
  sending: 'Sending…',
} as const;

const backTo = ({ id, name }: Automation) => ({ href: automationPath(id), label: name });

/** GET of the page that switches one off, or on. */
export async function showSwitchAutomation(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  return switchAutomationPage(visit, await readAutomation(visit, id), freshForm(visit));
}

export function switchAutomationPage(visit: Visit, automation: Automation, state: FormState): DashboardPage {
  const { name, active } = automation;
  const to = html`<input type="hidden" name="active" value="${active ? 'false' : 'true'}">`;
  const buttons = button({
    label: active ? texts.offButton : texts.onButton,
    busyLabel: texts.working,
    kind: active ? 'danger' : 'accent',
  });
  return {
    title: (active ? texts.offTitle : texts.onTitle)(name),
    back: backTo(automation),
    main: form(visit, { content: html`${to}<p>${active ? texts.off : texts.on}</p>`, state, buttons }),
  };
}

export async function takeSwitchAutomation(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const active = visit.request.form.get('active') === 'true';
  const params = { automationId: id };
  const changed = await visit.call('updateAutomation', { params, body: { active } });
  if (changed.ok) return onTo(`${automationPath(id)}?done=${active ? 'on' : 'off'}`);
  const state = refusedForm(visit, changed.problem, {});
  return refusedPage(switchAutomationPage(visit, await readAutomation(visit, id), state));
}

/** GET of what removing one means; a built-in one is switched off instead. */
export async function showRemoveAutomation(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const automation = await readAutomation(visit, id);
  if (automation.built_in !== null) throw nothingHere(visit);
  const { name } = automation;
  return {
    title: texts.removeTitle(name),
    back: backTo(automation),
    main: form(visit, {
      content: html`<p>${texts.remove}</p>`,
      buttons: button({ label: texts.removeTitle(name), busyLabel: texts.working, kind: 'danger' }),
    }),
  };
}

export async function takeRemoveAutomation(visit: Visit, { id = '' }: Params): Promise<Answer> {
  await visit.read('deleteAutomation', { params: { automationId: id }, idempotencyKey: formKey(visit) });
  return onTo(automationsPath);
}

/** GET of the page that sends a test. */
export async function showTestAutomation(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  return testAutomationPage(visit, await readAutomation(visit, id), freshForm(visit));
}

export function testAutomationPage(visit: Visit, automation: Automation, state: FormState): DashboardPage {
  const { action } = automation;
  const text = action.type === 'post' ? texts.testPost(action.url) : texts.testEmail;
  return {
    title: texts.testTitle,
    back: backTo(automation),
    main: form(visit, {
      content: html`<p>${text}</p>`,
      state,
      buttons: button({ label: texts.send, busyLabel: texts.sending, kind: 'accent' }),
    }),
  };
}

/** Leads on to the delivery, which shows what came of it. */
export async function takeTestAutomation(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const params = { automationId: id };
  const sent = await visit.call('testAutomation', { params, idempotencyKey: formKey(visit) });
  if (sent.ok) return onTo(`/app/activity/deliveries/${sent.body.id}`);
  const state = refusedForm(visit, sent.problem, {});
  return refusedPage(testAutomationPage(visit, await readAutomation(visit, id), state));
}
