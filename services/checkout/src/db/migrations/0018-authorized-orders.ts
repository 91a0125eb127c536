import { Migration } from '@app/service-kit/migrations';

/** Orders whose money is held are few: billing compares each of them with its hold. */
export class AuthorizedOrders extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create index orders_authorized on orders (account_id, id) where status = 'authorized' and not test`);
  }
}
