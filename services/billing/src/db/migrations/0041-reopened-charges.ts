import { Migration } from '@app/service-kit/migrations';

/** When a refund of the charge failed last after it had been taken: its order has the time to follow until it is compared. */
export class ReopenedCharges extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table charges add column reopened_at timestamptz');
    this.addSql(
      `create index charges_reopened on charges (account_id, reopened_at, id) where reopened_at is not null and not test`,
    );
  }
}
