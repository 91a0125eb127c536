/**
 * The account of a dead letter, as its text has it: a payload that is not JSON, which is one reason to be given up on, would
 * make the index refuse its row.
 */
export const accountOfLetter = `substring(payload from '"accountId":"([^"]{1,64})"')`;

/**
 * daily_runs        one row for each daily run of an account, and one with the account '' for a run over all: an index does not find
 *                   null by equality. Running: `finished_at` null. Done: `result`. Interrupted: `finished_at` without a result.
 *                   `done` and `left_to_do` are how far the run is; both null before it knows. `recovery` is checkout's part of
 *                   the run, from `reminders.finished`. `books` is how our records compare with the processor's list after it.
 *                   `limit_waived_until` of a forced run: what was due by then is charged whatever the limit of charges.
 * rehearsal_clocks  how many days each account's rehearsals are ahead of the clock. `command_id` is the command that moves it, with
 *                   the days that it names and those done; null between commands. `lease_owner` works on it until `leased_until`:
 *                   after that a repetition of the command goes on. `charged_by_currency` is what `charged_cents` is made of.
 */
export const dailyRuns = `
  create table daily_runs (
    id text primary key,
    account_id text not null,
    platform_run_id text,
    started_at timestamptz not null,
    finished_at timestamptz,
    result jsonb,
    done integer,
    left_to_do integer,
    recovery jsonb,
    books jsonb,
    limit_waived_until timestamptz,
    constraint result_is_of_a_finished_run check (result is null or finished_at is not null)
  );
  create index daily_runs_listed on daily_runs (account_id, id desc);
  create index daily_runs_running on daily_runs (account_id) where finished_at is null;
  create index daily_runs_of_platform on daily_runs (platform_run_id, account_id) where platform_run_id is not null;
  create index daily_runs_started on daily_runs (started_at);
  create index daily_runs_waiving on daily_runs (account_id) where limit_waived_until is not null;

  create table rehearsal_clocks (
    account_id text primary key,
    ahead_days integer not null default 0 check (ahead_days >= 0),
    command_id text,
    requested_days integer not null default 0,
    done_days integer not null default 0,
    ok boolean not null default true,
    charged integer not null default 0,
    charged_cents bigint not null default 0,
    retried integer not null default 0,
    canceled integer not null default 0,
    lease_owner text,
    leased_until timestamptz,
    charged_by_currency jsonb not null default '{}',
    constraint done_of_what_was_requested check (done_days between 0 and requested_days)
  )`;

/**
 * processor_comparisons  until when an account's payments were compared with the list of a processor; live money and rehearsals apart.
 *                        `explained_until` is the end of the last comparison, when it was whole and showed no orphan; null
 *                        otherwise. Later comparisons of that day may begin there. `recompared_at` is when a comparison last read
 *                        what had been compared before as well.
 * order_comparisons      until when an account's orders were compared with their payments and subscriptions.
 * order_differences      orders that differ from them, of which the seller is notified once for each detail; deleted when both agree.
 * unmatched_payments     payments at the processor under ids of ours that this database does not know: it was restored from an older
 *                        backup, say. Of the releases before `processor_facts`, which has them since.
 */
export const comparisons = `
  create table processor_comparisons (
    account_id text not null,
    processor text not null,
    test boolean not null,
    compared_until timestamptz not null,
    explained_until timestamptz,
    recompared_at timestamptz,
    primary key (account_id, processor, test)
  );

  create table order_comparisons (
    account_id text primary key,
    compared_until timestamptz not null
  );

  create table order_differences (
    account_id text not null,
    order_id text not null,
    detail text not null,
    found_at timestamptz not null,
    primary key (account_id, order_id)
  );

  create table unmatched_payments (
    account_id text not null,
    processor text not null,
    reference text not null,
    payment_id text not null,
    kind text not null check (kind in ('hold', 'charge', 'capture', 'refund')),
    amount_cents bigint not null,
    currency text not null,
    order_id text,
    recorded_at timestamptz not null,
    found_at timestamptz not null,
    confirmed_at timestamptz,
    primary key (account_id, processor, reference)
  );
  create index unmatched_payments_by_age on unmatched_payments (found_at);

  -- For the daily run of each account, which looks for the sales that this service gave up on.
  create index dead_letters_of_account on dead_letters (subject, (${accountOfLetter}), event_id)`;
