import { Migration } from '@app/service-kit/migrations';

/**
 * customers  who bought, a row for each buyer of an account: written with the buyer's first order that is no rehearsal, and with the
 *            keys of addresses for orders of the release before. It has what is looked up and listed by; names and sums are read
 *            from the orders. `first_order_id` is what lists are in the order of: ids sort by time. Two first orders at the same time
 *            write a row each, of which the earlier counts: were the id alone unique, one would wait for the other's transaction.
 *
 * A development version made keys without customers: it makes them once more.
 */
export class Customers extends Migration {
  override up(): void {
    this.addSql(`create table customers (
      id text not null,
      account_id text not null,
      email_key text not null,
      first_order_id text not null,
      primary key (id, first_order_id)
    )`);
    this.addSql('create index customers_listed on customers (account_id, first_order_id)');
    this.addSql('update orders set email_key = null where email_key is not null and not test');
  }
}
