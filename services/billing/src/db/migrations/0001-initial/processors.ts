/**
 * processor_settings  one row for each processor that an account has chosen so far. `chosen` is the one for new payments; the others
 *                     keep their secret, for payments that were made with them. `secret_key` is sealed. `version` of the chosen one
 *                     counts the account's choices.
 * processor_keys      API keys of a processor that has a test mode: for each mode one that new payments use (`current`), and those of
 *                     other accounts there that payments were made at before. `at_processor` is the account there. `secret_key` is
 *                     sealed.
 * processor_pace      when the next request of an account to an endpoint of its processor may be sent, over all replicas. What a crash
 *                     loses was a fraction of a second.
 * stripe_customers    the customer at Stripe of each order that a card was sent to Stripe for, remembered before the sending: a payment
 *                     without an answer is found in the customer's list.
 */
export const processors = `
  create table processor_settings (
    account_id text not null,
    processor text not null,
    chosen boolean not null,
    secret_key bytea,
    updated_at timestamptz not null,
    version integer not null,
    primary key (account_id, processor)
  );
  create unique index processor_settings_chosen on processor_settings (account_id) where chosen;

  create table processor_keys (
    account_id text not null,
    processor text not null,
    test boolean not null,
    at_processor text not null,
    name_there text,
    secret_key bytea not null,
    publishable_key text not null,
    settlement_currency text,
    missing_permissions text[] not null,
    current boolean not null,
    stored_at timestamptz not null,
    primary key (account_id, processor, test, at_processor)
  );
  create unique index processor_keys_current on processor_keys (account_id, processor, test) where current;

  create unlogged table processor_pace (
    account_id text not null,
    test boolean not null,
    endpoint text not null,
    next_at timestamptz not null,
    primary key (account_id, test, endpoint)
  ) with (fillfactor = 50);

  create table stripe_customers (
    account_id text not null,
    test boolean not null,
    order_id text not null,
    customer text not null,
    primary key (account_id, test, order_id)
  )`;

/**
 * The books of the simulated processor, an outside party: no statement of ours joins them with our tables.
 *
 * entries        one row for each idempotency key that arrived. `test` rows are a world of their own. `about` is the reference of the
 *                hold or charge that a capture, refund or release is for. What becomes of an entry afterwards (the buyer confirmed or
 *                refused, it was released, the refund failed) is `later_status` from `later_at` on, which may be in the future.
 *                `taken_cents`: captured of a hold, refunded of a charge or capture; `pending_cents`: refunds that are going to fail
 *                at `pending_until`. `traits`: how the card goes on (simulated-cards.rules.ts). `sendings`: how often the key arrived.
 * lost_sendings  keys whose first sending got lost on its way here.
 */
export const simulatedProcessor = `
  create schema simulated_processor;

  create table simulated_processor.entries (
    seq bigint generated always as identity primary key,
    account_id text not null,
    test boolean not null,
    payment_id text not null,
    reference text not null unique,
    kind text not null check (kind in ('hold', 'charge', 'method', 'capture', 'refund', 'release')),
    status text not null check (status in ('succeeded', 'declined', 'requires_action')),
    reason text,
    amount_cents bigint not null,
    currency text not null check (currency ~ '^[a-z]{3}$'),
    order_id text not null,
    about text,
    parameters text not null,
    sendings integer not null default 1,
    last_four text,
    saved_method text,
    traits jsonb not null default '{}',
    action_url text,
    recorded_at timestamptz not null,
    capture_before timestamptz,
    released_at timestamptz,
    later_status text check (later_status in ('succeeded', 'declined', 'failed')),
    later_reason text,
    later_at timestamptz,
    taken_cents bigint not null default 0,
    pending_cents bigint not null default 0,
    pending_until timestamptz,
    unique (account_id, test, payment_id),
    constraint taken_within_amount check (taken_cents + pending_cents <= amount_cents),
    constraint declined_has_reason check ((status = 'declined') = (reason is not null)),
    constraint later_has_time check ((later_status is null) = (later_at is null)),
    constraint entries_amount_cents_check check (
      amount_cents > 0 or kind in ('method', 'release') and amount_cents = 0
    )
  );
  alter table simulated_processor.entries
    alter reason set statistics 0, alter amount_cents set statistics 0, alter currency set statistics 0,
    alter parameters set statistics 0, alter sendings set statistics 0, alter last_four set statistics 0,
    alter traits set statistics 0, alter action_url set statistics 0, alter capture_before set statistics 0,
    alter taken_cents set statistics 0, alter pending_cents set statistics 0, alter pending_until set statistics 0;
  create unique index entries_saved_method on simulated_processor.entries (saved_method)
    where saved_method is not null;
  create index entries_listed on simulated_processor.entries (account_id, test, recorded_at, seq);
  create index entries_listed_later on simulated_processor.entries (account_id, test, later_at, seq)
    where later_at is not null;
  -- For retention: old entries, what is about them, old lost sendings.
  create index entries_by_age on simulated_processor.entries (recorded_at);
  create index entries_about on simulated_processor.entries (account_id, test, about, recorded_at)
    where about is not null;

  create table simulated_processor.lost_sendings (
    account_id text not null,
    test boolean not null,
    payment_id text not null,
    lost_at timestamptz not null,
    primary key (account_id, test, payment_id)
  );
  create index lost_sendings_by_age on simulated_processor.lost_sendings (lost_at)`;
