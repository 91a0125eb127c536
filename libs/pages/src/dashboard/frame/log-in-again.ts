import { passkeyScripts } from '../../components/passkey.ts';
import type { Html } from '../../html.ts';
import type { PageRequest, Redirect, ShownPage } from '../../page.ts';
import { type LogInState, logInNotices, logInPage, logInTitle } from './log-in-page.ts';

/** A page whose reader is not logged in, or not any more. The form for a login keeps what a form sent, except passwords. */
export function logInAgain(request: PageRequest, path: string): ShownPage | Redirect {
  const { form, query } = request;
  const next = query.size === 0 ? path : `${path}?${query}`;
  if (form.size === 0) return { status: 303, location: `/login?${new URLSearchParams({ next })}` };
  const kept = new URLSearchParams([...form].filter(([name]) => !isSecret(name)));
  const state = { email: '', next, typed: kept.toString(), notice: logInNotices.ended, problem: null };
  return shownLogIn(401, state);
}

const isSecret = (name: string): boolean => /password|secret/i.test(name);

export const shownLogIn = (status: number, state: LogInState): ShownPage =>
  withPasskeys(shownIdentity(status, logInTitle, logInPage(state)));

/** A page with a button for a passkey. */
export const withPasskeys = (page: ShownPage): ShownPage =>
  Object.assign({}, page, { scripts: [...(page.scripts ?? []), ...passkeyScripts] });

/** A page around which there is no dashboard yet. */
export const shownIdentity = (status: number, title: string, body: Html): ShownPage => ({
  status,
  title,
  body,
  stylesheets: ['dashboard.css'],
  scripts: ['dashboard.js'],
});
