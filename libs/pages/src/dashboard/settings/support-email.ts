import { button } from '../../components/button.ts';
import { notice } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormVisit, form, refusedForm } from '../frame/forms.ts';
import type { Answer, Body, Visit } from '../frame/visit.ts';
import { settingsPage } from './settings-page.ts';

const texts = {
  pending: (given: string, used: string) =>
    `${given} has not confirmed yet: an email is on its way there. Until then buyers write to ${used}.`,
  waiting: (given: string, own: string) =>
    `${given} gets an email that asks it to confirm once your own address is verified. Until then buyers write to ${own}.`,
  unverified: (used: string, own: string) =>
    `Buyers’ answers go to ${used}. It has not confirmed that it gets emails of the platform: what is for you comes to ${own}.`,
  again: 'Send the email again',
  sending: 'Sending…',
} as const;

export const supportEmailPath = '/app/settings/support-email';
const back = '/app/settings';

type Stored = Pick<
  Body<'getSettings'>,
  'supportEmail' | 'supportEmailVerified' | 'supportEmailPending' | 'email' | 'emailVerified'
>;

/** What is said of an address for support that has not confirmed; null where there is none. */
function stateOf({ supportEmail, supportEmailVerified, supportEmailPending, email, emailVerified }: Stored) {
  if (supportEmailPending !== null && !emailVerified) return texts.waiting(supportEmailPending, supportEmail);
  if (supportEmailPending !== null) return texts.pending(supportEmailPending, supportEmail);
  return supportEmailVerified || supportEmail === email ? null : texts.unverified(supportEmail, email);
}

/** Below the form of the settings. */
export function supportEmailNotice(visit: FormVisit, settings: Stored): Html {
  const state = stateOf(settings);
  if (state === null) return html``;
  if (!settings.emailVerified) return notice('info', state);
  const buttons = button({ label: texts.again, busyLabel: texts.sending, kind: 'plain' });
  const again = form(visit, { content: html``, buttons, action: supportEmailPath });
  return html`${notice('info', state)}${again}`;
}

/** GET of the button's address: the settings it belongs to. */
export const showSupportEmail = async (): Promise<Answer> => onTo(back);

export async function takeSupportEmail(visit: Visit): Promise<Answer> {
  const sent = await visit.call('requestSupportEmailVerification', {});
  if (sent.ok) return onTo(`${back}?sent=1`);
  const { problem } = refusedForm(visit, sent.problem, {});
  return refusedPage(settingsPage(back, html`${problem !== null && notice('bad', problem)}`, null));
}
