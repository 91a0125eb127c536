/**
 * payments  one row for each attempt to move money; decision 0029 says how they go on. `request` is what the processor was sent, or
 *           is sent again. `hold_terms` is what a hold is made of once its payment succeeded. `next_check_at` is when the
 *           processor is asked for a payment that has not come to an end. What a payment is about: `charge_id` of a refund, the
 *           charge that it gives back; `released_payment_id` of a release, the payment that it ends; `period` of a renewal, the
 *           period that it pays, of the order that the subscription was born from. A `card` saves a new card of the order's
 *           subscription and moves no money: as often as one is given, beside any other payment of the order. `undone` is how
 *           often the processor did nothing with a renewal, which is sent again as the same payment, under its key.
 *           `sent_ahead_ms` is how far the system clock of the replica that wrote the payment was ahead of the database's:
 *           replicas whose clocks differ measure by it how long ago the payment was sent. `releasing` is set by the statement
 *           that writes a release of the payment, and cleared by the one that records its end. It is a column of the payment, so
 *           that a look-up that began before the release finds it when it records: PostgreSQL compares the newest version of a row
 *           that it waited for, and of other rows only what was committed when the statement began.
 *
 * In the key the number of the attempt stands before the ids: the last one of a period is found at its end. The payments of an order
 * are found by the key too: an index that began with the account and ended with the id was taken for look-ups of one payment.
 * A renewal changes a row of three tables. A vacuum of one reads all of its indexes, so it waits until a fifth of the rows has
 * changed, whatever the server says for small tables.
 */
export const payments = `
  create table payments (
    id text primary key,
    account_id text not null,
    order_id text not null,
    step text not null check (step in ('main', 'capture', 'upsell', 'recharge', 'refund', 'release', 'renewal', 'card')),
    attempt_no integer not null check (attempt_no >= 1),
    call text not null check (
      call in ('authorize', 'charge', 'chargeSaved', 'capture', 'refund', 'release', 'saveMethod')
    ),
    request json not null,
    hold_terms json,
    amount_cents bigint not null check (amount_cents >= 0),
    currency text not null,
    status text not null check (status in ('created', 'sent', 'succeeded', 'declined', 'requires_action', 'unknown')),
    decline_kind text check (decline_kind in ('soft', 'hard')),
    decline_reason text,
    decline_message text,
    processor text not null,
    processor_reference text,
    action_url text,
    last_four text,
    customer_email text not null,
    product_name text not null,
    test boolean not null,
    created_at timestamptz not null,
    sent_at timestamptz,
    finished_at timestamptz,
    next_check_at timestamptz,
    checks integer not null default 0,
    releasing boolean not null default false,
    sent_ahead_ms bigint not null default 0,
    charge_id text,
    released_payment_id text,
    period integer,
    undone integer not null default 0,
    constraint one_row_for_each_attempt
      unique nulls not distinct (account_id, order_id, step, period, attempt_no, charge_id, released_payment_id),
    constraint a_decline_has_a_reason check ((status = 'declined') = (decline_reason is not null)),
    constraint an_end_has_a_time check ((status in ('succeeded', 'declined')) = (finished_at is not null)),
    constraint what_has_no_end_is_checked check ((status in ('succeeded', 'declined')) = (next_check_at is null)),
    constraint a_refund_has_a_charge check ((step = 'refund') = (charge_id is not null)),
    constraint a_release_has_a_payment check ((step = 'release') = (released_payment_id is not null)),
    constraint a_renewal_has_a_period check ((step = 'renewal') = (period is not null)),
    constraint a_card_moves_no_money check (step <> 'card' or amount_cents = 0 and call = 'saveMethod')
  ) with (autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_threshold = 5000);
  -- A daily run changes enough rows to have its tables analyzed often, and most of that is to sort the values of each column:
  -- columns that no statement looks for have no statistics. Where one is looked for by an expression, that has its own.
  alter table payments
    alter call set statistics 0, alter request set statistics 0, alter hold_terms set statistics 0,
    alter amount_cents set statistics 0, alter currency set statistics 0, alter decline_reason set statistics 0,
    alter decline_message set statistics 0, alter action_url set statistics 0, alter last_four set statistics 0,
    alter customer_email set statistics 0, alter product_name set statistics 0, alter checks set statistics 0,
    alter charge_id set statistics 0, alter released_payment_id set statistics 0, alter undone set statistics 0;
  create index payments_unfinished_of_account on payments (account_id, next_check_at)
    where next_check_at is not null;
  create index payments_refunds on payments (account_id, finished_at) where step = 'refund' and status = 'succeeded';
  create index payments_listed on payments (account_id, id desc) where not test;
  create index payments_by_email on payments (account_id, lower(customer_email), id desc) where not test;
  -- Other payments are found along payments_listed, because most succeed, and those without an end by
  -- payments_unfinished_of_account: each payment is written twice, and each time to all indexes.
  create index payments_declined on payments (account_id, id desc) where status = 'declined' and not test;
  -- One success for each order and step, and none beside one that is on its way. A hold is captured or its amount is charged in
  -- its place, never both. A charge may be refunded in parts: no two refunds of an order are open at once (payments_one_open),
  -- and each is written under the next number of its charge's attempts, which is unique: what it was decided on has not changed.
  create unique index payments_one_of_step on payments (account_id, order_id,
      (case step when 'recharge' then 'capture' else step end), period, charge_id,
      released_payment_id) nulls not distinct
    where status <> 'declined' and (step <> 'refund' or status <> 'succeeded') and step <> 'card';
  -- A release stands beside the payment that it ends, a card beside any other payment.
  create unique index payments_one_open on payments (account_id, order_id)
    where status not in ('succeeded', 'declined') and step not in ('release', 'card')`;

/**
 * charges          money that was taken for an order; its id is that of the payment that took it. It has no reference to it: the
 *                  statement that writes one writes or locks the other, and nothing deletes either. `refund_attempt` is the last
 *                  request for a refund of the order that marked the charge, as checkout counts them, and `refund_from_attempt` the
 *                  first attempt at the processor that belongs to that request: of those before it a refusal says nothing.
 *                  `reopened_at` is when a refund of the charge failed last after it had been taken: its order has the time to
 *                  follow until it is compared.
 * refunded_orders  orders whose refund may be received before the order itself.
 */
export const charges = `
  create table charges (
    id text primary key,
    account_id text not null,
    order_id text not null,
    step text not null,
    amount_cents bigint not null check (amount_cents > 0),
    refunded_cents bigint not null default 0,
    lost_cents bigint not null default 0,
    currency text not null,
    processor text not null,
    reference text not null,
    test boolean not null,
    charged_at timestamptz not null,
    refund_due_at timestamptz,
    refund_attempt integer,
    refund_from_attempt integer,
    reopened_at timestamptz,
    constraint refunded_at_most_what_was_charged check (refunded_cents between 0 and amount_cents),
    constraint lost_at_most_what_was_charged check (lost_cents between 0 and amount_cents)
  );
  alter table charges
    alter amount_cents set statistics 0, alter refunded_cents set statistics 0, alter lost_cents set statistics 0, alter currency set statistics 0,
    alter refund_attempt set statistics 0, alter refund_from_attempt set statistics 0;
  create index charges_refunding on charges (refund_due_at) where refund_due_at is not null;
  create index charges_by_time on charges (account_id, charged_at, id) where not test;
  -- An order's own charges, while most charges are those of renewals.
  create index charges_of_rehearsals on charges (account_id, processor, charged_at) where test;
  create index charges_of_order on charges (account_id, order_id) where step <> 'renewal';
  create index charges_reopened on charges (account_id, reopened_at, id) where reopened_at is not null and not test;

  create table refunded_orders (
    account_id text not null,
    order_id text not null,
    refunded_at timestamptz not null,
    primary key (account_id, order_id)
  )`;

/**
 * holds  one for each order whose card was held. `decide_by` ends the buyer's time to decide; at `due_at` the payments loop goes on
 *        with it by itself.
 */
export const holds = `
  create table holds (
    order_id text not null,
    account_id text not null,
    payment_id text not null references payments (id),
    reference text not null,
    amount_cents bigint not null check (amount_cents > 0),
    captured_cents bigint not null default 0,
    currency text not null,
    capture_before timestamptz not null,
    decide_by timestamptz not null,
    upsell json not null,
    status text not null check (status in ('held', 'settling', 'settled', 'lost')),
    decision text check (decision in ('accepted', 'declined', 'not_decided')),
    upsell_declined boolean not null default false,
    failure text,
    processor text not null,
    test boolean not null,
    held_at timestamptz not null,
    decided_at timestamptz,
    settled_at timestamptz,
    due_at timestamptz not null,
    primary key (account_id, order_id),
    constraint captured_at_most_what_was_held check (captured_cents between 0 and amount_cents),
    constraint decided_when_it_left_held check ((status = 'held') = (decision is null)),
    constraint lost_means_nothing_captured check (status <> 'lost' or captured_cents = 0)
  );
  create index holds_due on holds (due_at) where status in ('held', 'settling');
  create index holds_of_account on holds (account_id, decide_by) where status in ('held', 'settling');
  -- Holds are compared with the processor's list as charges are: in the order of time.
  create index holds_by_time on holds (account_id, held_at, payment_id) where not test`;

/** payment_methods  the processor's token of the card an order was paid with: never returned, never logged. */
export const paymentMethods = `
  create table payment_methods (
    account_id text not null,
    order_id text not null,
    customer_email text not null,
    processor text not null,
    method text not null,
    last_four text,
    saved_at timestamptz not null,
    primary key (account_id, order_id)
  )`;
