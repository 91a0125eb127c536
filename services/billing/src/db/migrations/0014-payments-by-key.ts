import { Migration } from '@app/service-kit/migrations';

/**
 * The payments of an order are found by the constraint `one_row_for_each_try`. The index that goes began with the account
 * and ended with the id: the planner took it for look-ups of one payment, each of which then read all of the account's.
 */
export class PaymentsByKey extends Migration {
  override async up(): Promise<void> {
    this.addSql('drop index payments_by_order');
  }
}
