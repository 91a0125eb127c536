import { Migration } from '@app/service-kit/migrations';

/**
 * Only a search by a buyer's address used them, in the release before, and each renewal wrote to all of them. That search finds the same by
 * reading the account's rows, which is slower, while both releases run or after a rollback.
 */
export class IndexesOfAddresses extends Migration {
  override up(): void {
    this.addSql('drop index payments_by_email; drop index subscriptions_by_email');
  }
}
