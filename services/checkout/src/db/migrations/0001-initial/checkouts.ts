/**
 * checkouts       what a buyer is buying. `revision` counts its changes: a request that priced an older one prices again.
 *                 `secret_hashes` are the SHA-256 hashes of the secrets that opened it: a repeated command adds its own.
 *                 `discount_id` is the discount whose use the attempt under way claimed. `checked_at` is when billing was last
 *                 asked about an attempt that is under way. `active_at` is when its buyer changed it last. `upsell_decided`:
 *                 billing has the decision on a held order's upsell, and a payment of it is not known yet. `shown_quote` stands
 *                 for the lines, the total and the renewal that the buyer saw last (`quoteOf`). `settings_revision` is the number
 *                 of the account's settings at the opening: settings here that are older say nothing of its mode. `paid_at`,
 *                 `last_four` and `decide_by` are what a buyer's page shows of a payment: when, which card, and until when the
 *                 upsell may be decided on.
 * checkout_attempts  one row for each attempt to pay, with the sale as it was then: what is charged late is what was agreed.
 *                 `buyer_digests` are digests of the buyer's browser, address and card, the account's own; kept for two days, with
 *                 a subscription until 30 days after its end. `repeats_order` is an order that the same email paid or was paying
 *                 from elsewhere; the seller is notified of it.
 * visits          who came to a product's checkout on a day; kept for two days.
 *
 * Statements lock checkouts first, then reminders, then discount uses, then orders.
 */
export const checkouts = `
  create table checkouts (
    id text primary key,
    account_id text not null,
    secret_hashes bytea[] not null,
    status text not null check (
      status in ('open', 'processing', 'requires_action', 'authorized', 'paid', 'refunded', 'expired')
    ),
    revision integer not null default 0,
    product_id text not null,
    product_slug text not null,
    seller_name text not null,
    support_email text not null,
    decision_minutes integer not null,
    test boolean not null,
    email text,
    name text,
    country text,
    bump_ids text[] not null,
    discount_code text,
    affiliate_code text,
    utm_source text,
    utm_medium text,
    utm_campaign text,
    utm_term text,
    utm_content text,
    shown_cents bigint not null,
    order_id text unique,
    attempt_no integer not null default 0,
    discount_id text,
    action_url text,
    reason text,
    upsell_status text check (upsell_status in ('offered', 'accepted', 'declined', 'card_declined', 'not_decided')),
    checked_at timestamptz,
    created_at timestamptz not null,
    upsell_decided boolean not null default false,
    active_at timestamptz,
    shown_quote text not null,
    settings_revision integer not null,
    paid_at timestamptz,
    last_four text,
    decide_by timestamptz
  );
  create index checkouts_processing on checkouts (checked_at) where status = 'processing';
  create index checkouts_open on checkouts (created_at) where status = 'open';
  create index checkouts_unpaid on checkouts (created_at) where status = 'expired' and upsell_status is null;
  create index checkouts_stalled on checkouts (account_id, lower(email), product_id, created_at desc, id desc)
    where status = 'open' and email is not null and not test;
  create index checkouts_under_way on checkouts (account_id, lower(email), product_id)
    where status in ('processing', 'requires_action') and not test;
  -- An account's open checkouts in the order in which they give way to new ones: first those that were not touched since they
  -- were opened, or that have no email; the oldest first.
  create index checkouts_open_of_account on checkouts (account_id, (email is not null and revision > 0), created_at)
    where status = 'open';
  -- The seller's list of checkouts that were not paid. An opening without an email, as crawlers make them, writes no entry; one
  -- with an email writes 74 bytes. The expired ones have an index of their own, because all that are open are newer.
  create index checkouts_unfinished on checkouts (account_id, substr(id, 5))
    where status in ('open', 'expired') and email is not null and not test;
  create index checkouts_expired on checkouts (account_id, substr(id, 5))
    where status = 'expired' and email is not null and not test;

  create table checkout_attempts (
    account_id text not null,
    checkout_id text not null references checkouts (id) on delete cascade,
    attempt_no integer not null,
    command_id text not null,
    sale json not null,
    reason text,
    created_at timestamptz not null,
    buyer_digests text[],
    repeats_order text,
    primary key (checkout_id, attempt_no),
    unique (checkout_id, command_id)
  );
  create index checkout_attempts_digests on checkout_attempts (created_at)
    where buyer_digests is not null and sale -> 'product' ->> 'pricingType' <> 'subscription';

  create table visits (
    account_id text not null,
    product_id text not null,
    day date not null,
    visitor text not null,
    test boolean not null,
    primary key (account_id, product_id, day, visitor, test)
  );
  create index visits_day on visits (day)`;

/** sold_subscriptions  living ones, and those that ended within 30 days: their start may be received after their end. */
export const soldSubscriptions = `
  create table sold_subscriptions (
    id text primary key,
    account_id text not null,
    order_id text not null,
    email text not null,
    product_id text not null,
    ended_at timestamptz
  );
  create index sold_subscriptions_living on sold_subscriptions (account_id, email, product_id)
    where ended_at is null;
  create index sold_subscriptions_ended on sold_subscriptions (ended_at) where ended_at is not null;

  -- Of each buyer, email (lower case) and product: a purchase that was paid since a time, is under way, or lives on as a
  -- subscription; rather one that has a digest in common with the attempt (same). It locks buyers first and reads afterwards, in a
  -- statement of its own, so that of two attempts of one buyer at the same time the second sees the first. Buyers are locked in one
  -- order, before any checkout. The planner is kept to look-ups in indexes, whatever it thinks of the sizes of tables.
  create function earlier_purchases(attempts json) returns table (checkout_id text, order_id text, same boolean)
  language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    perform pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(concat_ws(' ', t.account_id, t.product_id, t.email), 16) as key
      from json_to_recordset(attempts) as t(account_id text, email text, product_id text) order by key
    ) as buyers;
    return query
      select t.id, e.order_id, e.same
      from json_to_recordset(attempts) as t(id text, account_id text, email text, product_id text, digests text[],
        since timestamptz)
      cross join lateral (
        select p.order_id, coalesce((
          select y.buyer_digests && t.digests from checkouts as c
          join checkout_attempts as y on y.checkout_id = c.id and y.attempt_no = c.attempt_no
          where c.account_id = t.account_id and c.order_id = p.order_id), false) as same
        from (
          select o.id as order_id from orders as o
          where o.account_id = t.account_id and lower(o.customer_email) = t.email and o.product_id = t.product_id
            and not o.test and o.status in ('paid', 'authorized') and coalesce(o.paid_at, o.created_at) > t.since
          union all
          select s.order_id from sold_subscriptions as s
          where s.account_id = t.account_id and s.email = t.email and s.product_id = t.product_id and s.ended_at is null
          union all
          select c.order_id from checkouts as c
          where c.account_id = t.account_id and lower(c.email) = t.email and c.product_id = t.product_id
            and c.status in ('processing', 'requires_action') and not c.test and c.id <> t.id
        ) as p
        order by same desc limit 1
      ) as e;
  end $$`;
