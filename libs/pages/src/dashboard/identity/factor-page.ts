import type { FactorMethod } from '@app/contracts/factors';
import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { passkeyButton } from '../../components/passkey.ts';
import { type Html, html } from '../../html.ts';
import { identityPage, type LeadsTo, leadingFields } from '../frame/log-in-page.ts';

const texts = {
  title: 'One more step',
  text: 'Your password was right. Show that it is you.',
  code: 'Code',
  hints: {
    both: 'Six digits from your authenticator app, or a backup code.',
    code: 'Six digits from your authenticator app.',
    backup: 'One of the backup codes that you kept.',
  },
  logIn: 'Log in',
  busy: 'Logging in…',
  passkey: 'Use a passkey',
  none: 'Nothing that you set up can be used here. Ask the person who runs this deployment to recover your log-in.',
  back: 'Begin again',
} as const;

export const factorTitle = texts.title;

export interface FactorState extends LeadsTo {
  readonly methods: readonly FactorMethod[];
  readonly problem: string | null;
}

/** Between the password and the dashboard. */
export function factorPage({ methods, problem, ...to }: FactorState): Html {
  const has = (method: FactorMethod): boolean => methods.includes(method);
  const known = html`${leadingFields(to)}<input type="hidden" name="methods" value="${methods.join(' ')}">`;
  const byCode =
    (has('code') || has('backup_code')) &&
    html`<form class="stack" method="post" action="/login/factor">${known}${field({
      name: 'code',
      label: texts.code,
      hint: has('code') ? (has('backup_code') ? texts.hints.both : texts.hints.code) : texts.hints.backup,
      value: '',
      autocomplete: 'one-time-code',
      isRequired: true,
      isAutofocus: true,
      maxLength: 40,
    })}${button({ label: texts.logIn, busyLabel: texts.busy, kind: 'accent', isWide: true })}</form>`;
  const byPasskey =
    has('passkey') &&
    html`<form class="stack" method="post" action="/login/factor">${known}${passkeyButton({ label: texts.passkey, field: 'passkey', does: 'get', isWide: true })}</form>`;
  return identityPage(
    texts.title,
    html`${problem !== null && notice('bad', problem)}<p>${methods.length === 0 ? texts.none : texts.text}</p>${byCode}${byPasskey}<p class="small"><a href="/login">${texts.back}</a></p>`,
  );
}
