import { Migration } from '@app/service-kit/migrations';

/** What the retention of the simulated processor's books looks for: old entries, what is about them, old lost sendings. */
export class AgeOfSimulatedBooks extends Migration {
  override async up(): Promise<void> {
    this.addSql('create index entries_by_age on simulated_processor.entries (recorded_at)');
    this.addSql(`
      create index entries_about on simulated_processor.entries (account_id, test, about, recorded_at)
      where about is not null`);
    this.addSql(`
      alter table simulated_processor.lost_sendings add column lost_at timestamptz not null default now()`);
    this.addSql('alter table simulated_processor.lost_sendings alter column lost_at drop default');
    this.addSql('create index lost_sendings_by_age on simulated_processor.lost_sendings (lost_at)');
  }
}
