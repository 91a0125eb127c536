import { notice } from '../../components/notice.ts';
import { passkeyIn, passkeyScripts } from '../../components/passkey.ts';
import { html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, formKey, freshForm, refusedForm, wrongForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Visit } from '../frame/visit.ts';
import { backupCodesPage, securityContent, setUpPage } from './security-page.ts';
import { securityPath, settingsPage } from './settings-page.ts';

const said: Readonly<Record<string, string>> = {
  renamed: 'The passkey has its new name.',
  removed: 'The passkey is removed.',
  added: 'The passkey is added.',
  on: 'One-time codes are on.',
  off: 'One-time codes are off.',
};

const wrongCode = 'The code is wrong. Enter the one that your app shows now.';

/** GET of what the user logs in with beside the password. */
export const showSecurity = (visit: Visit): Promise<DashboardPage> => shown(visit, freshForm(visit));

async function shown(visit: Visit, state: FormState): Promise<DashboardPage> {
  const factors = await visit.read('getFactors', {});
  const main = html`${state.problem !== null && notice('bad', state.problem)}${securityContent(visit, { factors, state })}`;
  const done = said[visit.request.query.get('done') ?? ''] ?? null;
  return Object.assign(settingsPage(securityPath, main, done), { scripts: passkeyScripts });
}

/** What the page's forms and buttons do. */
export async function takeSecurity(visit: Visit): Promise<Answer> {
  const { form } = visit.request;
  const passkeyId = form.get('passkey') ?? '';
  switch (form.get('do')) {
    case 'add':
      return await addPasskey(visit);
    case 'rename':
      return await renamePasskey(visit, passkeyId);
    case 'remove':
      await visit.read('deletePasskey', { params: { passkeyId } });
      return onTo(`${securityPath}?done=removed`);
    case 'set-up': {
      const { uri } = await visit.read('setUpCodes', {});
      return setUpPage(visit, uri, freshForm(visit));
    }
    case 'activate':
      return await activate(visit);
    case 'codes-off':
      await visit.read('removeCodes', {});
      return onTo(`${securityPath}?done=off`);
    case 'backup': {
      const made = await visit.read('createBackupCodes', { idempotencyKey: formKey(visit) });
      return backupCodesPage(made.backupCodes, made.secret_notice);
    }
    default:
      return await shown(visit, freshForm(visit));
  }
}

async function addPasskey(visit: Visit): Promise<Answer> {
  const { form } = visit.request;
  const credential = passkeyIn(form, 'credential');
  const body = { name: (form.get('name') ?? '').trim(), credential };
  const made = await visit.call('createPasskey', { body: body as never, idempotencyKey: formKey(visit) });
  if (made.ok) {
    const { backupCodes, secret_notice } = made.body;
    const isFirst = backupCodes !== undefined || secret_notice !== undefined;
    return isFirst ? backupCodesPage(backupCodes, secret_notice) : onTo(`${securityPath}?done=added`);
  }
  const labels = { name: 'The name', credential: 'The passkey' };
  return refusedPage(await shown(visit, refusedForm(visit, made.problem, labels)));
}

async function renamePasskey(visit: Visit, passkeyId: string): Promise<Answer> {
  const name = (visit.request.form.get(`name-${passkeyId}`) ?? '').trim();
  const renamed = await visit.call('renamePasskey', { params: { passkeyId }, body: { name } });
  if (renamed.ok) return onTo(`${securityPath}?done=renamed`);
  return refusedPage(await shown(visit, refusedForm(visit, renamed.problem, {})));
}

async function activate(visit: Visit): Promise<Answer> {
  const { form } = visit.request;
  const uri = form.get('secretUri') ?? '';
  if (!/^otpauth:\/\/totp\/[^\s]{1,600}$/.test(uri)) return await showSecurity(visit);
  const body = { code: (form.get('code') ?? '').trim() };
  const made = await visit.call('activateCodes', { body, idempotencyKey: formKey(visit) });
  if (made.ok) {
    const { backupCodes, secret_notice } = made.body;
    const isFirst = backupCodes !== undefined || secret_notice !== undefined;
    return isFirst ? backupCodesPage(backupCodes, secret_notice) : onTo(`${securityPath}?done=on`);
  }
  const { code, status } = made.problem;
  const isWrong = code === 'invalid_credentials' || code === 'validation_failed';
  const state = isWrong ? wrongForm(visit, { code: wrongCode }) : refusedForm(visit, made.problem, {});
  return Object.assign(setUpPage(visit, uri, state), { status: status === 429 ? 429 : 422 });
}
