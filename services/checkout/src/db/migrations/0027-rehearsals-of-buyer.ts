import { Migration } from '@app/service-kit/migrations';

/** A buyer's rehearsals, beside `orders_of_buyer`: the writes of live orders pay nothing for it. */
export class RehearsalsOfBuyer extends Migration {
  override up(): void {
    this.addSql('create index rehearsals_of_buyer on orders (account_id, lower(customer_email)) where test');
  }
}
