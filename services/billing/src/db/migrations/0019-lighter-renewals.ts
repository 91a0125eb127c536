import { Migration } from '@app/service-kit/migrations';

/**
 * References go: rows of `charges` and `renewals` are written by the statement that writes or locks the payment and the
 * subscription that they name, and nothing deletes these. To look them up again for each row finds nothing.
 *
 * A renewal changes a row of three tables. A vacuum of one reads all of its indexes, so it waits until a fifth of the rows has
 * changed, whatever the server says for small tables.
 */
export class LighterRenewals extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table charges drop constraint charges_id_fkey');
    this.addSql(`
      alter table renewals
        drop constraint renewals_subscription_id_fkey,
        drop constraint renewals_payment_id_fkey`);
    for (const table of ['payments', 'subscriptions', 'renewals']) {
      this.addSql(`
        alter table ${table} set (autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_threshold = 5000,
          autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 5000)`);
    }
  }
}
