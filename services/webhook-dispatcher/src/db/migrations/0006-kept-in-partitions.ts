import { idTimeMs } from '@app/contracts/ids';
import { Migration } from '@app/service-kit/migrations';
import { makePartition, partitionedTables, partitionsBetween } from '../../storage/partition.rules.ts';

/** What one delivery, event or attempt has is described in docs/decisions/0033-webhooks-kept-held-and-repaired.md. */
const newTables = `
  create table events (
    id text collate "C" not null,
    account_id text not null,
    sequence bigint,
    name text not null,
    order_id text,
    email text,
    product_id text,
    test boolean not null,
    occurred_at timestamptz not null,
    stored_at timestamptz not null,
    delivery_ids text[] not null,
    endpoint_ids text[] not null,
    primary key (account_id, id)
  ) partition by range (id);
  create index events_in_sequence on events (account_id, sequence);
  create index events_of_order on events (account_id, order_id, id) where order_id is not null;
  create index events_of_email on events (account_id, email, id) where email is not null;
  create index events_by_name on events (account_id, name, id) where name <> 'order.paid';

  create table event_bodies (
    event_id text collate "C" primary key,
    account_id text not null,
    body text not null,
    traceparent text
  ) partition by range (event_id);

  create table deliveries (
    id text collate "C" primary key,
    event_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    account_id text not null,
    event_name text not null,
    test boolean not null,
    priority smallint not null default 0,
    status text not null check (status in ('pending', 'sending', 'held')),
    attempts int not null default 0,
    schedule_from int not null default 0,
    due boolean not null default true,
    next_attempt_at timestamptz not null,
    lease_token text,
    lease_owner int,
    lease_until timestamptz,
    recovery_id text,
    created_at timestamptz not null,
    constraint sending_is_leased check ((status = 'sending') = (num_nonnulls(lease_token, lease_owner, lease_until) = 3))
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
  create index deliveries_of_account on deliveries (account_id, status, event_name, id);
  create index deliveries_waiting on deliveries (status, endpoint_id, id) where status in ('pending', 'held');
  create index deliveries_due on deliveries (endpoint_id, priority, next_attempt_at, id) where status = 'pending' and due;
  create index deliveries_scheduled on deliveries (next_attempt_at) where status = 'pending' and not due;
  create index deliveries_leased on deliveries (lease_until) where status = 'sending';

  create table finished_deliveries (
    id text collate "C" not null,
    account_id text not null,
    event_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    event_name text not null,
    test boolean not null,
    status text not null check (status in ('delivered', 'failed', 'canceled', 'filtered')),
    reason text check ((reason is null) = (status = 'delivered')),
    attempts int not null,
    recovery_id text,
    created_at timestamptz not null,
    finished_at timestamptz not null,
    primary key (account_id, id)
  ) partition by range (id);
  create index finished_of_endpoint on finished_deliveries (endpoint_id, status, id);
  create index finished_undelivered on finished_deliveries (account_id, status, event_name, id)
    where status <> 'delivered';

  create table attempts (
    id text collate "C" not null,
    account_id text not null,
    delivery_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    event_name text not null,
    number int not null,
    created_at timestamptz not null,
    url text,
    status_code int,
    duration_ms int not null,
    dns_ms int,
    connect_ms int,
    tls_ms int,
    first_byte_ms int,
    error text,
    diagnosis text,
    diagnosis_detail text,
    response_excerpt text,
    outcome text,
    next_attempt_at timestamptz,
    primary key (account_id, id)
  ) partition by range (id);
  create index attempts_of_delivery on attempts (delivery_id, id);
  create index attempts_undelivered on attempts (account_id, id) where outcome is distinct from 'delivered';

  create table attempt_responses (
    attempt_id text collate "C" primary key,
    account_id text not null,
    response text not null
  ) partition by range (attempt_id);

  create table notices (
    id text collate "C" not null,
    account_id text not null,
    created_at timestamptz not null,
    summary text not null,
    url text,
    order_id text,
    test boolean not null,
    primary key (account_id, id)
  ) partition by range (id);

  create table account_logs (account_id text primary key, last_sequence bigint not null)
    with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

  alter table endpoints
    alter url drop not null,
    alter secret drop not null,
    add description text not null default '',
    add headers text,
    add previous_secret text,
    add previous_secret_until timestamptz,
    add switched_off_reason text check (switched_off_reason in ('seller', 'gone', 'failing')),
    add switched_off_at timestamptz,
    add name text,
    add product_id text,
    add action jsonb,
    add built_in text,
    add check (role in ('primary', 'additional', 'automation')),
    add check (role = 'automation' or url is not null or not active);
  alter table unsettled_endpoints alter url drop not null`;

const oldTables = ['events', 'deliveries', 'attempts', 'notices'];

/** The ids of the first and the last row that the table will have, by the table that has them now. */
const spans: Readonly<Record<string, string>> = {
  events: 'select min(id) as first, max(id) as last from old_events',
  event_bodies: `select min(id) as first, max(id) as last from old_events where body <> ''`,
  // Also of those that wait: they will be finished in the partition of their ids.
  finished_deliveries: 'select min(id) as first, max(id) as last from old_deliveries',
  attempts: 'select min(id) as first, max(id) as last from old_attempts',
  attempt_responses: `select min(id) as first, max(id) as last from old_attempts where response_excerpt <> ''`,
  notices: 'select min(id) as first, max(id) as last from old_notices',
};

/**
 * Events are numbered in the order of their ids. Which of two reasons a delivery was given up for is known by its tries:
 * there are twelve.
 */
const moves = [
  `insert into events
   select e.id, e.account_id, row_number() over (partition by e.account_id order by e.id), e.name, e.order_id,
     nullif(b.body ->> 'email', ''), nullif(b.body ->> 'productId', ''), e.test, e.occurred_at, e.occurred_at,
     coalesce(d.ids, '{}'), coalesce(d.endpoint_ids, '{}')
   from old_events e
     cross join lateral (select nullif(e.body, '')::jsonb as body) b
     left join (
       select event_id, array_agg(id order by id) as ids, array_agg(endpoint_id order by id) as endpoint_ids
       from old_deliveries group by event_id) d on d.event_id = e.id`,
  `insert into event_bodies select id, account_id, body, traceparent from old_events where body <> ''`,
  'insert into account_logs select account_id, max(sequence) from events group by account_id',
  `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, priority, status, attempts, due,
     next_attempt_at, lease_token, lease_owner, lease_until, created_at)
   select d.id, d.event_id, d.endpoint_id, d.account_id, e.name, e.test,
     case when e.name = 'funnel.email.sync' then 1 else 0 end, d.status, d.attempts, d.due,
     d.next_attempt_at, d.lease_token, d.lease_owner, d.lease_until, d.created_at
   from old_deliveries d join old_events e on e.id = d.event_id where d.status in ('pending', 'sending', 'held')`,
  `insert into finished_deliveries
   select d.id, d.account_id, d.event_id, d.endpoint_id, e.name, e.test, d.status,
     case when d.status = 'canceled' then 'removed' when d.status = 'failed' and d.attempts >= 12 then 'tries'
       when d.status = 'failed' then 'expired' end,
     d.attempts, null, d.created_at, coalesce(a.last_at, d.created_at)
   from old_deliveries d join old_events e on e.id = d.event_id
     left join (select delivery_id, max(created_at) as last_at from old_attempts group by delivery_id) a
       on a.delivery_id = d.id
   where d.status in ('delivered', 'failed', 'canceled')`,
  `insert into attempts (id, account_id, delivery_id, endpoint_id, event_name, number, created_at, url, status_code, duration_ms,
     error, response_excerpt, outcome, next_attempt_at)
   select a.id, a.account_id, a.delivery_id, d.endpoint_id, e.name, a.number, a.created_at, a.url, a.status_code, a.duration_ms,
     a.error, case when a.outcome is distinct from 'delivered' then left(a.response_excerpt, 200) end, a.outcome,
     a.next_attempt_at
   from old_attempts a join old_deliveries d on d.id = a.delivery_id join old_events e on e.id = d.event_id`,
  `insert into attempt_responses
   select a.id, a.account_id, a.response_excerpt from old_attempts a where a.response_excerpt <> ''`,
  'insert into notices select id, account_id, created_at, summary, url, order_id, test from old_notices',
];

/** Tables in partitions; deliveries that are finished have a table of their own. */
export class KeptInPartitions extends Migration {
  override async up(): Promise<void> {
    for (const table of oldTables) await this.execute(`alter table ${table} rename to old_${table}`);
    await this.execute(
      'drop index deliveries_waiting, deliveries_due, deliveries_scheduled, deliveries_leased, attempts_by_time, notices_by_time',
    );
    for (const table of oldTables) await this.execute(`alter index ${table}_pkey rename to old_${table}_pkey`);
    await this.execute(newTables);
    for (const table of partitionedTables) {
      const [span] = (await this.execute(spans[table.name] as string)) as { first: string | null; last: string }[];
      if (span === undefined || span.first === null) continue;
      for (const partition of partitionsBetween(table, idTimeMs(span.first), idTimeMs(span.last)))
        await this.execute(makePartition(partition));
    }
    for (const move of moves) await this.execute(move);
    await this.execute('drop table old_events, old_deliveries, old_attempts, old_notices, retention');
  }
}
