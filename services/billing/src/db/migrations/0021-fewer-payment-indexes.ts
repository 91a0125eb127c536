import { Migration } from '@app/service-kit/migrations';

/**
 * Each payment is written twice, begun and ended, and each time to all indexes: none of them may be one that is not needed.
 *
 * payments_by_status   had every payment, while most succeed: those are found along the list of all. What has no end is found
 *                      by `payments_unfinished_of_account`, and declines by an index of their own.
 * payments_unfinished  had what `payments_unfinished_of_account` has: rows without an end, which are few.
 * renewals             changes no indexed column when it ends. With room on its page the index is left alone.
 */
export class FewerPaymentIndexes extends Migration {
  override async up(): Promise<void> {
    this.addSql('drop index payments_by_status');
    this.addSql('drop index payments_unfinished');
    this.addSql(
      `create index payments_declined on payments (account_id, id desc) where status = 'declined' and not test`,
    );
    this.addSql('alter table renewals set (fillfactor = 60)');
  }
}
