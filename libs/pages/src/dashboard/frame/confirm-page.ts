import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { passkeyButton, passkeyIn, passkeyScripts } from '../../components/passkey.ts';
import { html } from '../../html.ts';
import type { DashboardPage } from './visit.ts';

const texts = {
  title: 'Confirm it is you',
  text: 'What you typed redirects money or data, so it takes a proof that it is you. Nothing is saved yet, and nothing is lost.',
  email: 'Your email address',
  password: 'Your password',
  orCode: 'Or a code of your authenticator app, or a backup code',
  orPasskey: 'Confirm with a passkey',
  confirm: 'Confirm and save',
  busy: 'Saving…',
  back: 'Back to the form',
} as const;

/** The field with which a form comes back confirmed. Its name keeps it out of what a login keeps. */
const confirmField = 'confirmPassword';
const codeField = 'confirmCode';
const passkeyField = 'confirmPasskey';
const userField = 'confirmUser';
const fields = [confirmField, codeField, passkeyField, userField];

/** What a form came back with to confirm its person; null for none. */
export function proofIn(sent: URLSearchParams) {
  if (!sent.has(confirmField)) return null;
  const passkey = passkeyIn(sent, passkeyField);
  if (passkey !== null) return { passkey };
  const code = (sent.get(codeField) ?? '').trim();
  return code === '' ? { password: sent.get(confirmField) ?? '' } : { code };
}

/** What the form sent itself. */
export const withoutConfirmation = (sent: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...sent].filter(([name]) => !fields.includes(name)));

interface ConfirmContent {
  /** Of the form: its page's address, with the query. */
  readonly action: string;
  /** All that the form sent. */
  readonly typed: URLSearchParams;
  /** Of the user: a password manager finds the password by it. */
  readonly email: string;
  /** Whether the user has a passkey, a one-time code or a backup code. */
  readonly hasFactors: boolean;
  /** Why the last proof was refused. */
  readonly error?: string | undefined;
}

/** Between a form and what it does, at the form's own address: it holds all that the form sent. */
export function confirmPage({ action, typed, email, hasFactors, error }: ConfirmContent): DashboardPage {
  const sent = [...typed].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  const user = html`<input type="text" name="${userField}" autocomplete="username" value="${email}" aria-label="${texts.email}" readonly hidden>`;
  const password = field({
    name: confirmField,
    label: texts.password,
    type: 'password',
    value: '',
    error,
    autocomplete: 'current-password',
    isRequired: !hasFactors,
    isAutofocus: true,
    maxLength: 200,
  });
  const others = html`${field({ name: codeField, label: texts.orCode, value: '', autocomplete: 'one-time-code', maxLength: 40 })}${passkeyButton({ label: texts.orPasskey, field: passkeyField, does: 'get', submits: false })}`;
  const confirm = button({ label: texts.confirm, busyLabel: texts.busy, kind: 'accent' });
  const back = button({ label: texts.back, name: 'restore', value: '1' });
  return {
    status: 403,
    title: texts.title,
    main: html`<form class="stack form" method="post" action="${action}" data-unsaved="true" novalidate>${sent}<p>${texts.text}</p>${user}${password}${hasFactors && others}<div class="buttons">${confirm}${back}</div></form>`,
    // It may hold what was typed as a key.
    isSecret: true,
    scripts: hasFactors ? passkeyScripts : [],
  };
}
