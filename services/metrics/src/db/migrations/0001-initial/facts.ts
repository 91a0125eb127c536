/**
 * facts     one row for each fact that counts, never changed; `fact_key` is what it counts once by. Test orders have rows too; the roll-ups skip them. `seq` numbers
 *           facts in the order in which they were recorded; a rebuild reads an account's by index. `currency` is null for a
 *           visit, which has none. `upsell_shown`: an upsell was offered after the order. `active_delta` is what a fact adds to
 *           the number of active subscriptions. `marks` is what is true of a fact, such as `bump`, unless it is one of the four
 *           marks of orders that have columns; null when nothing is. A later kind adds words there, not columns.
 *           `email_key` is the SHA-256 of the lower-cased email, to count each person once.
 * products  name and pricing type of each product that an event named. `renamed_by` is the id of catalog's event that the name
 *           came with; ids sort by time, so the latest name wins in whatever order the events come. Null for a name that came
 *           with an order or a visit: any event is newer.
 */
export const facts = `
  create table facts (
    event_id text primary key,
    account_id text not null,
    product_id text not null,
    fact_key text not null,
    kind text not null,
    occurred_at timestamptz not null,
    test boolean not null,
    currency text,
    amount_cents bigint not null,
    mrr_cents bigint not null,
    email_key bytea,
    has_bump boolean not null,
    has_upsell boolean not null,
    from_checkout boolean not null,
    seq bigint not null generated always as identity,
    upsell_shown boolean not null default false,
    active_delta smallint not null,
    marks text[]
  );
  -- A fact of each kind counts once for each key, whatever ids its events have. The key of a visit is the id of its event;
  -- so is that of a failed payment, a pause and a resumption, of which a subscription may have any number.
  create unique index facts_once on facts (account_id, kind, fact_key)
    where kind in ('order_paid', 'subscription_started');
  create index facts_of_account on facts (account_id, seq);
  -- A refund's key is its order and number: ord_…/2.
  create unique index facts_once_later on facts (account_id, kind, fact_key)
    where kind in ('order_refunded', 'order_reopened', 'subscription_canceled');
  -- A renewal's key is its subscription and period.
  create unique index facts_once_renewal on facts (account_id, kind, fact_key)
    where kind = 'subscription_rebilled';
  -- A product's facts of one kind in the order in which an explanation lists them.
  create index facts_explained on facts (account_id, product_id, kind, occurred_at, seq) where not test;
  -- Whether a buyer bought a product before. It begins with the most selective column.
  create index facts_by_customer on facts (email_key, product_id, account_id, occurred_at, seq)
    where kind = 'order_paid' and not test;
  -- A later kind has such keys, and needs no index of its own.
  create unique index facts_once_else on facts (account_id, kind, fact_key)
    where kind not in ('order_paid', 'subscription_started', 'order_refunded', 'order_reopened',
      'checkout_visited', 'subscription_rebilled', 'subscription_payment_failed', 'subscription_paused',
      'subscription_resumed', 'subscription_canceled');

  create table products (
    account_id text not null,
    product_id text not null,
    name text not null,
    pricing_type text not null check (pricing_type in ('onetime', 'subscription')),
    renamed_by text collate "C",
    primary key (account_id, product_id)
  )`;
