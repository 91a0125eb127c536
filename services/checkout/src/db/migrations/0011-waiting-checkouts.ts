import { Migration } from '@app/service-kit/migrations';

/** What waits for its buyer's confirmation is found by when billing was last asked about it, for the sweep. */
export class WaitingCheckouts extends Migration {
  override up(): void {
    this.addSql(`create index checkouts_waiting on checkouts (checked_at) where status = 'requires_action'`);
  }
}
