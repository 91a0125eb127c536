import { Migration } from '@app/service-kit/migrations';

/**
 * A subscription that costs nothing and was bought in the checkout renews without a card: the checkout asked no processor.
 * Rows from before meet the stricter check that this one replaces, so nothing reads them again.
 */
export class FreeSubscriptions extends Migration {
  override async up(): Promise<void> {
    this.addSql(`alter table subscriptions drop constraint automatic_has_payment_method,
      add constraint automatic_has_payment_method
        check (collection = 'external' or payment_method is not null or amount_cents = 0) not valid`);
  }
}
