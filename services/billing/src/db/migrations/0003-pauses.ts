import { Migration } from '@app/service-kit/migrations';

/**
 * subscriptions  `paused_by` is whose pause it is, null while it is not paused; of one that was paused before this was stored it is
 *                not known, and counts as the seller's. `paused_retry_at` is when the attempt was due that the pause stopped: a
 *                paused subscription whose renewal had failed is past due again when it is resumed.
 */
export class Pauses extends Migration {
  override up(): void {
    this.addSql(`
      alter table subscriptions
        add column paused_by text check (paused_by in ('seller', 'buyer')),
        add column paused_retry_at timestamptz;
      alter table subscriptions alter paused_by set statistics 0, alter paused_retry_at set statistics 0`);
  }
}
