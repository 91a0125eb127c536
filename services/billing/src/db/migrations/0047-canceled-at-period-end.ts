import { Migration } from '@app/service-kit/migrations';

/**
 * subscriptions  `cancel_requested_by`: who canceled it for the end of its period; null while it renews. The daily run finds
 *                it by `next_charge_at`, as it finds charges, so an `external` one has that time until its end.
 */
export class CanceledAtPeriodEnd extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table subscriptions
        add column cancel_requested_by text check (cancel_requested_by in ('seller', 'buyer')),
        add constraint only_active_ones_end_later check (cancel_requested_by is null or status = 'active'),
        drop constraint only_automatic_ones_are_charged,
        add constraint only_automatic_ones_are_charged
          check (next_charge_at is null or collection = 'automatic' or cancel_requested_by is not null)`);
  }
}
