/**
 * reminders       the latest reminder of a buyer (lower-cased email) about a product: one row, so that no two jobs send one each.
 *                 `sent_at` is set before the email is handed over: from then on it counts as sent, until the mail server refuses
 *                 it. `refusals` is how often the mail server has refused it for good; `refused_at` is the last time. `counted_at`
 *                 is when its checkout was counted as recovered. `uncounted`: it went out after its run had its result, and the
 *                 account's next run counts it.
 * opt_out_tokens  hashes of the tokens in opt-out links, of every reminder that went out.
 * opt_outs        buyers who want no reminders of a seller. They stay.
 * reminder_runs   runs of an account's reminders, and of all accounts ('').
 */
export const reminders = `
  create table reminders (
    account_id text not null,
    email text not null,
    product_id text not null,
    id text not null unique,
    checkout_id text not null,
    status text not null check (status in ('claimed', 'sending', 'sent', 'failed')),
    link_hash bytea not null,
    token_hash bytea not null,
    claimed_until timestamptz not null,
    sent_at timestamptz,
    detail text,
    counted_at timestamptz,
    refusals integer not null default 0,
    refused_at timestamptz,
    uncounted boolean not null default false,
    primary key (account_id, email, product_id),
    check ((status in ('sending', 'sent')) = (sent_at is not null))
  );
  create index reminders_to_count on reminders (account_id, checkout_id)
    where sent_at is not null and counted_at is null;
  create index reminders_claimed_until on reminders (claimed_until);
  -- For the bound of reminders that an account sends in a day.
  create index reminders_sent on reminders (account_id, sent_at) where sent_at is not null;
  create index reminders_uncounted on reminders (account_id) where uncounted;
  -- For the bound of all accounts' reminders in a day.
  create index reminders_sent_of_all on reminders (sent_at) where sent_at is not null;

  create table opt_out_tokens (
    token_hash bytea primary key,
    account_id text not null,
    email text not null,
    created_at timestamptz not null
  );
  create index opt_out_tokens_created on opt_out_tokens (created_at);

  create table opt_outs (
    account_id text not null,
    email text not null,
    opted_out_at timestamptz not null,
    primary key (account_id, email)
  );

  create table reminder_runs (
    id text primary key,
    account_id text not null,
    platform_run_id text,
    started_at timestamptz not null,
    finished_at timestamptz,
    result json
  );
  create index reminder_runs_of_platform on reminder_runs (platform_run_id, account_id);
  create index reminder_runs_under_way on reminder_runs (account_id) where finished_at is null;
  create index reminder_runs_started on reminder_runs (started_at);
  -- Whether an account had a run of its reminders since a time, and its last one.
  create index reminder_runs_of_account on reminder_runs (account_id, started_at) where result is not null`;
