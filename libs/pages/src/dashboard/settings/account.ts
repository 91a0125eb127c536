import type { Problem } from '../../call.ts';
import { notice } from '../../components/notice.ts';
import { html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, freshForm, refusedForm } from '../frame/forms.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { Answer, DashboardPage, Visit } from '../frame/visit.ts';
import { accountContent } from './account-page.ts';
import { settingsPage } from './settings-page.ts';

const said: Readonly<Record<string, string>> = {
  password: 'Your password is changed, and all your other sessions have ended.',
  sent: 'An email with a link is on its way to you.',
  email: 'A link is on its way to the new address. Your address changes when you confirm it there.',
  ended: 'The session has ended.',
  others: 'All your other sessions have ended.',
};

const labels = { password: 'The current password', newPassword: 'The new password' };
const emailLabels = { password: 'The password', email: 'The address' };

/** GET of the login: its address, its password and its sessions. */
export const showAccount = (visit: Visit): Promise<DashboardPage> => shown(visit, freshForm(visit));

async function shown(visit: Visit, state: FormState): Promise<DashboardPage> {
  const [me, sessions] = await Promise.all([
    visit.read('getMe', {}),
    visit.read('listSessions', { query: pageQuery(visit) }),
  ]);
  const content = accountContent(visit, {
    me,
    sessions: sessions.data,
    state,
    pager: listPager(visit, 'Pages of sessions', sessions),
  });
  const done = said[visit.request.query.get('done') ?? ''];
  return settingsPage(
    '/app/settings/account',
    html`${state.problem !== null && notice('bad', state.problem)}${content}`,
    done ?? null,
  );
}

/** What the page's forms and buttons do. */
export async function takeAccount(visit: Visit): Promise<Answer> {
  const { form } = visit.request;
  const step = form.get('do');
  if (step === 'email') return await changeEmail(visit);
  if (step === 'verify') {
    const sent = await visit.call('requestVerification', {});
    return sent.ok ? done(visit, 'sent') : refusedPage(await shown(visit, refusedForm(visit, sent.problem, {})));
  }
  if (step === 'end-others') {
    await visit.read('endOtherSessions', {});
    return done(visit, 'others');
  }
  const sessionId = form.get('end');
  if (sessionId !== null) {
    await visit.read('endSession', { params: { sessionId } });
    return done(visit, 'ended');
  }
  return await changePassword(visit);
}

async function changeEmail(visit: Visit): Promise<Answer> {
  const { form } = visit.request;
  const body = { password: form.get('emailPassword') ?? '', email: (form.get('email') ?? '').trim() };
  const requested = await visit.call('changeEmail', { body });
  if (requested.ok) return done(visit, 'email');
  const state = refusedForm(visit, ofPassword(requested.problem), emailLabels, { password: 'emailPassword' });
  return refusedPage(await shown(visit, state));
}

async function changePassword(visit: Visit): Promise<Answer> {
  const { form } = visit.request;
  const body = {
    password: form.get('password') ?? '',
    newPassword: form.get('newPassword') ?? '',
    revokeKeys: form.has('revokeKeys'),
  };
  const changed = await visit.call('changePassword', { body });
  if (changed.ok) return done(visit, 'password');
  const state = refusedForm(visit, ofPassword(changed.problem), labels);
  return refusedPage(await shown(visit, state));
}

/** The wrong password is at fault, and no field is named. */
const ofPassword = (problem: Problem): Problem =>
  problem.code === 'invalid_credentials'
    ? Object.assign({}, problem, { errors: [{ field: 'password', code: 'wrong', message: 'is not this one' }] })
    : problem;

const done = ({ path }: Visit, what: keyof typeof said): Answer => onTo(`${path}?done=${what}`);
