import { Migration } from '@app/service-kit/migrations';

/** `upsell_decided`: billing has the decision on a held order's upsell, and a payment of it is not known yet. */
export class DecidedUpsells extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table checkouts add column upsell_decided boolean not null default false');
  }
}
