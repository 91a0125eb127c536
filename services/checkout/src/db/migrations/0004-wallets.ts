import { Migration } from '@app/service-kit/migrations';

/** The wallet that gave the card, beside its last four digits. */
export class Wallets extends Migration {
  override up(): void {
    this.addSql('alter table checkouts add column wallet text');
    this.addSql('alter table checkouts alter wallet set statistics 0');
  }
}
