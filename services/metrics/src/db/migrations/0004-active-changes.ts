import { Migration } from '@app/service-kit/migrations';

/** What made subscriptions active or ended that, in the order of time: retention is counted from these facts alone. */
export class ActiveChanges extends Migration {
  override up(): void {
    this.addSql(`create index facts_active_changes on facts (account_id, occurred_at)
      include (kind, fact_key, active_delta) where active_delta <> 0 and not test`);
  }
}
