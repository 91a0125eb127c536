import { Migration } from '@app/service-kit/migrations';

/** looked_up_run_id  the last daily run that began while the period's payment had no end: that run charges no other period. */
export class LookedUpRenewals extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table renewals add column looked_up_run_id text');
  }
}
