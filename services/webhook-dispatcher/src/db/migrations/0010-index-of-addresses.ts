import { Migration } from '@app/service-kit/migrations';

/**
 * Only a search by a buyer's address used it, in the release before, and each event wrote to it. That search finds the same by reading the
 * account's events, which is slower, while both releases run or after a rollback.
 */
export class IndexOfAddresses extends Migration {
  override up(): void {
    this.addSql('drop index events_of_email');
  }
}
