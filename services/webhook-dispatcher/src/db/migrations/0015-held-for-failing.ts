import { Migration } from '@app/service-kit/migrations';

/**
 * `deliveries.held_reason`: null for what is held because its endpoint is off or has no URL. The index has one entry for
 * each delivery that is held for another reason, and repair/release-held.ts reads one of each endpoint. A reason may stay
 * behind a delivery that is not held any more: a replica of the version before does not know the column.
 */
export class HeldForFailing extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table deliveries
        add held_reason text,
        add constraint held_for_a_reason check (held_reason = 'endpoint_failing')`);
    this.addSql(`
      create index deliveries_held_for_failing on deliveries (endpoint_id, id)
      where status = 'held' and held_reason = 'endpoint_failing'`);
  }
}
