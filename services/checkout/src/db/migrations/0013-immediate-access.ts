import { Migration } from '@app/service-kit/migrations';

/** `orders.immediate_access` is the sentence by which the buyer gave up the right to withdraw; null where none was asked. */
export class ImmediateAccess extends Migration {
  override up(): void {
    this.addSql('alter table orders add column immediate_access text');
  }
}
