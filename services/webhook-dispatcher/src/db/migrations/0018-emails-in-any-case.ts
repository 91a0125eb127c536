import { Migration } from '@mikro-orm/migrations';

/** Who looks for a buyer does not know in which case the buyer typed the address; emails go to it as it was typed. */
export class EmailsInAnyCase extends Migration {
  override async up(): Promise<void> {
    this.addSql('drop index events_of_email');
    this.addSql(`
      create index events_of_email on events (account_id, lower(email), id)
      where email is not null`);
  }
}
