import { Migration } from '@mikro-orm/migrations';

/**
 * The run over all accounts has the account '' now: null equals nothing, so an index could not find it, and each look
 * at a run read all runs there were. Runs are forgotten by the time they began.
 */
export class DailyRunsByIndex extends Migration {
  override async up(): Promise<void> {
    this.addSql(`update daily_runs set account_id = '' where account_id is null`);
    this.addSql('alter table daily_runs alter column account_id set not null');
    this.addSql('create index daily_runs_started on daily_runs (started_at)');
  }
}
