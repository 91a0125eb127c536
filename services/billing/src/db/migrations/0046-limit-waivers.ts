import { Migration } from '@app/service-kit/migrations';

/** limit_waived_until  of a forced run: what was due by then is charged whatever the limit of charges. It was `forced_until`. */
export class LimitWaivers extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table daily_runs rename column forced_until to limit_waived_until');
    this.addSql('alter index daily_runs_forced rename to daily_runs_waiving');
  }
}
