import { Migration } from '@app/service-kit/migrations';

/** `uncounted`: the reminder went out after its run had its result, and the account's next run counts it. */
export class RemindersHandedOverApart extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table reminders add column uncounted boolean not null default false');
    this.addSql('create index reminders_uncounted on reminders (account_id) where uncounted');
  }
}
