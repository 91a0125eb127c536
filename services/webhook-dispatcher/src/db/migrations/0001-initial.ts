import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';

/**
 * Ids are compared byte by byte (collate "C"), so they sort in the order in which they were made.
 *
 * deliveries/delivery.types.ts describes the states of a delivery. Two partial indexes serve the deliveries that wait
 * and those on lease; a delivery in a final state is in neither.
 */
export class Initial extends Migration {
  override async up(): Promise<void> {
    this.addSql(messagingTables);
    this.addSql(`
      create table endpoints (
        id text collate "C" primary key,
        account_id text not null,
        role text not null,
        url text not null,
        events text[],
        active boolean not null,
        secret text not null,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    this.addSql(`create unique index endpoints_primary on endpoints (account_id) where role = 'primary'`);
    this.addSql('create index endpoints_of_account on endpoints (account_id)');
    this.addSql(`
      create table events (
        id text collate "C" primary key,
        account_id text not null,
        name text not null,
        order_id text,
        test boolean not null,
        body text not null,
        traceparent text,
        occurred_at timestamptz not null
      )`);
    this.addSql(`
      create table deliveries (
        id text collate "C" primary key,
        event_id text collate "C" not null,
        endpoint_id text collate "C" not null,
        account_id text not null,
        status text not null check (status in ('pending', 'sending', 'delivered', 'failed', 'held', 'canceled')),
        attempts int not null default 0,
        next_attempt_at timestamptz not null,
        lease_token text,
        lease_owner int,
        lease_until timestamptz,
        created_at timestamptz not null,
        constraint sending_is_leased check ((status = 'sending') = (num_nonnulls(lease_token, lease_owner, lease_until) = 3))
      ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`);
    this.addSql(`
      create index deliveries_waiting on deliveries (status, endpoint_id, next_attempt_at, id)
      where status in ('pending', 'held')`);
    this.addSql(`create index deliveries_leased on deliveries (lease_until) where status = 'sending'`);
    this.addSql(`
      create table attempts (
        id text collate "C" not null,
        account_id text not null,
        delivery_id text collate "C" not null,
        number int not null,
        created_at timestamptz not null,
        url text not null,
        status_code int,
        duration_ms int not null,
        error text,
        response_excerpt text,
        outcome text,
        next_attempt_at timestamptz,
        primary key (account_id, id)
      )`);
    this.addSql(`
      create table notices (
        id text collate "C" not null,
        account_id text not null,
        created_at timestamptz not null,
        summary text not null,
        url text,
        order_id text,
        test boolean not null,
        primary key (account_id, id)
      )`);
  }
}
