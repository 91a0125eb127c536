import { button, linkLike } from '../../components/button.ts';
import { card, fold } from '../../components/card.ts';
import { field } from '../../components/field.ts';
import { badge, notice } from '../../components/notice.ts';
import { copyField } from '../../components/parts.ts';
import { passkeyButton } from '../../components/passkey.ts';
import { qrCode } from '../../components/qr-code.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form, typedIn } from '../frame/forms.ts';
import { when } from '../frame/times.ts';
import type { Body, DashboardPage, Visit } from '../frame/visit.ts';
import { securityPath } from './settings-page.ts';

const texts = {
  passkeys: 'Passkeys',
  passkeysText: 'Log in with your fingerprint, your face or a security key, without the password.',
  none: 'No passkey yet.',
  notOffered: 'Browsers use passkeys under a host name with https alone. Use one-time codes here.',
  noScript: 'Adding a passkey takes JavaScript.',
  name: 'Name',
  nameHint: 'To tell it from others, like “Phone”.',
  add: 'Add a passkey',
  added: 'Added',
  used: 'last used',
  never: 'never used',
  change: (name: string) => html`Rename or remove <bdi>${name}</bdi>`,
  rename: 'Rename',
  remove: 'Remove this passkey',
  codes: 'One-time codes',
  codesText: 'An authenticator app on your phone shows a new code every 30 seconds.',
  on: 'On',
  off: 'Off',
  setUp: 'Set up one-time codes',
  switchOff: 'Switch one-time codes off',
  backup: 'Backup codes',
  backupText: 'Each logs you in once, when your phone or passkey is not at hand.',
  left: (count: number) => `${count} of 10 are left.`,
  makeNew: 'Make new backup codes',
  more: 'More',
  sessions: 'Where you are logged in',
  auditLog: 'Audit log: who did what in your account',
  busy: 'One moment…',
  scanTitle: 'Set up one-time codes',
  scan: 'Scan this with your authenticator app, or type the key into it. Then enter the code that it shows.',
  qr: 'QR code for your authenticator app',
  key: 'Key',
  code: 'Code',
  activate: 'Switch one-time codes on',
  backupTitle: 'Your backup codes',
  backupOnce: 'They are shown this once. Print them or keep them with your passwords: each logs you in once.',
  done: 'I have kept them',
} as const;

type Factors = Body<'getFactors'>;

interface SecurityContent {
  readonly factors: Factors;
  readonly state: FormState;
}

/** What the user logs in with beside the password. */
export const securityContent = (visit: Visit, content: SecurityContent): Html =>
  html`${passkeysCard(visit, content)}${codesCard(visit, content)}${isOn(content.factors) && backupCard(visit, content)}${card(
    texts.more,
    html`<p><a href="/app/settings/account">${texts.sessions}</a></p><p><a href="/app/settings/audit-log">${texts.auditLog}</a></p>`,
  )}`;

const isOn = ({ codes, passkeys }: Factors): boolean => codes || passkeys.length > 0;

function passkeysCard(visit: Visit, { factors, state }: SecurityContent): Html {
  const { passkeys, passkeysOffered } = factors;
  const list = passkeys.map((passkey) => passkeyItem(visit, passkey));
  return card(
    texts.passkeys,
    html`<p>${texts.passkeysText}</p>${passkeys.length === 0 ? html`<p class="quiet">${texts.none}</p>` : html`<ul class="rows">${list}</ul>`}${passkeysOffered ? addForm(visit, state) : html`<p class="quiet">${texts.notOffered}</p>`}`,
  );
}

function passkeyItem(visit: Visit, { id, name, created_at, last_used_at }: Factors['passkeys'][number]): Html {
  const { formats } = visit;
  const used = last_used_at === null ? texts.never : html`${texts.used} ${when(last_used_at, formats)}`;
  const of = (what: string) =>
    html`<input type="hidden" name="do" value="${what}"><input type="hidden" name="passkey" value="${id}">`;
  const rename = form(visit, {
    content: html`${of('rename')}${field({ name: `name-${id}`, label: texts.name, value: name, isRequired: true, maxLength: 60, autocomplete: 'off' })}`,
    buttons: button({ label: texts.rename, busyLabel: texts.busy }),
  });
  const remove = form(visit, {
    content: of('remove'),
    buttons: button({ label: texts.remove, busyLabel: texts.busy, kind: 'danger' }),
  });
  return html`<li class="row"><span class="line"><span class="label"><bdi>${name}</bdi></span></span><span class="line"><span class="detail">${texts.added} ${when(created_at, formats)}, ${used}</span></span>${fold(texts.change(name), html`<div class="stack">${rename}${remove}</div>`)}</li>`;
}

function addForm(visit: Visit, state: FormState): Html {
  const name = field({
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value: typedIn(state, 'name'),
    error: state.errors.name ?? state.errors.credential,
    isRequired: true,
    maxLength: 60,
    autocomplete: 'off',
  });
  return html`<noscript><p class="quiet">${texts.noScript}</p></noscript>${form(visit, {
    content: html`<input type="hidden" name="do" value="add">${name}${passkeyButton({ label: texts.add, field: 'credential', does: 'create' })}`,
    buttons: html``,
  })}`;
}

function codesCard(visit: Visit, { factors: { codes } }: SecurityContent): Html {
  const step = codes
    ? button({ label: texts.switchOff, busyLabel: texts.busy, kind: 'danger', name: 'do', value: 'codes-off' })
    : button({ label: texts.setUp, busyLabel: texts.busy, name: 'do', value: 'set-up' });
  return card(
    texts.codes,
    html`<p>${codes ? badge('good', texts.on) : badge('none', texts.off)}</p><p>${texts.codesText}</p>${form(visit, { content: html``, buttons: step })}`,
  );
}

const backupCard = (visit: Visit, { factors: { backupCodesLeft } }: SecurityContent): Html =>
  card(
    texts.backup,
    html`<p>${texts.backupText} ${texts.left(backupCodesLeft)}</p>${form(visit, { content: html``, buttons: linkLike({ label: texts.makeNew, name: 'do', value: 'backup' }) })}`,
  );

/** The form that proves a first code. @param uri of the secret, which the form keeps until then */
export function setUpPage(visit: Visit, uri: string, state: FormState): DashboardPage {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  const code = field({
    name: 'code',
    label: texts.code,
    value: '',
    error: state.errors.code,
    keyboard: 'numeric',
    autocomplete: 'one-time-code',
    isRequired: true,
    isAutofocus: true,
    maxLength: 10,
  });
  const content = html`<input type="hidden" name="do" value="activate"><input type="hidden" name="secretUri" value="${uri}"><p>${texts.scan}</p>${qrCode(texts.qr, uri)}${copyField(texts.key, secret, 'totp-key')}${code}`;
  return {
    title: texts.scanTitle,
    back: { href: securityPath, label: 'Security' },
    main: html`${state.problem !== null && notice('bad', state.problem)}${form(visit, { content, buttons: button({ label: texts.activate, busyLabel: texts.busy, kind: 'accent' }) })}`,
    isSecret: true,
  };
}

/** Backup codes, once. */
export const backupCodesPage = (codes: readonly string[] | undefined, lost: string | undefined): DashboardPage => ({
  title: texts.backupTitle,
  back: { href: securityPath, label: 'Security' },
  main: html`${
    codes === undefined
      ? notice('warn', lost ?? '')
      : html`${notice('info', texts.backupOnce)}<ol class="backup-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>`
  }<p><a class="button accent" href="${securityPath}">${texts.done}</a></p>`,
  isSecret: true,
});
