import { Migration } from '@app/service-kit/migrations';

/**
 * renewal_counts  what ends of renewals add to a run's result, written in the statement of the ends: one row for each
 *                 account and statement. `counted_run_id` is the run that has counted it, null while none has. What was
 *                 counted in a result that is stored is deleted by the next run.
 */
export class RenewalCounts extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table renewal_counts (
        account_id text not null,
        test boolean not null,
        currency text not null,
        charged integer not null check (charged >= 0),
        charged_cents bigint not null check (charged_cents >= 0),
        retried integer not null check (retried >= 0),
        canceled integer not null check (canceled >= 0),
        counted_run_id text
      )`);
    this.addSql('create index renewal_counts_of_account on renewal_counts (account_id, test)');
    this.addSql(`
      create index renewal_counts_not_counted on renewal_counts (account_id)
      where counted_run_id is null and not test`);
  }
}
