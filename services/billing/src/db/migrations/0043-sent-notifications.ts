import { movedFromCommands, sentNotificationsMigration } from '@app/messaging/notify-once';

/** What the seller was notified of stood among the ids of commands, in a table of orphans, and beside the key of a processor. */
export const sentNotifications = sentNotificationsMigration('0043', [
  movedFromCommands('^daily-run (\\S+) (\\S+) (.*)$', 'm[2]', `m[1] || ' ' || m[3]`),
  movedFromCommands('^no payment processor (\\S+) (\\S+)$', 'm[1]', `'no payment processor ' || m[2]`),
  movedFromCommands(
    '^renewal not received (\\S+) (\\S+)$',
    `coalesce((select account_id from payments where order_id = m[1] limit 1), '')`,
    `'renewal not received ' || m[1] || ' ' || m[2]`,
  ),
  `insert into sent_notifications (account_id, subject, sent_at, kept_until)
   select account_id, concat_ws(' ', 'orphan', processor, side, kind, id), told_at, told_at + interval '396 days'
   from told_orphans`,
  'drop table told_orphans',
  `insert into sent_notifications (account_id, subject, sent_at, kept_until)
   select account_id, 'key unreadable ' || processor, unreadable_told_at, unreadable_told_at + interval '31 days'
   from processor_settings where unreadable_told_at is not null`,
  'alter table processor_settings drop column unreadable_told_at',
]);
