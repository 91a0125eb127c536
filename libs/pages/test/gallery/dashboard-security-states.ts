import type { AuditEntry } from '@app/contracts/audit';
import { auditLogContent } from '../../src/dashboard/settings/audit-log.ts';
import { backupCodesPage, securityContent, setUpPage } from '../../src/dashboard/settings/security-page.ts';
import { auditLogPath, securityPath, settingsPage } from '../../src/dashboard/settings/settings-page.ts';
import { html } from '../../src/html.ts';
import { inFrame, stateOf, visitAt } from './dashboard-samples.ts';
import { arabicName, longName } from './samples.ts';

const entry: AuditEntry = {
  id: 'aud_01jd2q5v8kfw9s3x6z7yabcdef',
  kind: 'log_in',
  operation: 'logIn',
  object_id: null,
  outcome: 'done',
  code: null,
  count: 1,
  actor: { kind: 'session', id: 'ses_01jd2q5v8kfw9s3x6z7yabcdef', name: 'ada@example.com' },
  address: '192.0.2.1',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  created_at: '2026-10-23T12:00:00.000Z',
  last_at: '2026-10-23T12:00:00.000Z',
};
const keyFactor = (name: string) => ({ kind: 'key' as const, id: 'key_01jd2q5v8kfw9s3x6z7yabcdef', name });
const nobody = { kind: 'anonymous' as const, id: null, name: null };
const orderId = 'ord_01jd2q5v8kfw9s3x6z7yabcdef';

const entries: AuditEntry[] = [
  entry,
  {
    ...entry,
    outcome: 'refused',
    code: 'invalid_credentials',
    count: 128,
    actor: nobody,
    address: '2001:db8:1:2::/64',
  },
  {
    ...entry,
    kind: 'refund',
    operation: 'refundOrder',
    object_id: orderId,
    actor: keyFactor(longName),
    user_agent: longName,
  },
  {
    ...entry,
    kind: 'refund',
    operation: 'refundOrder',
    outcome: 'refused',
    code: 'insufficient_scope',
    actor: keyFactor(arabicName),
  },
  { ...entry, kind: 'api_key', operation: 'createApiKey', outcome: 'unknown', address: null, user_agent: null },
  { ...entry, operation: 'resetPassword', actor: { kind: 'link', id: null, name: 'ada@example.com' } },
  {
    ...entry,
    operation: 'recover',
    actor: { kind: 'operator', id: null, name: null },
    address: null,
    user_agent: null,
  },
];

const { formats } = visitAt(auditLogPath);
const logOf = (of: readonly AuditEntry[], kind?: AuditEntry['kind']) =>
  inFrame(
    auditLogPath,
    settingsPage(auditLogPath, auditLogContent({ entries: of, kind, pager: html``, formats }), null),
  );

const passkey = {
  id: 'psk_01jd2q5v8kfw9s3x6z7yabcdef',
  name: 'Phone',
  created_at: '2026-10-20T09:00:00.000Z',
  last_used_at: '2026-10-23T12:00:00.000Z',
};
const none = { codes: false, backupCodesLeft: 0, passkeys: [], passkeysOffered: true };
const full = {
  codes: true,
  backupCodesLeft: 7,
  passkeys: [
    passkey,
    { ...passkey, id: 'psk_01jd2q5v8kfw9s3x6z7yabcdeg', name: longName.slice(0, 60), last_used_at: null },
    { ...passkey, id: 'psk_01jd2q5v8kfw9s3x6z7yabcdeh', name: arabicName },
  ],
  passkeysOffered: true,
};
const security = visitAt(securityPath);
const securityOf = (factors: typeof none | typeof full, errors: Record<string, string> = {}) =>
  inFrame(
    securityPath,
    settingsPage(securityPath, securityContent(security, { factors, state: stateOf({}, errors) }), null),
  );
const uri = 'otpauth://totp/Funnelry:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Funnelry';
const backupCodes = Array.from({ length: 10 }, (_, n) => `k3fq-9x2m-7tdw-hp4${n}`);

export const securityStates = {
  'settings-security': () => securityOf(none),
  'settings-security-full': () => securityOf(full),
  'settings-security-on-an-address': () => securityOf({ ...none, passkeysOffered: false }),
  'settings-security-refused': () => securityOf(full, { credential: 'The passkey is in use already.' }),
  'settings-codes-set-up': () => inFrame(securityPath, setUpPage(security, uri, stateOf({}))),
  'settings-codes-wrong': () =>
    inFrame(
      securityPath,
      setUpPage(security, uri, stateOf({}, { code: 'The code is wrong. Enter the one that your app shows now.' })),
    ),
  'settings-backup-codes': () => inFrame(securityPath, backupCodesPage(backupCodes, undefined)),
  'settings-backup-codes-again': () =>
    inFrame(
      securityPath,
      backupCodesPage(
        undefined,
        'The backup codes were shown once, in the first answer. If that got lost, make new ones.',
      ),
    ),
  'settings-audit-log': () => logOf(entries),
  'settings-audit-log-empty': () => logOf([], 'payout'),
};
