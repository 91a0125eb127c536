import { Migration } from '@app/service-kit/migrations';

/** Few orders are disputed: their list is filtered along the index, of which other orders have no entry. */
export class DisputedOrders extends Migration {
  override up(): void {
    this.addSql(
      'create index orders_disputed on orders (account_id, substr(id, 5)) where disputes is not null and not test',
    );
  }
}
