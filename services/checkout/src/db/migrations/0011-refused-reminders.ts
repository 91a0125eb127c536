import { Migration } from '@app/service-kit/migrations';

/**
 * refusals      how often the mail server has refused this reminder for good; `refused_at` is the last time.
 * reminders_sent  for the ceiling of reminders that an account sends in a day.
 */
export class RefusedReminders extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table reminders
        add column refusals integer not null default 0,
        add column refused_at timestamptz`);
    this.addSql('create index reminders_sent on reminders (account_id, sent_at) where sent_at is not null');
  }
}
