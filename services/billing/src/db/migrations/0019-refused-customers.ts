import { Migration } from '@app/service-kit/migrations';

/** `refused`: the order's payments that Stripe refused because it did not know the customer before this one; each has a key of its own. */
export class RefusedCustomers extends Migration {
  override up(): void {
    this.addSql(`alter table stripe_customers add column refused text[] not null default '{}'`);
  }
}
