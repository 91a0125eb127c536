import { Migration } from '@app/service-kit/migrations';

/**
 * stripe_customers  the customer at Stripe of each order that a card was sent to Stripe for, remembered before the sending: a
 *                   payment without an answer is found in the customer's list.
 */
export class StripeCustomers extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table stripe_customers (
        account_id text not null,
        test boolean not null,
        order_id text not null,
        customer text not null,
        primary key (account_id, test, order_id)
      )`);
  }
}
