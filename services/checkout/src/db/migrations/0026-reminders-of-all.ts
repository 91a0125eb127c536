import { Migration } from '@app/service-kit/migrations';

/** For the bound of all accounts' reminders in a day. */
export class RemindersOfAll extends Migration {
  override async up(): Promise<void> {
    this.addSql('create index reminders_sent_of_all on reminders (sent_at) where sent_at is not null');
  }
}
