import { Migration } from '@app/service-kit/migrations';

/**
 * `recoveries` holds how far each one is: `cursor` is the last id that its phase has passed. `delivered` and `failed` are
 * whole once `settled`; before that they count only the deliveries that a later repair has taken over, and
 * `finished_deliveries.recovery_id` has the rest. So the statement that records attempts does nothing for recoveries.
 *
 * The two indexes on `recovery_id` hold only what a recovery has handed over, so they cost other deliveries nothing.
 */
export class Recoveries extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table recoveries (
        id text collate "C" primary key,
        account_id text not null,
        endpoint_id text collate "C" not null,
        kind text not null check (kind in ('recover', 'held')),
        which text not null check (which in ('failed', 'all', 'orders')),
        since timestamptz,
        until timestamptz not null,
        status text not null default 'running' check (status in ('running', 'done', 'canceled')),
        phase text not null default 'count' check (phase in ('count', 'events', 'deliveries')),
        cursor text collate "C" not null default '',
        total int,
        queued int not null default 0,
        delivered int not null default 0,
        failed int not null default 0,
        settled boolean not null default false,
        per_second int not null,
        fed_at timestamptz,
        created_at timestamptz not null,
        finished_at timestamptz,
        constraint running_is_unfinished check ((status = 'running') = (finished_at is null))
      )`);
    this.addSql('create index recoveries_of_account on recoveries (account_id, id)');
    this.addSql('create index recoveries_of_endpoint on recoveries (account_id, endpoint_id, id)');
    this.addSql(`create unique index recoveries_running on recoveries (endpoint_id, kind) where status = 'running'`);
    this.addSql(`create index recoveries_unsettled on recoveries (id) where status <> 'running' and not settled`);
    this.addSql(
      'create index deliveries_of_recovery on deliveries (recovery_id, status) where recovery_id is not null',
    );
    this.addSql(`
      create index finished_deliveries_of_recovery on finished_deliveries (recovery_id, status)
      where recovery_id is not null`);
  }
}
