import { dayMs } from '@app/contracts/durations';
import { type Database, statement } from '@app/service-kit/database';
import type { RetentionRule } from '@app/service-kit/retention';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import { type OutboxRow, outboxColumns, outboxTypes } from './outbox.ts';
import { inboxKeepDays } from './retention.ts';

/** A notification of an account's seller, which Recent activity shows; one is sent for each key. */
export interface SellerNotification {
  readonly accountId: string;
  /** The kind and what it is about: `charge_limit 2026-01-15`. */
  readonly key: string;
  readonly event: OutboxRow;
}

export interface NotifyOnceOptions {
  readonly now: Date;
  /** Sent again after so long; left out, never as long as the key is kept. */
  readonly againAfterMs?: number;
  /** How long the key is kept; 31 days unless given. */
  readonly keepDays?: number;
}

const keyTypes = { account_id: 'text', notification_key: 'text' };
const rowTypes = { ...keyTypes, ...outboxTypes };
const key = namesOf(keyTypes);

const notifyStatement = statement(
  'notifications-once',
  `with incoming as (
     select * from ${tableOf(rowTypes, 4)}
   ), sent as (
     insert into sent_notifications as n (${key}, sent_at, kept_until)
     select ${key}, $1, $2 from incoming order by ${key}
     on conflict (${key}) do update set sent_at = excluded.sent_at, kept_until = excluded.kept_until
     where n.sent_at <= $3::timestamptz
     returning ${key}
   )
   insert into outbox (${outboxColumns})
   select ${outboxColumns} from incoming where (${key}) in (select ${key} from sent)`,
);

/**
 * Notifies a seller once for each key, over all replicas: the row that remembers it and the event are one statement.
 * @returns how many were sent now: then the relay has something to publish
 */
export async function notifyOnce(
  pool: Pick<Database['pool'], 'query'>,
  notifications: readonly SellerNotification[],
  { now, againAfterMs, keepDays = inboxKeepDays }: NotifyOnceOptions,
): Promise<number> {
  const distinct = new Map(notifications.map((each) => [`${each.accountId} ${each.key}`, each]));
  const rows = [...distinct.values()].map(({ accountId, key: notificationKey, event }) => ({
    account_id: accountId,
    notification_key: notificationKey,
    ...event,
  }));
  const keptUntil = new Date(now.getTime() + keepDays * dayMs);
  const againBefore = againAfterMs === undefined ? null : new Date(now.getTime() - againAfterMs);
  const values = [now, keptUntil, againBefore, ...columnsOf(rows, rowTypes)];
  return (await pool.query(notifyStatement(values))).rowCount ?? 0;
}

const expiredStatement = statement(
  'retention-sent-notifications',
  `delete from sent_notifications where (account_id, notification_key) in (
    select account_id, notification_key from sent_notifications where kept_until < $1 limit $2)`,
);

/** Deletes keys after their time. @param now of the service's clock */
export const sentNotificationsRetention = (now: () => Date): RetentionRule => ({
  statement: expiredStatement,
  limit: now,
});
