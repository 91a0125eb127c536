import { Migration } from '@app/service-kit/migrations';

/** The wallet that gave a card, beside its last four digits. */
export class Wallets extends Migration {
  override up(): void {
    for (const table of ['payments', 'payment_methods', 'subscriptions']) {
      this.addSql(`alter table ${table} add column wallet text`);
      this.addSql(`alter table ${table} alter wallet set statistics 0`);
    }
  }
}
