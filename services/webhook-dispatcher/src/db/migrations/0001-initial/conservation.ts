/**
 * conservation       one row: the number of the last run, and how far the round over the older events is.
 * proved_accounts    up to which number of its log an account was proved once.
 * conservation_runs  what each run has proved, for 30 days.
 * conservation_gaps  the accounts in which a run found a gap, with their counts.
 */
export const conservation = `
  create table conservation (
    id boolean default true primary key check (id),
    run_id bigint not null default 0,
    next_run_at timestamptz not null default now(),
    proved_at timestamptz not null default now(),
    repaired bigint not null default 0,
    older_account text not null default '',
    older_sequence bigint not null default 0,
    round_started_at timestamptz not null default now(),
    round_ended_at timestamptz
  );

  create table proved_accounts (
    account_id text primary key,
    sequence bigint not null
  ) with (fillfactor = 70);

  create table conservation_runs (
    id bigint primary key,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    accounts integer not null default 0,
    events bigint not null default 0,
    older_events bigint not null default 0,
    deliveries bigint not null default 0,
    pending bigint not null default 0,
    sending bigint not null default 0,
    held bigint not null default 0,
    delivered bigint not null default 0,
    filtered bigint not null default 0,
    failed bigint not null default 0,
    canceled bigint not null default 0,
    gap bigint not null default 0,
    lost_events bigint not null default 0,
    repaired bigint not null default 0
  );

  create table conservation_gaps (
    id bigint generated always as identity primary key,
    run_id bigint not null,
    account_id text not null,
    first_sequence bigint not null,
    last_sequence bigint not null,
    events integer not null,
    deliveries integer not null,
    pending integer not null,
    sending integer not null,
    held integer not null,
    delivered integer not null,
    filtered integer not null,
    failed integer not null,
    canceled integer not null,
    gap integer not null,
    lost_events integer not null
  );
  create index conservation_gaps_of_account on conservation_gaps (account_id, id)`;

/**
 * lost_deliveries  rows that were found missing, and when they were made again.
 * lost_events      numbers without an event; `explained_at` is for an operator who has found out why.
 */
export const lost = `
  create table lost_deliveries (
    account_id text not null,
    id text collate "C" not null,
    event_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    run_id bigint not null,
    found_at timestamptz not null default now(),
    repaired_at timestamptz,
    became text,
    primary key (account_id, id)
  );
  create index lost_deliveries_unrepaired on lost_deliveries (id) where repaired_at is null;
  -- The metric counts what was repaired lately; the table keeps what was ever repaired.
  create index lost_deliveries_repaired on lost_deliveries (repaired_at) where repaired_at is not null;

  create table lost_events (
    account_id text not null,
    sequence bigint not null,
    run_id bigint not null,
    found_at timestamptz not null default now(),
    explained_at timestamptz,
    primary key (account_id, sequence)
  );
  create index lost_events_unexplained on lost_events (account_id) where explained_at is null`;
