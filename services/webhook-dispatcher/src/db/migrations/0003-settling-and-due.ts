import { Migration } from '@app/service-kit/migrations';

/**
 * - `unsettled_endpoints`: endpoints that were switched or removed and whose waiting deliveries are not settled yet.
 * - `deliveries.due`: false while a retry waits for its time. The search for due deliveries (claim-deliveries.ts) reads
 *   `deliveries_scheduled` up to now and `deliveries_due` by endpoint, so it reads no retry that is not due.
 * - `deliveries_waiting` serves the settling of one endpoint in the order of the ids, which is the order of the events.
 */
export class SettlingAndDue extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table unsettled_endpoints (
        endpoint_id text collate "C" primary key,
        account_id text not null,
        url text not null,
        changed_at timestamptz not null,
        canceled int not null default 0
      )`);
    this.addSql('alter table deliveries add column due boolean not null default true');
    this.addSql('drop index deliveries_waiting');
    this.addSql(`
      create index deliveries_waiting on deliveries (status, endpoint_id, id) where status in ('pending', 'held')`);
    this.addSql(`
      create index deliveries_due on deliveries (endpoint_id, next_attempt_at, id) where status = 'pending' and due`);
    this.addSql(`
      create index deliveries_scheduled on deliveries (next_attempt_at) where status = 'pending' and not due`);
  }
}
