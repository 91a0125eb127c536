import { rollupLock } from '../../../rollups/rollup-columns.ts';

/**
 * Roll-ups are sums of facts alone, so facts may arrive in any order, and `rebuild` gives the same numbers. They are updated in
 * place all the time, so their pages are half empty: new row versions fit beside the old ones, and the indexes need no update.
 *
 * rollup_generations  A rebuild writes the next generation of an account's roll-ups beside the one that is read, and then updates
 *                     this. An account without a row is at generation 0.
 * product_totals      sums over all facts of a product. `currency` is that of its facts; null before the first one that has any.
 * product_months      the same by UTC month; `…_delta` columns are changes, so that a month's end is the sum up to it.
 *                     `renewal_cents` is the part of the revenue that is renewals.
 * product_days        the same by UTC day, so that a span of days costs one row for each day and product. Days that are over are
 *                     read only: their pages need less room for new row versions.
 * customers           each person who ever bought a product, by `email_key`.
 * share_rollups       locks and returns the generations that a batch of facts adds to, until its transaction ends. It locks first
 *                     and reads afterwards, in a statement of its own: a statement that waited for a lock does not see what was
 *                     committed meanwhile. All callers lock in the same order.
 */
export const rollups = `
  create table rollup_generations (
    account_id text primary key,
    generation integer not null
  );

  create table product_totals (
    account_id text not null,
    product_id text not null,
    orders bigint not null default 0,
    order_cents bigint not null default 0,
    revenue_cents bigint not null default 0,
    bump_orders bigint not null default 0,
    upsell_shown_orders bigint not null default 0,
    upsell_orders bigint not null default 0,
    checkout_orders bigint not null default 0,
    views bigint not null default 0,
    refunds bigint not null default 0,
    refunded_cents bigint not null default 0,
    active_subscriptions bigint not null default 0,
    mrr_cents bigint not null default 0,
    customers bigint not null default 0,
    generation integer not null default 0,
    currency text,
    primary key (account_id, generation, product_id)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

  create table product_months (
    account_id text not null,
    product_id text not null,
    month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
    revenue_cents bigint not null default 0,
    mrr_delta_cents bigint not null default 0,
    active_delta bigint not null default 0,
    started_subscriptions bigint not null default 0,
    canceled_subscriptions bigint not null default 0,
    generation integer not null default 0,
    renewal_cents bigint not null default 0,
    primary key (account_id, generation, product_id, month)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

  create table product_days (
    account_id text not null,
    generation integer not null,
    day date not null,
    product_id text not null,
    orders bigint not null,
    order_cents bigint not null,
    revenue_cents bigint not null,
    bump_orders bigint not null,
    upsell_shown_orders bigint not null,
    upsell_orders bigint not null,
    checkout_orders bigint not null,
    views bigint not null,
    refunds bigint not null,
    refunded_cents bigint not null,
    active_subscriptions bigint not null,
    mrr_cents bigint not null,
    primary key (account_id, generation, day, product_id)
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

  create table customers (
    account_id text not null,
    product_id text not null,
    email_key bytea not null,
    generation integer not null default 0,
    primary key (account_id, generation, product_id, email_key)
  );

  create function share_rollups(accounts text[]) returns table (account_id text, generation integer)
  language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(${rollupLock}, key)
    from (select distinct hashtext(a) as key from unnest(accounts) as a order by key) as keys;
    return query
      select a.name, coalesce(g.generation, 0)
      from unnest(accounts) as a(name) left join rollup_generations as g on g.account_id = a.name;
  end $$`;
