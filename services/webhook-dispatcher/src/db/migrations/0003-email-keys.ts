import { withoutKeyIndex } from '@app/service-kit/email-keys';
import { Migration } from '@app/service-kit/migrations';

/**
 * `email_key` is what a buyer's events are found by (`emailKey` of @app/contracts); null in rows of the release before until the
 * service makes it. 0010 drops the index by `lower(email)`.
 */
export class EmailKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table events add email_key text;
      ${withoutKeyIndex('events', 'email')};
      create index events_of_email_key on events (account_id, email_key, id) where email_key is not null`);
  }
}
