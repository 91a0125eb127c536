import { createHash } from 'node:crypto';
import type { AuditKind, auditActorKinds, auditOutcomes } from '@app/contracts/audit';
import { dayMs, hourMs } from '@app/contracts/durations';
import { idFloor, idOfCommand, idSuffixOf } from '@app/contracts/ids';
import { statement } from '@app/service-kit/database';

/** Browsers send less; a longer one is cut. */
const userAgentMax = 300;

/** Entries of their own that an account has in a UTC day: a seller makes tens. Beyond it calls are counted together. */
const entriesPerDay = 2_000;

const keptDays = 396;

/** 13 months: a year can be compared with the one before. */
export const auditKeptSince = (now: Date): Date => new Date(now.getTime() - keptDays * dayMs);

/** What an entry says of who called, and of what. */
export interface AuditSubject {
  readonly accountId: string;
  readonly kind: AuditKind;
  readonly operation: string;
  readonly actorKind: (typeof auditActorKinds)[number];
  /** Of the session or the key. */
  readonly actorId: string | null;
  /** Whose address is the actor's name. */
  readonly userId: string | null;
  /** As `clientOfAddress` gives it; empty where there is none. */
  readonly address: string;
  readonly userAgent: string | undefined;
}

export interface AuditEntry extends AuditSubject {
  readonly id: string;
  readonly objectId: string | null;
  readonly outcome: (typeof auditOutcomes)[number];
  readonly code: string | null;
  readonly count: number;
  readonly at: Date;
}

/** A call that is repeated under its id has one entry. */
export const entryIdOf = (commandId: string): string => idOfCommand('auditEntry', commandId);

/** One entry for the calls of an hour that have this in common. */
export function sharedIdOf(subject: AuditSubject, code: string | null, at: Date): string {
  const { accountId, operation, actorKind, actorId } = subject;
  const common = JSON.stringify([accountId, operation, actorKind, actorId, code]);
  const hour = Math.floor(at.getTime() / hourMs) * hourMs;
  return entryIdOf(idSuffixOf(hour, createHash('sha256').update(common).digest()));
}

/**
 * Where the account has its entries of the day, the call is added to the one of its hour, `$16`. No row when the call was begun
 * before. Takes `entryValues`.
 */
export const insertEntryStatement = statement<{ id: string }>(
  'audit-insert',
  `with today as (
     select count(*) >= ${entriesPerDay} as is_full from (
       select from audit_log where account_id = $2 and id >= $15 limit ${entriesPerDay}) as entries)
   insert into audit_log as a (id, account_id, kind, operation, object_id, outcome, code, count, actor_kind, actor_id, actor_name,
     address, user_agent, created_at, last_at)
   select case when is_full then $16 else $1 end, $2, $3, $4, case when is_full then null else $5 end, $6, $7, $8, $9, $10,
     coalesce((select name from api_keys where id = $10 and account_id = $2), (select email from users where id = $11 and account_id = $2)),
     $12, $13, $14, $14
   from today
   on conflict (id) do update set count = a.count + excluded.count, last_at = greatest(a.last_at, excluded.last_at),
     address = excluded.address, user_agent = excluded.user_agent
   where a.id = $16
   returning id`,
  { id: 'text' },
);

export function entryValues(entry: AuditEntry): unknown[] {
  const { accountId, kind, operation, objectId, outcome, code, count, actorKind, actorId, userId, at } = entry;
  const day = Math.floor(at.getTime() / dayMs) * dayMs;
  return [
    ...[entry.id, accountId, kind, operation, objectId, outcome, code, count, actorKind, actorId, userId],
    ...[entry.address === '' ? null : entry.address, entry.userAgent?.slice(0, userAgentMax) ?? null, at],
    ...[idFloor('auditEntry', day), sharedIdOf(entry, code, at)],
  ];
}
