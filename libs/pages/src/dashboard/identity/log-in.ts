import { factorMethods } from '@app/contracts/factors';
import type { CallResult, Operations } from '../../call.ts';
import { button } from '../../components/button.ts';
import { passkeyIn } from '../../components/passkey.ts';
import { html } from '../../html.ts';
import type { PageAnswer, PageRequest } from '../../page.ts';
import { shownIdentity, shownLogIn, withPasskeys } from '../frame/log-in-again.ts';
import { identityPage, type LeadsTo, logInNotices } from '../frame/log-in-page.ts';
import { type FactorState, factorPage, factorTitle } from './factor-page.ts';
import { showFailure } from './show-failure.ts';

const texts = {
  wrong: 'The email address and the password do not match.',
  wrongCode: 'The code is wrong, or was used already. Enter the next one.',
  wrongPasskey: 'This passkey is not known here, or its answer came too late. Try again.',
  expired: 'This log-in was not finished within ten minutes. Log in again.',
  goOn: 'Go on where you were',
  goOnTitle: 'You are logged in',
  goOnText: 'What you typed is kept, and nothing of it is saved yet.',
  onceTitle: 'Log in',
  onceText: 'This link logs you in, once.',
  once: 'Log in',
  overTitle: 'This link has no effect',
  over: 'It was used already, or is older than ten minutes. Start again, or log in with your password.',
  password: 'Log in with the password',
} as const;

/** GET of the form. A reader who is logged in is led on. */
export async function showLogIn(request: PageRequest): Promise<PageAnswer> {
  const next = ownPath(request.query.get('next'));
  const me = await request.call('getMe', { actor: request.actor });
  if (me.ok) return { status: 303, location: next };
  const notice = request.query.has('out') ? logInNotices.loggedOut : next === home ? null : logInNotices.needed;
  return shownLogIn(200, { email: '', next, typed: '', notice, problem: null });
}

export async function takeLogIn(request: PageRequest): Promise<PageAnswer> {
  const { form, actor } = request;
  const email = (form.get('email') ?? '').trim();
  const to = { next: ownPath(form.get('next')), typed: form.get('typed') ?? '' };
  const entered = await request.call('logIn', { actor, body: { email, password: form.get('password') ?? '' } });
  if (entered.ok) return goOn(entered.body, to);
  const { code, status, detail } = entered.problem;
  const state = Object.assign({ email, notice: null }, to);
  if (code === 'invalid_credentials' || code === 'validation_failed')
    return shownLogIn(422, Object.assign(state, { problem: texts.wrong }));
  if (status === 429) return shownLogIn(429, Object.assign(state, { problem: detail }));
  return showFailure(entered, request);
}

/** On, or to the form for the factor that is due. */
const goOn = (entered: Body, to: LeadsTo): PageAnswer =>
  entered.ok ? ledOn(to) : shownFactor(200, { methods: entered.methods, problem: null, ...to });

type Body = Extract<CallResult<Operations['logIn']>, { readonly ok: true }>['body'];

/** The form for the factor, or a passkey of the page for the password. */
export async function takeFactor(request: PageRequest): Promise<PageAnswer> {
  const { form, actor } = request;
  const to = { next: ownPath(form.get('next')), typed: form.get('typed') ?? '' };
  const passkey = passkeyIn(form, 'passkey');
  const body = passkey === null ? { code: (form.get('code') ?? '').trim() } : { passkey };
  const entered = await request.call('logInWithFactor', { actor, body: body as never });
  if (entered.ok) return ledOn(to);
  const { code, status, detail } = entered.problem;
  const given = (form.get('methods') ?? '').split(' ');
  const methods = factorMethods.filter((method) => given.includes(method));
  const again = (problem: string) =>
    methods.length === 0
      ? shownLogIn(status === 429 ? 429 : 422, { email: '', notice: null, problem, ...to })
      : shownFactor(status === 429 ? 429 : 422, { methods, problem, ...to });
  if (code === 'login_expired') return shownLogIn(401, { email: '', notice: texts.expired, problem: null, ...to });
  if (code === 'invalid_credentials' || code === 'validation_failed')
    return again(passkey === null ? texts.wrongCode : texts.wrongPasskey);
  if (status === 429 || code === 'passkeys_unavailable') return again(detail);
  return showFailure(entered, request);
}

const shownFactor = (status: number, state: FactorState): PageAnswer =>
  withPasskeys(shownIdentity(status, factorTitle, factorPage(state)));

/** To the page, or to its form with what was typed in it. */
function ledOn({ next, typed }: LeadsTo): PageAnswer {
  if (typed === '') return { status: 303, location: next };
  const fields = [...new URLSearchParams(typed)].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const go = button({ label: texts.goOn, kind: 'accent', isWide: true });
  const form = html`<form class="stack" method="post" action="${next}" data-sent><input type="hidden" name="restore" value="1">${fields}${go}</form>`;
  return shownIdentity(200, texts.goOnTitle, identityPage(texts.goOnTitle, html`<p>${texts.goOnText}</p>${form}`));
}

const home = '/app';

/** An address of the dashboard: a login leads nowhere else. */
function ownPath(given: string | null): string {
  return given !== null && /^\/app(?:[/?][\w\-./?&=%+:@,~*]*)?$/.test(given) ? given : home;
}

/** The session ends in the database too, so that a copy of its cookie opens nothing, and Back shows no page of it. */
export async function takeLogOut(request: PageRequest): Promise<PageAnswer> {
  const left = await request.call('logOut', { actor: request.actor });
  if (!left.ok && left.problem.status !== 401) return showFailure(left, request);
  return { status: 303, location: '/login?out=1', dropsPages: true };
}

/** GET of a link that logs in once. Only the POST uses it, which a script sends by itself. */
export function showLoginLink(token: string): PageAnswer {
  const go = button({ label: texts.once, kind: 'accent', isWide: true });
  const form = html`<form method="post" action="/login/once/${encodeURIComponent(token)}" data-sent>${go}</form>`;
  return shownIdentity(200, texts.onceTitle, identityPage(texts.onceTitle, html`<p>${texts.onceText}</p>${form}`));
}

export async function takeLoginLink(request: PageRequest, token: string): Promise<PageAnswer> {
  const entered = await request.call('logInByLink', { actor: request.actor, body: { token } });
  if (entered.ok) return goOn(entered.body, { next: home, typed: '' });
  if (!['not_found', 'validation_failed'].includes(entered.problem.code)) return showFailure(entered, request);
  const main = html`<p>${texts.over}</p><p><a href="/login">${texts.password}</a></p>`;
  return shownIdentity(404, texts.overTitle, identityPage(texts.overTitle, main));
}
