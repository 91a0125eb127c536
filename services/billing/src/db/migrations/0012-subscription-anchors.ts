import { Migration } from '@app/service-kit/migrations';

/**
 * anchor_period  the number of the period that ended at `anchor`: period n ends n - anchor_period intervals after it. Before
 *                the first period nothing ended, so it begins as 0. Whoever resumes after the period's end gets a new anchor,
 *                at which the old period ends.
 * The indexes are those of the list's filters; each reads a page in the order of ids.
 */
export class SubscriptionAnchors extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table subscriptions
        add column anchor_period integer not null default 0,
        drop constraint subscriptions_check,
        add constraint a_period_ends_at_its_anchor_or_later
          check (period >= anchor_period and current_period_end >= anchor)`);
    for (const [name, column] of [
      ['status', 'status'],
      ['collection', 'collection'],
      ['product', 'product_id'],
      ['email', 'lower(customer_email)'],
    ]) {
      this.addSql(
        `create index subscriptions_by_${name} on subscriptions (account_id, ${column}, id desc) where not test`,
      );
    }
  }
}
