import { sentNotificationsRetention } from '@app/messaging/notify-once';
import { messagingRetention } from '@app/messaging/retention';
import type { Clock } from '@app/service-kit/clock';
import { statement } from '@app/service-kit/database';
import { type ClockRule, type RetentionRule, rulesBy } from '@app/service-kit/retention';
import { keptSince } from '../api/idempotency.rules.ts';
import { auditKeptSince } from '../identity/audit/audit-entry.ts';
import { endedKeysKeptSince } from '../identity/list-api-keys.ts';
import { originsKnownSince } from '../identity/login-origin.ts';
import { portalKeptSince } from '../identity/portal-link.rules.ts';

/**
 * By an index on what is compared. With nothing due it is one read of the index's beginning, whatever the planner's
 * statistics say: right after a large deletion they are those of before, and a scan of the table would seem cheap.
 */
const oldest = (table: string, since: string) =>
  statement(
    `retention-${table.replaceAll('_', '-')}`,
    `delete from ${table} where ctid = any(array(
     select ctid from ${table} where ${since} < $1 and (select min(${since}) from ${table}) < $1 order by ${since} limit $2))`,
  );

const withoutAccount = statement(
  'retention-idempotency-records-without-account',
  `delete from idempotency_records where ctid = any(array(
     select ctid from idempotency_records where account_id like '% %' and created_at < $1 order by created_at limit $2))`,
);

/**
 * Stored responses after 30 days, those of callers without an account after one, keys 90 days and the portal's links and sessions 30
 * days after their end; users' sessions, letters and windows of rate limits after theirs, from where users have not logged in for 90
 * days, and the audit log after 13 months.
 */
const rules: readonly ClockRule[] = [
  { statement: oldest('idempotency_records', 'created_at'), limit: (clock) => keptSince(clock.now()) },
  { statement: withoutAccount, limit: (clock) => keptSince(clock.now(), false) },
  { statement: oldest('api_keys', 'least(revoked_at, expires_at)'), limit: (clock) => endedKeysKeptSince(clock.now()) },
  { statement: oldest('sessions', 'expires_at'), limit: (clock) => clock.now() },
  { statement: oldest('login_links', 'expires_at'), limit: (clock) => clock.now() },
  { statement: oldest('passkey_challenges', 'expires_at'), limit: (clock) => clock.now() },
  { statement: oldest('pending_logins', 'expires_at'), limit: (clock) => clock.now() },
  { statement: oldest('known_origins', 'last_at'), limit: (clock) => originsKnownSince(clock.now()) },
  { statement: oldest('audit_log', 'created_at'), limit: (clock) => auditKeptSince(clock.now()) },
  { statement: oldest('letters', 'expires_at'), limit: (clock) => clock.now() },
  { statement: oldest('portal_links', 'expires_at'), limit: (clock) => portalKeptSince(clock.now()) },
  { statement: oldest('portal_sessions', 'expires_at'), limit: (clock) => portalKeptSince(clock.now()) },
  // Of the database's time, as they are.
  { statement: oldest('rate_windows', 'ends_at'), limit: () => new Date() },
];

export const retention = (clock: Clock): readonly RetentionRule[] => [
  ...messagingRetention,
  sentNotificationsRetention(() => clock.now()),
  ...rulesBy(clock, rules),
];
