import { Migration } from '@app/service-kit/migrations';

/**
 * Who looks for a buyer does not know in which case the buyer typed the address; emails go to it as it was typed. Events are
 * read while the index is built, and stored once it is.
 */
export class EmailsInAnyCase extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create index events_of_any_email on events (account_id, lower(email), id)
      where email is not null`);
    this.addSql('drop index events_of_email');
    this.addSql('alter index events_of_any_email rename to events_of_email');
  }
}
