import type { Problem } from '../../call.ts';
import { notice } from '../../components/notice.ts';
import { html } from '../../html.ts';
import { type FormState, freshForm, refusedForm } from '../frame/forms.ts';
import { type Answer, type DashboardPage, onTo, RefusedError, type Visit } from '../frame/visit.ts';
import { accountContent } from './account-page.ts';
import { settingsPage } from './settings-page.ts';

const said: Readonly<Record<string, string>> = {
  password: 'Your password is changed, and all your other sessions have ended.',
  sent: 'An email with a link is on its way to you.',
  ended: 'The session has ended.',
  others: 'All your other sessions have ended.',
};

const labels = { password: 'The current password', newPassword: 'The new password' };

/** GET of the login: its address, its password and its sessions. */
export const showAccount = (visit: Visit): Promise<DashboardPage> => shown(visit, freshForm(visit));

async function shown(visit: Visit, state: FormState): Promise<DashboardPage> {
  const [me, sessions] = await Promise.all([
    visit.read('getMe', {}),
    visit.read('listSessions', { query: { limit: 20 } }),
  ]);
  const content = accountContent(visit, { me, sessions: sessions.data, state });
  const done = said[visit.request.query.get('done') ?? ''];
  return settingsPage(
    '/app/settings/account',
    html`${state.problem !== null && notice('bad', state.problem)}${content}`,
    done ?? null,
  );
}

export async function takeAccount(visit: Visit): Promise<Answer> {
  const { form } = visit.request;
  const step = form.get('do');
  if (step === 'verify') return done(visit, 'sent', await visit.call('requestVerification', {}));
  if (step === 'end-others') return done(visit, 'others', await visit.call('endOtherSessions', {}));
  const sessionId = form.get('end');
  if (sessionId !== null) return done(visit, 'ended', await visit.call('endSession', { params: { sessionId } }));
  const body = { password: form.get('password') ?? '', newPassword: form.get('newPassword') ?? '' };
  const changed = await visit.call('changePassword', { body });
  if (changed.ok) return onTo(`${visit.path}?done=password`);
  const state = refusedForm(visit, ofPassword(changed.problem), labels);
  return Object.assign({ status: 422 }, await shown(visit, state));
}

/** The wrong password is at fault, and no field is named. */
const ofPassword = (problem: Problem): Problem =>
  problem.code === 'invalid_credentials'
    ? Object.assign({}, problem, { errors: [{ field: 'password', code: 'wrong', message: 'is not this one' }] })
    : problem;

type Outcome = Awaited<ReturnType<Visit['call']>>;

function done(visit: Visit, what: keyof typeof said, outcome: Outcome): Answer {
  if (!outcome.ok) throw new RefusedError(outcome.problem, outcome.retryAfterSeconds);
  return onTo(`${visit.path}?done=${what}`);
}
