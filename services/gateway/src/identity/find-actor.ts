import type { ApiKeyScope } from '@app/contracts/accounts';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import type { Actor } from './actors.ts';
import { allScopes } from './actors.ts';

/** The per-request look-ups: one statement each, prepared once per connection. */
const settingsTypes: ColumnsOf<Omit<SettingsRow, 'account_id'>> = {
  handle: 'text',
  business_name: 'text',
  support_email: 'text',
  support_email_verified: 'bool',
  email: 'text',
  email_verified: 'bool',
  default_currency: 'text',
  test_mode: 'bool',
  hold_decision_minutes: 'int4',
  nudge_after_minutes: 'int4',
  commission_hold_days: 'int4',
  cancellation_notices: 'bool',
  daily_charge_limit: 'int4',
  checkout_url: 'text',
  accent_color: 'text',
  terms_url: 'text',
  refund_policy_url: 'text',
  logo_name: 'text',
  portal_cancel: 'bool',
  portal_pause: 'bool',
  withdrawal_days: 'int4',
  immediate_access_consent: 'bool',
  statement_suffix: 'text',
};
const settingsColumns = namesOf(settingsTypes, 'a');
const accountTypes: ColumnsOf<SettingsRow> = { account_id: 'text', ...settingsTypes };
const credentialTypes = { id: 'text', expires_at: 'timestamptz', last_used_at: 'timestamptz' } as const;

const keyByHash = statement<KeyRow>(
  'api-key-by-hash',
  `select k.id, k.account_id, k.scopes, k.expires_at, k.last_used_at, k.pepper, ${settingsColumns}
   from api_keys k join accounts a on a.id = k.account_id
   where k.hash = $1 and k.revoked_at is null`,
  { ...accountTypes, ...credentialTypes, pepper: 'text', scopes: 'text[]' },
);

const sessionByHash = statement<SessionRow>(
  'session-by-hash',
  `select s.id, s.user_id, u.account_id, s.expires_at, s.last_used_at, ${settingsColumns}
   from sessions s join users u on u.id = s.user_id join accounts a on a.id = u.account_id
   where s.hash = $1`,
  { ...accountTypes, ...credentialTypes, user_id: 'text' },
);

const portalSessionByHash = statement<PortalSessionRow>(
  'portal-session-by-hash',
  `select s.email as buyer, s.subscription_id, a.id as account_id, ${settingsColumns}
   from portal_sessions s join accounts a on a.id = s.account_id
   where s.hash = $1 and s.expires_at > $2`,
  { ...accountTypes, buyer: 'text', subscription_id: 'text' },
);

interface SettingsRow {
  readonly account_id: string;
  readonly handle: string;
  readonly business_name: string;
  readonly support_email: string;
  readonly support_email_verified: boolean;
  readonly email: string;
  readonly email_verified: boolean;
  readonly default_currency: string;
  readonly test_mode: boolean;
  readonly hold_decision_minutes: number;
  readonly nudge_after_minutes: number;
  readonly commission_hold_days: number;
  readonly cancellation_notices: boolean;
  readonly daily_charge_limit: number;
  readonly checkout_url: string | null;
  readonly accent_color: string | null;
  readonly terms_url: string | null;
  readonly refund_policy_url: string | null;
  readonly logo_name: string | null;
  readonly portal_cancel: boolean;
  readonly portal_pause: boolean;
  readonly withdrawal_days: number;
  readonly immediate_access_consent: boolean;
  readonly statement_suffix: string | null;
}

interface KeyRow extends SettingsRow {
  readonly id: string;
  readonly scopes: ApiKeyScope[];
  readonly pepper: string | null;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
}

interface SessionRow extends SettingsRow {
  readonly id: string;
  readonly user_id: string;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
}

interface PortalSessionRow extends SettingsRow {
  readonly buyer: string;
  readonly subscription_id: string | null;
}

/** A key or a session as the database has it: its actor, how long it is valid and when it was used. */
export interface FoundCredential {
  readonly kind: 'key' | 'session';
  readonly id: string;
  /** Whose it is: the account of a key, the user of a session. */
  readonly ownerId: string;
  readonly actor: Actor;
  /** Milliseconds since the epoch of the injected clock. */
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number;
  /** Of a key, the pepper of its hash by `pepperId`. */
  readonly pepper?: string | null;
}

export async function findKey(database: Database, hash: Buffer): Promise<FoundCredential | null> {
  const { rows } = await database.pool.query(keyByHash([hash]));
  const [row] = rows;
  if (row === undefined) return null;
  const scopes = new Set(row.scopes);
  const actor: Actor = { ...accountOf(row), kind: 'key', scopes, keyId: row.id, sessionId: null, userId: null };
  return {
    kind: 'key',
    id: row.id,
    pepper: row.pepper,
    ownerId: row.account_id,
    actor,
    expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    lastUsedAtMs: row.last_used_at?.getTime() ?? Number.NEGATIVE_INFINITY,
  };
}

export async function findSession(database: Database, hash: Buffer): Promise<FoundCredential | null> {
  const { rows } = await database.pool.query(sessionByHash([hash]));
  const [row] = rows;
  if (row === undefined) return null;
  const who = { keyId: null, sessionId: row.id, userId: row.user_id };
  const actor: Actor = { ...accountOf(row), ...who, kind: 'session', scopes: allScopes };
  return {
    kind: 'session',
    id: row.id,
    ownerId: row.user_id,
    actor,
    expiresAtMs: row.expires_at.getTime(),
    lastUsedAtMs: row.last_used_at?.getTime() ?? Number.NEGATIVE_INFINITY,
  };
}

/** The buyer whose session of the portal it is; null for one that is unknown or has ended. */
export async function findPortalActor({ pool }: Database, hash: Buffer, now: Date): Promise<Actor | null> {
  const { rows } = await pool.query(portalSessionByHash([hash, now]));
  const [row] = rows;
  if (row === undefined) return null;
  const buyer = { email: row.buyer, subscriptionId: row.subscription_id };
  const without = { scopes: new Set<ApiKeyScope>(), keyId: null, sessionId: null, userId: null };
  return { ...accountOf(row), ...without, kind: 'portal', buyer };
}

function accountOf(row: SettingsRow): Pick<Actor, 'accountId' | 'settings' | 'buyer'> {
  return {
    buyer: null,
    accountId: row.account_id,
    settings: {
      handle: row.handle,
      businessName: row.business_name,
      supportEmail: row.support_email,
      supportEmailVerified: row.support_email_verified,
      email: row.email,
      emailVerified: row.email_verified,
      defaultCurrency: row.default_currency,
      testMode: row.test_mode,
      holdDecisionMinutes: row.hold_decision_minutes,
      nudgeAfterMinutes: row.nudge_after_minutes,
      commissionHoldDays: row.commission_hold_days,
      cancellationNotices: row.cancellation_notices,
      dailyChargeLimit: row.daily_charge_limit,
      checkoutUrl: row.checkout_url,
      accentColor: row.accent_color,
      termsUrl: row.terms_url,
      refundPolicyUrl: row.refund_policy_url,
      logoName: row.logo_name,
      portalCancel: row.portal_cancel,
      portalPause: row.portal_pause,
      withdrawalDays: row.withdrawal_days,
      immediateAccessConsent: row.immediate_access_consent,
      statementSuffix: row.statement_suffix,
    },
  };
}
