import { Migration } from '@app/service-kit/migrations';

/**
 * done, left_to_do  how far the run is; both null before it knows.
 * recovery          checkout's part of the run, from `reminders.finished`.
 * books             how our records compare with the processor's list after it.
 */
export class DailyRunProgress extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table daily_runs
        add column done integer,
        add column left_to_do integer,
        add column recovery jsonb,
        add column books jsonb`);
  }
}
