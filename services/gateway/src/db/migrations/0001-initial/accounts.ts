/**
 * accounts         `settings_revision` counts the changes of an account's settings. `email` is the address that the account
 *                  was made with. `logo_name` is the hash of the logo's bytes and its format. `portal_cancel` and
 *                  `portal_pause` are what the account's buyers may do with their subscriptions.
 * account_handles  every handle that an account has or had. One that was changed leads to its account for good, so that links
 *                  to it go on, and no other account can take it.
 * logos            logos of the hosted pages: the public address of one has nothing but its name.
 */
export const accounts = `
  create table accounts (
    id text primary key,
    handle text not null,
    business_name text not null,
    support_email text not null,
    default_currency text not null,
    test_mode boolean not null,
    hold_decision_minutes integer not null,
    nudge_after_minutes integer not null,
    commission_hold_days integer not null,
    cancellation_notices boolean not null,
    created_at timestamptz not null,
    daily_charge_limit integer not null default 3 check (daily_charge_limit >= 0),
    checkout_url text,
    settings_revision integer not null default 1,
    email text not null default '',
    email_verified boolean not null default true,
    accent_color text check (accent_color ~ '^#[0-9a-f]{6}$'),
    terms_url text,
    refund_policy_url text,
    logo_name text,
    portal_cancel boolean not null default true,
    portal_pause boolean not null default true,
    constraint accounts_handle_unique unique (handle)
  );

  create table account_handles (
    handle text primary key,
    account_id text not null references accounts (id),
    taken_at timestamptz not null
  );
  create index account_handles_of_account on account_handles (account_id);

  create table logos (
    account_id text primary key references accounts (id),
    name text not null,
    bytes bytea not null check (length(bytes) <= 153600)
  );
  -- Pictures are compressed already.
  alter table logos alter bytes set storage external;
  create index logos_by_name on logos (name)`;
