import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import type { PageAnswer, PageRequest } from '../../page.ts';
import { shownIdentity } from '../frame/log-in-again.ts';
import { identityPage } from '../frame/log-in-page.ts';
import { showFailure } from './show-failure.ts';

const texts = {
  title: 'Choose a new password',
  text: 'Enter the email address of your account. You get a link that lets you choose a new password.',
  email: 'Email',
  send: 'Send the link',
  busy: 'Sending…',
  wrong: 'Enter an email address, like ada@example.com.',
  sentTitle: 'Check your email',
  sent: 'If the address has an account, a link is on its way to it. It works once, for 48 hours.',
  logIn: 'Back to the login',
} as const;

interface ForgotState {
  readonly email: string;
  readonly error: string | undefined;
}

/** GET of the form, or of what is said after it. */
export const showForgot = ({ query }: PageRequest): PageAnswer =>
  query.has('sent')
    ? shownIdentity(200, texts.sentTitle, sentPage())
    : shownForgot(200, { email: '', error: undefined });

export async function takeForgot(request: PageRequest): Promise<PageAnswer> {
  const { form, actor } = request;
  const email = (form.get('email') ?? '').trim();
  const requested = await request.call('requestPasswordReset', { actor, body: { email } });
  if (requested.ok) return { status: 303, location: '/forgot-password?sent=1' };
  const { code, status, detail } = requested.problem;
  if (code === 'validation_failed') return shownForgot(422, { email, error: texts.wrong });
  return status === 429 ? shownForgot(429, { email, error: detail }) : showFailure(requested, request);
}

const shownForgot = (status: number, state: ForgotState): PageAnswer =>
  shownIdentity(status, texts.title, forgotPage(state));

export function forgotPage({ email, error }: ForgotState): Html {
  const input = field({
    name: 'email',
    label: texts.email,
    type: 'email',
    value: email,
    error,
    autocomplete: 'username',
    isRequired: true,
    isAutofocus: true,
    maxLength: 254,
  });
  const send = button({ label: texts.send, busyLabel: texts.busy, kind: 'accent', isWide: true });
  return identityPage(
    texts.title,
    html`<p>${texts.text}</p><form class="stack" method="post" action="/forgot-password" novalidate>${input}${send}</form>${back}`,
  );
}

const back = html`<p class="small"><a href="/login">${texts.logIn}</a></p>`;

export const sentPage = (): Html => identityPage(texts.sentTitle, html`<p role="status">${texts.sent}</p>${back}`);
