/**
 * events        numbered (`sequence`) within their account; what one event, delivery or attempt has is described in
 *               docs/decisions/0033-webhooks-kept-held-and-repaired.md. Retention drops partitions, not rows.
 * account_logs  the last number of each account.
 */
export const events = `
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
  create index events_by_name on events (account_id, name, id) where name <> 'order.paid';
  -- A search for a buyer does not know in which case the buyer typed the address; emails go to it as it was typed.
  create index events_of_email on events (account_id, lower(email), id) where email is not null;

  create table event_bodies (
    event_id text collate "C" primary key,
    account_id text not null,
    body text not null,
    traceparent text
  ) partition by range (event_id);

  create table account_logs (
    account_id text primary key,
    last_sequence bigint not null
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`;

/**
 * deliveries           those that are not finished; deliveries/delivery.types.ts describes their states. `due` is false while a retry
 *                      waits for its time. `held_reason` is null for what is held because its endpoint is off or has no URL.
 * finished_deliveries  those in a final state.
 */
export const deliveries = `
  create table deliveries (
    id text collate "C" primary key,
    event_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    account_id text not null,
    event_name text not null,
    test boolean not null,
    priority smallint not null default 0,
    status text not null,
    attempts integer not null default 0,
    attempts_before_schedule integer not null default 0,
    due boolean not null default true,
    next_attempt_at timestamptz not null,
    lease_token text,
    lease_owner integer,
    lease_until timestamptz,
    recovery_id text,
    created_at timestamptz not null,
    held_reason text,
    check (status in ('pending', 'sending', 'held')),
    constraint sending_is_leased check (
      (status = 'sending') = (num_nonnulls(lease_token, lease_owner, lease_until) = 3)
    ),
    constraint held_for_a_reason check (held_reason = 'endpoint_failing')
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
  -- In the order of the ids, which is the order of the events, to apply a change of one endpoint.
  create index deliveries_waiting on deliveries (status, endpoint_id, id) where status in ('pending', 'held');
  -- The search for due deliveries reads deliveries_scheduled up to now and this by endpoint, so it reads no retry that is not due.
  create index deliveries_due on deliveries (endpoint_id, priority, next_attempt_at, id)
    where status = 'pending' and due;
  create index deliveries_scheduled on deliveries (next_attempt_at) where status = 'pending' and not due;
  -- This and its like hold only what a recovery has handed over, so they cost other deliveries nothing.
  create index deliveries_of_recovery on deliveries (recovery_id, status) where recovery_id is not null;
  -- What is being sent is so for seconds: every entry of an index for it is written, dead soon after and vacuumed. Lists read it
  -- by its account, and the poll for void leases reads all of it, so one small index serves both.
  create index deliveries_sending on deliveries (account_id, id) where status = 'sending';
  create index deliveries_of_account on deliveries (account_id, status, event_name, id)
    where status in ('pending', 'held');
  -- One entry for each delivery that is held for another reason than that its endpoint is off; repair/release-held.ts reads one of
  -- each endpoint.
  create index deliveries_held_for_failing on deliveries (endpoint_id, id)
    where status = 'held' and held_reason = 'endpoint_failing';

  create table finished_deliveries (
    id text collate "C" not null,
    account_id text not null,
    event_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    event_name text not null,
    test boolean not null,
    status text not null check (status in ('delivered', 'failed', 'canceled', 'filtered')),
    reason text,
    attempts integer not null,
    recovery_id text,
    created_at timestamptz not null,
    finished_at timestamptz not null,
    primary key (account_id, id),
    check ((reason is null) = (status = 'delivered'))
  ) partition by range (id);
  create index finished_of_endpoint on finished_deliveries (endpoint_id, status, id);
  create index finished_deliveries_of_recovery on finished_deliveries (recovery_id, status)
    where recovery_id is not null;
  -- What a list is narrowed by stands before the id, so that a page is read from where its rows are, however many others there are
  -- (history/index-ranges.rules.ts). Of those that delivered too: an endpoint that fails for days, or takes one event in a
  -- thousand, has few of them.
  create index finished_of_account on finished_deliveries (account_id, status, event_name, id)`;

/**
 * attempts           each POST of a delivery, and what came of it.
 * attempt_responses  the answers in full, which are kept for a shorter time.
 * notices            what sellers are notified of; `endpoint_id` is the endpoint that a notice is about.
 */
export const attempts = `
  create table attempts (
    id text collate "C" not null,
    account_id text not null,
    delivery_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    event_name text not null,
    number integer not null,
    created_at timestamptz not null,
    url text,
    status_code integer,
    duration_ms integer not null,
    dns_ms integer,
    connect_ms integer,
    tls_ms integer,
    first_byte_ms integer,
    error text,
    diagnosis text,
    diagnosis_detail text,
    response_excerpt text,
    outcome text,
    next_attempt_at timestamptz,
    primary key (account_id, id)
  ) partition by range (id);
  create index attempts_of_delivery on attempts (delivery_id, id);
  create index attempts_of_account on attempts (account_id, event_name, (outcome is distinct from 'delivered'), id);
  create index attempts_of_endpoint on attempts (endpoint_id, (outcome is distinct from 'delivered'), id);

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
    endpoint_id text,
    primary key (account_id, id)
  ) partition by range (id);
  create index notices_of_endpoint on notices (account_id, endpoint_id, id) where endpoint_id is not null;
  create index notices_of_order on notices (account_id, order_id, id) where order_id is not null`;
