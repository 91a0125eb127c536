import { Migration } from '@app/service-kit/migrations';

/** Whether an account had a run of its reminders since a time, and its last one. */
export class RunsOfAccount extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      'create index reminder_runs_of_account on reminder_runs (account_id, started_at) where result is not null',
    );
  }
}
