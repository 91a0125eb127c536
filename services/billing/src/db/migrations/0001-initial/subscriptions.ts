/**
 * subscriptions  one for each order that bought one. Period n ends n - `anchor_period` intervals after `anchor`; `period` is the
 *                current one's n. `anchor_period` is the number of the period that ended at `anchor`: before the first period nothing
 *                ended, so it begins as 0. A subscription that is resumed after its period's end gets a new anchor, at which the old
 *                period ends. `payment_method` is a processor's token: never returned, never logged; `processor` and `last_four` are
 *                the token's, and may be unknown before it is charged. One that costs nothing and was bought in the checkout renews
 *                without a card. `next_charge_at` is when the next charge falls due, and null when none will: paused, canceled,
 *                external. `cancel_requested_by` is who canceled it for the end of its period, null while it renews: the daily run
 *                finds it by `next_charge_at`, so an `external` one has that time until its end. `failed_tries` counts those of the
 *                current renewal. `hard_declined`: the card is lost, stolen or expired, so the processor is not asked again until the
 *                card changes. `free_attempt`: the next attempt does not count. `affiliate_named`: the order named an affiliate.
 */
export const subscriptions = `
  create table subscriptions (
    id text primary key,
    account_id text not null,
    order_id text not null,
    product_id text not null,
    product_name text not null,
    customer_email text not null,
    amount_cents bigint not null check (amount_cents >= 0),
    currency text not null,
    billing_interval text not null check (billing_interval in ('month', 'year')),
    status text not null check (status in ('active', 'past_due', 'paused', 'canceled')),
    collection text not null check (collection in ('automatic', 'external')),
    payment_method text,
    anchor timestamptz not null,
    period integer not null check (period >= 1),
    current_period_end timestamptz not null,
    started_at timestamptz not null,
    canceled_at timestamptz,
    test boolean not null,
    next_charge_at timestamptz,
    failed_tries integer not null default 0 check (failed_tries between 0 and 4),
    hard_declined boolean not null default false,
    free_attempt boolean not null default false,
    paused_at timestamptz,
    processor text,
    last_four text,
    anchor_period integer not null default 0,
    affiliate_named boolean not null,
    cancel_requested_by text check (cancel_requested_by in ('seller', 'buyer')),
    unique (account_id, order_id),
    constraint canceled_has_time check ((status = 'canceled') = (canceled_at is not null)),
    constraint paused_has_time check ((status = 'paused') = (paused_at is not null)),
    constraint charged_while_alive check (next_charge_at is null or status in ('active', 'past_due')),
    constraint a_period_ends_at_its_anchor_or_later check (period >= anchor_period and current_period_end >= anchor),
    constraint automatic_has_payment_method check (
      collection = 'external' or payment_method is not null or amount_cents = 0
    ),
    constraint only_active_ones_end_later check (cancel_requested_by is null or status = 'active'),
    constraint only_automatic_ones_are_charged check (
      next_charge_at is null or collection = 'automatic' or cancel_requested_by is not null
    )
  ) with (autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_threshold = 5000);
  alter table subscriptions
    alter product_name set statistics 0, alter customer_email set statistics 0,
    alter amount_cents set statistics 0, alter currency set statistics 0, alter billing_interval set statistics 0,
    alter payment_method set statistics 0, alter anchor set statistics 0, alter started_at set statistics 0,
    alter failed_tries set statistics 0, alter hard_declined set statistics 0, alter free_attempt set statistics 0,
    alter processor set statistics 0, alter last_four set statistics 0, alter anchor_period set statistics 0;
  create index subscriptions_listed on subscriptions (account_id, id desc) where not test;
  create index subscriptions_due on subscriptions (account_id, test, next_charge_at, id)
    where next_charge_at is not null;
  create index subscriptions_by_status on subscriptions (account_id, status, id desc) where not test;
  create index subscriptions_by_collection on subscriptions (account_id, collection, id desc) where not test;
  create index subscriptions_by_product on subscriptions (account_id, product_id, id desc) where not test;
  create index subscriptions_by_email on subscriptions (account_id, lower(customer_email), id desc) where not test;
  create index subscriptions_of_rehearsals on subscriptions (account_id, id desc) where test`;

/**
 * renewals        one row for each subscription and period after the first: what no repetition can charge twice. `run_id` is the
 *                 daily run that claimed it last: one run tries it once. `looked_up_run_id` is the last daily run that began while
 *                 the period's payment had no end: that run charges no other period. It changes no indexed column when it ends: with
 *                 room on its page the index is left alone. References are left out as those of charges are.
 * renewal_counts  what ends of renewals add to a run's result, written in the statement of the ends: one row for each account and
 *                 statement. `counted_run_id` is the run that has counted it, null while none has. What was counted in a result that
 *                 is stored is deleted by the next run.
 */
export const renewals = `
  create table renewals (
    account_id text not null,
    subscription_id text not null,
    period integer not null check (period >= 2),
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    amount_cents bigint not null check (amount_cents >= 0),
    currency text not null,
    status text not null check (status in ('processing', 'paid', 'failed')),
    run_id text not null,
    payment_id text,
    paid_at timestamptz,
    looked_up_run_id text,
    primary key (account_id, subscription_id, period),
    constraint a_period_has_length check (ends_at > starts_at),
    constraint paid_has_time check ((status = 'paid') = (paid_at is not null))
  ) with (autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_threshold = 5000, fillfactor = 60);
  alter table renewals
    alter starts_at set statistics 0, alter ends_at set statistics 0, alter amount_cents set statistics 0,
    alter currency set statistics 0;

  create table renewal_counts (
    account_id text not null,
    test boolean not null,
    currency text not null,
    charged integer not null check (charged >= 0),
    charged_cents bigint not null check (charged_cents >= 0),
    retried integer not null check (retried >= 0),
    canceled integer not null check (canceled >= 0),
    counted_run_id text
  );
  create index renewal_counts_of_account on renewal_counts (account_id, test);
  create index renewal_counts_not_counted on renewal_counts (account_id) where counted_run_id is null and not test`;
