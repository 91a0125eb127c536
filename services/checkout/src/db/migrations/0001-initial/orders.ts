/**
 * orders  An order's lines are written and read with the order, never alone: so `items` is one json column in the published
 *         shape, and the schema checks that their sum is the total. `refunded_cents` is what went back of the order itself, in
 *         minor units, `given_back_cents` the same with what went back of renewals, and `refund_changes` how often these
 *         changed: consumers take the highest number. `disputes` has the outcome of each dispute by its id, `open` before that; null
 *         without disputes.
 *
 * A live order writes 6 index entries at most. Each is 12 bytes (its header and its line pointer) and its keys, in which an id is
 * 31 bytes: 108 bytes of orders_of_product for every live order, 60 of orders_of_name for one with a name of 15 letters, about 90
 * of orders_of_affiliate for one that came with an affiliate's code. Over 36,000 orders of 50 accounts, in batches of 50: 641 bytes
 * of indexes for each, because inserts leave pages partly empty, and 3.3 ms for a batch's insert.
 */
export const orders = `
  -- A loop costs half of what a function in SQL costs, which is prepared anew for each statement and makes a row of each item.
  -- Items are parsed once: -> on json would parse all of them for each one.
  create function order_items_total(items json) returns bigint language plpgsql immutable strict as $$
  declare
    parsed constant jsonb := items;
    total bigint := 0;
  begin
    for place in 0 .. jsonb_array_length(parsed) - 1 loop
      total := total + coalesce((parsed -> place ->> 'amount_cents')::bigint, 0);
    end loop;
    return total;
  end $$;

  create table orders (
    id text primary key,
    account_id text not null,
    product_id text not null,
    customer_email text not null,
    customer_name text not null,
    total_cents bigint not null check (total_cents >= 0),
    currency text not null,
    status text not null check (status in ('paid', 'refunded', 'authorized', 'expired')),
    utm_source text,
    utm_medium text,
    utm_campaign text,
    utm_term text,
    utm_content text,
    country text,
    affiliate_code text,
    discount_id text,
    source text not null check (source in ('api', 'checkout')),
    test boolean not null,
    items json not null,
    created_at timestamptz not null,
    paid_at timestamptz,
    refunded_at timestamptz,
    refunded_cents bigint not null default 0,
    given_back_cents bigint not null default 0,
    refund_changes integer not null default 0,
    disputes jsonb,
    constraint total_is_sum_of_items check (total_cents = order_items_total(items))
  );
  create index orders_of_buyer on orders (account_id, lower(customer_email), product_id) where not test;
  -- Orders whose money is held are few: billing compares each of them with its hold.
  create index orders_authorized on orders (account_id, id) where status = 'authorized' and not test;
  -- A buyer's rehearsals, beside orders_of_buyer: the writes of live orders pay nothing for it.
  create index rehearsals_of_buyer on orders (account_id, lower(customer_email)) where test;
  -- Ascending: PostgreSQL fills the pages of an index to the end when values grow within an account, and leaves them half
  -- empty when they fall; and bounds of (account, id) are one range of it. Ids and times are found along it (an order's time
  -- is in its id), and paid orders, because nearly all are paid.
  create index orders_listed on orders (account_id, id) where not test;
  create index orders_of_product on orders (account_id, product_id, substr(id, 5)) where not test;
  -- It has no id: what a name's beginning finds is sorted. Equal names share an entry.
  create index orders_of_name on orders (account_id, lower(customer_name collate pg_c_utf8))
    where not test and customer_name <> '';
  create index orders_of_affiliate on orders (account_id, lower(affiliate_code), substr(id, 5))
    where affiliate_code is not null and not test;
  create index orders_refunded on orders (account_id, substr(id, 5)) where status = 'refunded' and not test;
  -- Rehearsals are few: their lists are filtered along it.
  create index rehearsals_listed on orders (account_id, substr(id, 5)) where test`;

/**
 * discount_uses   `room` is the uses that were left of a code when its last claim came; null for a code without a limit.
 * order_refusals  what a command was refused for, under the id its order would have had: a command has one outcome, that of its
 *                 first attempt to commit. Kept for a day, far longer than any attempt can last.
 * confirm_orders  called last in the statement that writes orders. Its error undoes the statement; then each order is written alone.
 * refuse_orders   waits for orders of these ids that are being recorded.
 *
 * The two functions decide between a recorded order and a refusal of the same command. Each locks the id first and reads
 * afterwards, in a statement of its own: a statement sees what was committed before it began, so one that waited for the lock
 * itself would miss what was committed while it waited. Both lock ids in the same order.
 */
export const orderOutcomes = `
  create table discount_uses (
    account_id text not null,
    discount_id text not null,
    uses bigint not null,
    room bigint,
    primary key (account_id, discount_id)
  );

  create table order_refusals (
    order_id text primary key,
    account_id text not null,
    refusal json not null,
    created_at timestamptz not null default now()
  );
  create index order_refusals_created on order_refusals (created_at);

  create function confirm_orders(recorded text[], recorded_before text[]) returns text[] language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended(id, 0))
    from (select id from unnest(recorded) as id order by id) as o;
    if cardinality(recorded_before) > 0 or exists (select from order_refusals where order_id = any (recorded)) then
      raise exception 'another attempt of the same command was faster' using errcode = 'FE001';
    end if;
    return recorded;
  end $$;

  create function refuse_orders(refused json) returns table (order_id text, total bigint, reason json)
  language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended(r.id, 0))
    from (select id from json_to_recordset(refused) as i(id text) order by id) as r;
    insert into order_refusals (order_id, account_id, refusal)
      select r.id, r.account_id, r.refusal
      from json_to_recordset(refused) as r(id text, account_id text, refusal json)
      where not exists (select from orders as o where o.id = r.id)
      order by r.id
      on conflict do nothing;
    return query
      select r.id, o.total_cents, f.refusal
      from json_to_recordset(refused) as r(id text, account_id text)
      left join orders as o on o.id = r.id and o.account_id = r.account_id
      left join order_refusals as f on f.order_id = r.id and f.account_id = r.account_id;
  end $$`;

/**
 * refunds          one row for each refund of an order that was requested, written before billing is asked. `requested` until
 *                  billing says how it ended; `failed` may be followed by a refund with the next number. `failed_at` is when a
 *                  refund that was taken failed afterwards, by billing's clock: what billing said before that is void. `attempt`
 *                  counts the requests of the seller, over all refunds of the order. `renewals`: renewals were requested too.
 *                  `uncounted_cents` is what `order.refunded` adds to the money that went back: what no event of a payment said.
 * payment_refunds  what went back of payments for an order and for renewals of its subscription, one row for each refund that
 *                  billing reported; `failed` when it failed afterwards, also when that is known first: then nothing else is
 *                  known. `period` is that of a renewal.
 */
export const refunds = `
  create table refunds (
    id text primary key,
    account_id text not null,
    order_id text not null references orders (id),
    refund_no integer not null,
    status text not null check (status in ('requested', 'done', 'failed')),
    refunded_cents bigint,
    detail text,
    request_id text not null,
    checked_at timestamptz not null,
    created_at timestamptz not null,
    finished_at timestamptz,
    failed_at timestamptz,
    attempt integer not null default 1,
    renewals boolean not null default false,
    uncounted_cents bigint,
    unique (order_id, refund_no)
  );
  create unique index refunds_one_open on refunds (order_id) where status = 'requested';
  create index refunds_requested on refunds (checked_at) where status = 'requested';

  create table payment_refunds (
    account_id text not null,
    order_id text not null references orders (id),
    refund_id text not null,
    payment_id text,
    amount_cents bigint not null,
    charged_cents bigint,
    subscription_id text,
    period integer,
    failed boolean not null default false,
    refunded_at timestamptz not null,
    primary key (account_id, order_id, refund_id)
  )`;
