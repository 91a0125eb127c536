import { type Database, statement } from '@app/service-kit/database';
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
