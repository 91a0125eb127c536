/**
 * Ids are compared byte by byte (collate "C"), so they sort in the order in which they were made.
 *
 * endpoints            `channel`: claims read it, and not the action, which has templates of 20 KB.
 * endpoint_changes     changes of endpoints (switched or removed) that are not applied to their waiting deliveries yet.
 * failing_endpoints    endpoints to which nothing was delivered since `since`; a success removes the row. `events` counts first
 *                      attempts.
 * waiting_endpoints    why what is due to an endpoint waits, as its dispatcher last found (deliveries/record-wait-reasons.ts): for readers
 *                      alone.
 * self_tests           self-tests that run, one at most for an endpoint. The row is void after `until`: its process died.
 * emails_sent          how many emails automations of an account have sent on the last day on which they sent any.
 */
export const endpoints = `
  create table endpoints (
    id text collate "C" primary key,
    account_id text not null,
    role text not null check (role in ('primary', 'additional', 'automation')),
    url text,
    events text[],
    active boolean not null,
    secret text,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    description text not null default '',
    headers text,
    previous_secret text,
    previous_secret_until timestamptz,
    switched_off_reason text check (switched_off_reason in ('seller', 'gone', 'failing')),
    switched_off_at timestamptz,
    name text,
    product_id text,
    action jsonb,
    built_in text,
    channel text not null generated always as (case when action ->> 'type' = 'email' then 'email' else 'http' end) stored,
    check (role = 'automation' or url is not null or not active)
  );
  create unique index endpoints_primary on endpoints (account_id) where role = 'primary';
  create index endpoints_of_account on endpoints (account_id);

  create table endpoint_changes (
    endpoint_id text collate "C" primary key,
    account_id text not null,
    url text,
    changed_at timestamptz not null,
    canceled integer not null default 0,
    hold_until text collate "C",
    discard_until text collate "C",
    others_until text collate "C",
    others_after text collate "C" not null default ''
  );

  create table failing_endpoints (
    endpoint_id text collate "C" primary key,
    account_id text not null,
    since timestamptz not null,
    last_at timestamptz not null,
    attempts integer not null,
    events integer not null,
    warned_at timestamptz
  );

  create table waiting_endpoints (
    endpoint_id text collate "C" primary key,
    account_id text not null,
    reason text not null check (reason in ('host_rate', 'mail_server')),
    per_second integer not null,
    at timestamptz not null
  ) with (fillfactor = 50);

  create table self_tests (
    endpoint_id text collate "C" primary key,
    account_id text not null,
    command_id text not null,
    until timestamptz not null
  );

  create table emails_sent (
    account_id text primary key,
    day date not null,
    count integer not null
  )`;

/**
 * recoveries  how far each one is: `cursor` is the last id that its phase has passed. `delivered` and `failed` are whole once
 *             `counts_final`; before that they count only the deliveries that a later repair has taken over, and
 *             `finished_deliveries.recovery_id` has the rest. So the statement that records attempts does nothing for recoveries.
 *             `begun_in` is the transaction that began it. An event that was being stored when the endpoint was connected has no
 *             delivery for it, and may be committed after the recovery has passed its place. Its transaction is older than this one,
 *             so a recovery reads such events once no older transaction is left.
 */
export const recoveries = `
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
    total integer,
    queued integer not null default 0,
    delivered integer not null default 0,
    failed integer not null default 0,
    counts_final boolean not null default false,
    per_second integer not null,
    enqueued_at timestamptz,
    created_at timestamptz not null,
    finished_at timestamptz,
    begun_in xid8 not null default pg_current_xact_id(),
    constraint running_is_unfinished check ((status = 'running') = (finished_at is null))
  );
  create index recoveries_of_account on recoveries (account_id, id);
  create index recoveries_of_endpoint on recoveries (account_id, endpoint_id, id);
  create unique index recoveries_running on recoveries (endpoint_id, kind) where status = 'running';
  create index recoveries_to_count on recoveries (id) where status <> 'running' and not counts_final`;
