import { withoutKeyIndex } from '@app/service-kit/email-keys';
import { Migration } from '@app/service-kit/migrations';

/**
 * `email_key` is what a buyer's payments and subscriptions are found by (`emailKey` of @app/contracts); null in rows of the release
 * before until the service makes it. 0018 drops the indexes by `lower(…)`.
 */
export class EmailKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table payments add email_key text;
      alter table subscriptions add email_key text;
      ${withoutKeyIndex('payments', 'customer_email')};
      ${withoutKeyIndex('subscriptions', 'customer_email')};
      create index payments_by_email_key on payments (account_id, email_key, id desc) where not test;
      create index subscriptions_by_email_key on subscriptions (account_id, email_key, id desc) where not test`);
  }
}
