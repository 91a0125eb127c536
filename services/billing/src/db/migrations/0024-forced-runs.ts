import { Migration } from '@app/service-kit/migrations';

/**
 * forced_until  of a run that charges beyond the limit of charges: what was due by then is charged, and if the run dies, by the
 *               account's next one. Null again when that has been done.
 */
export class ForcedRuns extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table daily_runs add column forced_until timestamptz');
    this.addSql('create index daily_runs_forced on daily_runs (account_id) where forced_until is not null');
  }
}
