import { Migration } from '@app/service-kit/migrations';

/** How many attempts failed, beside those that charged: the result of a run says both. */
export class DeclinedRenewals extends Migration {
  override up(): void {
    this.addSql(`alter table renewal_counts add column declined integer not null default 0 check (declined >= 0)`);
  }
}
