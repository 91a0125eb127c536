import { Migration } from '@app/service-kit/migrations';

/**
 * payments         one row for each try to move money; decision 0029 says how they go on. `request` is what the processor was
 *                  sent, or is sent again. `subject` is the charge that a refund gives back, the payment that a release ends,
 *                  and '' for the order's own steps. `hold_terms` is what a hold is made of once its payment succeeded.
 *                  `next_check_at` is when the processor is asked for a payment that has not come to an end.
 * charges          money that was taken for an order; its id is that of the payment that took it.
 * holds            one for each order whose card was held. `decide_by` ends the buyer's time to decide; at `due_at` the
 *                  payments loop goes on with it by itself.
 * payment_methods  the processor's token of the card an order was paid with: never returned, never logged.
 * refunded_orders  orders whose refund may be heard of before the order itself.
 */
export class Payments extends Migration {
  override async up(): Promise<void> {
    this.addSql(payments);
    for (const index of paymentIndexes) this.addSql(index);
    this.addSql(charges);
    this.addSql('create index charges_of_order on charges (account_id, order_id)');
    this.addSql('create index charges_refunding on charges (refund_due_at) where refund_due_at is not null');
    this.addSql(holds);
    this.addSql(`create index holds_due on holds (due_at) where status in ('held', 'settling')`);
    this.addSql(`create index holds_of_account on holds (account_id, decide_by) where status in ('held', 'settling')`);
    this.addSql(`
      create table payment_methods (
        account_id text not null,
        order_id text not null,
        customer_email text not null,
        processor text not null,
        method text not null,
        last_four text,
        saved_at timestamptz not null,
        primary key (account_id, order_id)
      )`);
    this.addSql(`
      create table refunded_orders (
        account_id text not null,
        order_id text not null,
        refunded_at timestamptz not null,
        primary key (account_id, order_id)
      )`);
  }
}

const payments = `
  create table payments (
    id text primary key,
    account_id text not null,
    order_id text not null,
    step text not null check (step in ('main', 'capture', 'upsell', 'recharge', 'refund', 'release')),
    subject text not null,
    try_no integer not null check (try_no >= 1),
    call text not null check (call in ('authorize', 'charge', 'chargeSaved', 'capture', 'refund', 'release')),
    request json not null,
    hold_terms json,
    amount_cents bigint not null check (amount_cents >= 0),
    currency text not null,
    status text not null
      check (status in ('created', 'sent', 'succeeded', 'declined', 'requires_action', 'unknown')),
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
    noticed boolean not null default false,
    constraint one_row_for_each_try unique (account_id, order_id, step, subject, try_no),
    constraint a_decline_has_a_reason check ((status = 'declined') = (decline_reason is not null)),
    constraint an_end_has_a_time check ((status in ('succeeded', 'declined')) = (finished_at is not null)),
    constraint what_has_no_end_is_checked check ((status in ('succeeded', 'declined')) = (next_check_at is null))
  )`;

const paymentIndexes = [
  // One success for each order and step, and none beside one that is on its way. A hold is captured or its amount is charged
  // in its place, never both; each charge is refunded once.
  `create unique index payments_one_of_step
   on payments (account_id, order_id, (case step when 'recharge' then 'capture' else step end), subject)
   where status <> 'declined'`,
  // A release stands beside the payment that it ends.
  `create unique index payments_one_open on payments (account_id, order_id)
   where status not in ('succeeded', 'declined') and step <> 'release'`,
  `create index payments_unfinished on payments (next_check_at) where next_check_at is not null`,
  `create index payments_unfinished_of_account on payments (account_id, next_check_at) where next_check_at is not null`,
  'create index payments_by_status on payments (account_id, status, id desc) where not test',
  `create index payments_refunds on payments (account_id, finished_at) where step = 'refund' and status = 'succeeded'`,
  'create index payments_listed on payments (account_id, id desc) where not test',
  'create index payments_by_order on payments (account_id, order_id, id desc)',
  'create index payments_by_email on payments (account_id, lower(customer_email), id desc) where not test',
];

const charges = `
  create table charges (
    id text primary key references payments (id),
    account_id text not null,
    order_id text not null,
    step text not null,
    amount_cents bigint not null check (amount_cents > 0),
    refunded_cents bigint not null default 0,
    currency text not null,
    processor text not null,
    reference text not null,
    test boolean not null,
    charged_at timestamptz not null,
    refund_due_at timestamptz,
    constraint refunded_at_most_what_was_charged check (refunded_cents between 0 and amount_cents)
  )`;

const holds = `
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
  )`;
