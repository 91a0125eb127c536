import { withoutKeyIndex } from '@app/service-kit/email-keys';
import { Migration } from '@app/service-kit/migrations';

/**
 * `users.email_key` is what a user is found by (`emailKey` of @app/contracts); null in rows of the release before until the service
 * makes it. Of users whose addresses are one mailbox, the first has its key: in the others a space stands before the address, which is
 * the key of none, and they are found by the address as it is.
 */
export class EmailKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table users add email_key text, add constraint users_email_key_unique unique (email_key);
      ${withoutKeyIndex('users', 'email')}`);
  }
}
