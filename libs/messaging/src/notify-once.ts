import { type Database, statement } from '@app/service-kit/database';
import { Migration } from '@app/service-kit/migrations';
import type { RetentionRule } from '@app/service-kit/retention';
import { type OutboxRow, outboxColumns, outboxRecord } from './outbox.ts';
import { inboxKeepDays } from './retention.ts';

/** A notification of an account's seller, which Recent activity shows, and its subject: one is sent for each. */
export interface SellerNotification {
  readonly accountId: string;
  /** In the service's own words, with what it is about: `charge_limit 2026-01-15`. */
  readonly subject: string;
  readonly event: OutboxRow;
}

export interface NotifyOnceOptions {
  readonly now: Date;
  /** Sent again after so long; left out, never as long as the subject is kept. */
  readonly againAfterMs?: number;
  /** How long the subject is kept; 31 days unless given. */
  readonly keepDays?: number;
}

const dayMs = 86_400_000;

const notifyStatement = statement(
  'notifications-once',
  `with sent as (
     insert into sent_notifications as n (account_id, subject, sent_at, kept_until)
     select account_id, about, $2, $3 from json_to_recordset($1::json) as f(account_id text, about text) order by 1, 2
     on conflict (account_id, subject) do update set sent_at = excluded.sent_at, kept_until = excluded.kept_until
     where n.sent_at <= $4::timestamptz
     returning account_id, subject
   )
   insert into outbox (${outboxColumns})
   select ${outboxColumns} from json_to_recordset($1::json) as e(account_id text, about text, ${outboxRecord})
   where (account_id, about) in (select account_id, subject from sent)`,
);

/**
 * Notifies sellers of each subject once, over all replicas: the memory of it and the event are one statement.
 * @returns how many were sent now: then the relay has something to publish
 */
export async function notifyOnce(
  pool: Pick<Database['pool'], 'query'>,
  notifications: readonly SellerNotification[],
  { now, againAfterMs, keepDays = inboxKeepDays }: NotifyOnceOptions,
): Promise<number> {
  const distinct = new Map(notifications.map((each) => [`${each.accountId} ${each.subject}`, each]));
  const rows = [...distinct.values()].map(({ accountId, subject, event }) => ({
    account_id: accountId,
    about: subject,
    ...event,
  }));
  const keptUntil = new Date(now.getTime() + keepDays * dayMs);
  const againBefore = againAfterMs === undefined ? null : new Date(now.getTime() - againAfterMs);
  return (await pool.query(notifyStatement([JSON.stringify(rows), now, keptUntil, againBefore]))).rowCount ?? 0;
}

/** Deletes subjects after their time. @param now of the service's clock */
export const sentNotificationsRetention = (now: () => Date): RetentionRule => ({
  statement: `delete from sent_notifications where (account_id, subject) in (
    select account_id, subject from sent_notifications where kept_until < $1 limit $2)`,
  limit: now,
});

/**
 * sent_notifications   what sellers were notified of, so that they are notified once: one row for each subject of an
 *                      account, until `kept_until`.
 */
const sentNotificationsTable = `
  create table sent_notifications (
    account_id text not null,
    subject text not null,
    sent_at timestamptz not null,
    kept_until timestamptz not null,
    primary key (account_id, subject)
  )`;

/**
 * The migration that makes the table.
 * @param number its place among the service's migrations, e.g. `0011`
 * @param moves statements that move there what the service remembered elsewhere
 */
export const sentNotificationsMigration = (number: string, moves: readonly string[]) => ({
  name: `${number}-sent-notifications`,
  class: class SentNotifications extends Migration {
    override up(): void {
      this.addSql(sentNotificationsTable);
      this.addSql('create index sent_notifications_kept on sent_notifications (kept_until)');
      for (const move of moves) this.addSql(move);
    }
  },
});

/**
 * Moves what earlier versions kept among the ids of commands.
 * @param pattern of those ids: a regular expression
 * @param accountId and subject: SQL on `m`, the pattern's groups
 */
export const movedFromCommands = (pattern: string, accountId: string, subject: string): string => `
  with moved as (delete from commands where id ~ '${pattern}' returning id, created_at)
  insert into sent_notifications (account_id, subject, sent_at, kept_until)
  select ${accountId}, ${subject}, created_at, created_at + interval '${inboxKeepDays} days'
  from moved, lateral regexp_match(id, '${pattern}') as m
  on conflict do nothing`;
