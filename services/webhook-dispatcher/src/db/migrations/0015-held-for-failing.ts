import { Migration } from '@mikro-orm/migrations';

/**
 * `deliveries.held_reason`: null for what is held because its endpoint is off or has no URL. The index has one entry for
 * each delivery that is held for another reason, and repair/release-held.ts reads one of each endpoint.
 */
export class HeldForFailing extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table deliveries
        add held_reason text,
        add constraint held_for_a_reason check (held_reason is null or (status = 'held' and held_reason = 'endpoint_failing'))`);
    this.addSql(`
      create index deliveries_held_for_failing on deliveries (endpoint_id, id) where held_reason = 'endpoint_failing'`);
  }
}
