/** affiliates  A percentage is stored in hundredths of a percent, because integers are exact. */
export const affiliates = `
  create table affiliates (
    account_id text not null,
    id text not null,
    code text not null,
    code_key text not null generated always as (lower(code)) stored,
    name text not null,
    email text not null,
    commission_basis_points integer check (commission_basis_points between 0 and 10000),
    commission_cents bigint check (commission_cents >= 0),
    renewal_months integer not null check (renewal_months >= 0),
    created_at timestamptz(3) not null,
    primary key (account_id, id),
    constraint affiliates_code_unique unique (account_id, code_key),
    constraint affiliates_one_commission check (num_nonnulls(commission_basis_points, commission_cents) = 1)
  )`;

/** payouts  what the seller recorded as paid. */
export const payouts = `
  create table payouts (
    account_id text not null,
    id text not null,
    affiliate_id text not null,
    affiliate_code text not null,
    amount_cents bigint not null check (amount_cents > 0),
    currency text not null,
    commission_count integer not null check (commission_count > 0),
    created_at timestamptz(3) not null,
    primary key (account_id, id),
    foreign key (account_id, affiliate_id) references affiliates (account_id, id)
  );
  create index payouts_listed on payouts (account_id, affiliate_id, id desc)`;

/**
 * commissions  `correction_no` numbers the rows of an order: the sale is 0, a clawback after it was paid 1, a sale that came
 *              back after its clawback was paid 2, and so on; renewals have a period instead. A commission is
 *              `pending` until a payout pays it or a refund voids it, and counts as due from `due_at` on: no row changes by
 *              the passing of time. The terms are those of the affiliate at the sale; renewals earn by them. `part` of a
 *              clawback of a renewal's commission, or of what takes that back, is the renewal's (refunded_parts); '' for all
 *              others.
 */
export const commissions = `
  create table commissions (
    account_id text not null,
    id text not null,
    affiliate_id text not null,
    order_id text not null,
    amount_cents bigint not null,
    currency text not null,
    status text not null,
    created_at timestamptz(3) not null,
    kind text not null check (kind in ('sale', 'renewal', 'clawback')),
    correction_no integer,
    subscription_id text,
    period integer,
    due_at timestamptz(3) not null,
    payout_id text,
    commission_basis_points integer,
    commission_cents bigint,
    renewal_months integer,
    part text not null default '',
    primary key (account_id, id),
    constraint commissions_correction_unique unique (account_id, order_id, correction_no),
    constraint commissions_period_unique unique (account_id, subscription_id, period),
    constraint commissions_numbers check (
      (kind = 'renewal') = (correction_no is null) and (kind = 'renewal') = (period is not null)
      and (period is null) = (subscription_id is null)
    ),
    constraint commissions_amount check (case when kind = 'clawback' then amount_cents <= 0 else amount_cents >= 0 end),
    constraint commissions_status check (status in ('pending', 'paid', 'voided')),
    constraint commissions_paid check (payout_id is null or status = 'paid'),
    constraint commissions_terms check (
      correction_no is distinct from 0
      or renewal_months is not null and num_nonnulls(commission_basis_points, commission_cents) = 1
    ),
    constraint commissions_affiliate foreign key (account_id, affiliate_id) references affiliates (account_id, id),
    constraint commissions_payout foreign key (account_id, payout_id)
      references payouts (account_id, id) deferrable initially deferred
  );
  create index commissions_listed on commissions (account_id, affiliate_id, id desc);
  -- It has what pending sums need, so that they read the index alone.
  create index commissions_unpaid on commissions (account_id, affiliate_id, currency, id)
    include (due_at, amount_cents)
    where status = 'pending'`;

/**
 * order_refunds   one row for each order that was refunded or has a commission. An order counts as refunded while
 *                 `refunded_no` (the number of its last refund) is greater than `reopened_no` (the last of its refunds that
 *                 failed afterwards): both only grow, so the events may come doubled and in any order. A transaction that
 *                 records a commission or a refund of an order locks its row first: of two at the same time the second sees
 *                 what the first one did.
 * refunded_parts  what has gone back of an order's own payments (`part` is ''), or of a renewal (its subscription and
 *                 period), of how much. The highest `change_no` is the newest state.
 */
export const refunds = `
  create table order_refunds (
    account_id text not null,
    order_id text not null,
    refunded_no integer not null default 0,
    reopened_no integer not null default 0,
    primary key (account_id, order_id)
  );

  create table refunded_parts (
    account_id text not null,
    order_id text not null,
    part text not null,
    change_no integer not null,
    refunded_cents bigint not null,
    of_cents bigint not null,
    primary key (account_id, order_id, part)
  )`;

/**
 * waiting_renewals  renewals of orders whose sale is not known here: the two events come from two streams. Most are of orders
 *                   without an affiliate; they are deleted when their sale cannot come any more.
 */
export const waitingRenewals = `
  create table waiting_renewals (
    account_id text not null,
    subscription_id text not null,
    period integer not null,
    order_id text not null,
    amount_cents bigint not null,
    currency text not null,
    period_start timestamptz(3) not null,
    charged_at timestamptz(3) not null,
    received_at timestamptz not null default now(),
    primary key (account_id, subscription_id, period)
  );
  create index waiting_renewals_order on waiting_renewals (account_id, order_id);
  create index waiting_renewals_received on waiting_renewals (received_at)`;
