import { Migration } from '@app/service-kit/migrations';

/** Whether the order of a subscription named an affiliate; null for those from before, of which it is not known here. */
export class AffiliateNamed extends Migration {
  override async up(): Promise<void> {
    this.addSql(`alter table subscriptions add column affiliate_named boolean`);
  }
}
