import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { passkeyButton } from '../../components/passkey.ts';
import { type Html, html } from '../../html.ts';

const texts = {
  title: 'Log in',
  email: 'Email',
  password: 'Password',
  logIn: 'Log in',
  busy: 'Logging in…',
  passkey: 'Log in with a passkey',
  forgot: 'Forgot your password?',
  signUp: 'Make an account',
  ended: 'Your login has ended. Log in, and go on where you were: what you typed is kept.',
  needed: 'Log in to see this page.',
  loggedOut: 'You are logged out.',
} as const;

export const logInNotices = { ended: texts.ended, needed: texts.needed, loggedOut: texts.loggedOut } as const;

/** Where a login leads, and what was typed there before the last one ended. */
export interface LeadsTo {
  readonly next: string;
  readonly typed: string;
}

export interface LogInState extends LeadsTo {
  readonly email: string;
  readonly notice: string | null;
  readonly problem: string | null;
}

export const logInTitle = texts.title;

export function logInPage({ email, next, typed, notice: said, problem }: LogInState): Html {
  const isKnown = email !== '';
  return identityPage(
    texts.title,
    html`${said !== null && notice('info', said)}<form class="stack" method="post" action="/login">${leadingFields({ next, typed })}${problem !== null && notice('bad', problem)}${field(
      {
        name: 'email',
        label: texts.email,
        type: 'email',
        value: email,
        autocomplete: 'username',
        isRequired: true,
        maxLength: 254,
        isAutofocus: !isKnown,
      },
    )}${field({
      name: 'password',
      label: texts.password,
      type: 'password',
      value: '',
      autocomplete: 'current-password',
      isRequired: true,
      maxLength: 200,
      isAutofocus: isKnown,
    })}${button({ label: texts.logIn, busyLabel: texts.busy, kind: 'accent', isWide: true })}</form>
<form method="post" action="/login/factor">${leadingFields({ next, typed })}${passkeyButton({ label: texts.passkey, field: 'passkey', does: 'get', isWide: true })}</form><p class="small"><a href="/forgot-password">${texts.forgot}</a></p><p class="small"><a href="/signup">${texts.signUp}</a></p>`,
  );
}

/** Hidden fields of a form that leads on. */
export const leadingFields = ({ next, typed }: LeadsTo): Html =>
  html`<input type="hidden" name="next" value="${next}"><input type="hidden" name="typed" value="${typed}">`;

/** A page of a reader who is not logged in. */
export const identityPage = (title: string, content: Html): Html =>
  html`<div id="page"><main class="single identity"><h1>${title}</h1>${content}</main></div>`;
