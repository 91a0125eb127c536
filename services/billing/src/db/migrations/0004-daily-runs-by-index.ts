import { Migration } from '@app/service-kit/migrations';

/**
 * The run over all accounts has the account '' from here on: an index does not find null by equality, so each query for a
 * run read all runs. Retention deletes runs by the time they began.
 */
export class DailyRunsByIndex extends Migration {
  override async up(): Promise<void> {
    this.addSql(`update daily_runs set account_id = '' where account_id is null`);
    this.addSql('alter table daily_runs alter column account_id set not null');
    this.addSql('create index daily_runs_started on daily_runs (started_at)');
  }
}
