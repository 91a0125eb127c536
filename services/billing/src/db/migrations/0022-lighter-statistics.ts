import { Migration } from '@app/service-kit/migrations';

/** No statement looks for rows by these. */
const neverLookedFor = {
  payments: `request, hold_terms, amount_cents, currency, call, decline_reason, decline_message, action_url, last_four,
    customer_email, product_name, checks, noticed`,
  charges: 'amount_cents, refunded_cents, currency',
  subscriptions: `product_name, customer_email, amount_cents, currency, billing_interval, failed_tries, hard_declined, free_try,
    payment_method, processor, last_four, anchor, anchor_period, started_at`,
  renewals: 'starts_at, ends_at, amount_cents, currency',
  'simulated_processor.entries': `reason, amount_cents, currency, parameters, sendings, last_four, traits, action_url,
    capture_before, taken_cents, pending_cents, pending_until`,
};

/**
 * A daily run changes enough rows to have its tables analyzed every ten seconds. Most of that is to sort the values of each
 * column: columns that no statement looks for have no statistics. Where one is looked for by an expression, that has its own.
 *
 * charges_of_order  is asked for an order's own charges alone, while most charges are those of renewals.
 */
export class LighterStatistics extends Migration {
  override async up(): Promise<void> {
    for (const [table, columns] of Object.entries(neverLookedFor)) {
      const changes = columns.split(',').map((column) => `alter column ${column.trim()} set statistics 0`);
      this.addSql(`alter table ${table} ${changes.join(', ')}`);
    }
    this.addSql(`create index charges_of_own_order on charges (account_id, order_id) where step <> 'renewal'`);
    this.addSql('drop index charges_of_order');
    this.addSql('alter index charges_of_own_order rename to charges_of_order');
  }
}
