import { Migration } from '@app/service-kit/migrations';

/**
 * commissions     `turn` counts what the refunds of an order brought about: the sale is 0, a clawback after it was paid 1, a
 *                 sale that came back after its clawback was paid 2, and so on; renewals have a period instead. A commission
 *                 is `pending` until a payout pays it or a refund voids it, and counts as due from `due_at` on: no row
 *                 changes by the passing of time. The terms are those of the affiliate at the sale; renewals earn by them.
 * payouts         what the seller recorded as paid.
 * ledger_entries  the truth about what affiliates are owed. An entry moves an amount from one ledger account of an affiliate
 *                 and currency to another, so that no entry can be out of balance; entries are never changed. Numbers follow
 *                 the order of writing: what takes back stands behind what it takes, whatever the clocks say. The ledger
 *                 accounts: `expense` is the seller's, `owed` what the affiliate has earned and not got, `paid_out` what the
 *                 affiliate got.
 * ledger_postings the two sides of each entry; over all ledger accounts they add up to 0.
 * waiting_renewals  renewals of orders whose sale is not known here: the two events come from two streams. Most are of orders
 *                 without an affiliate; they are deleted when their sale cannot come any more.
 *
 * Terms of earlier sales are the affiliate's of today, and their hold is the default of 30 days: nothing else is known here.
 */
export class Ledger extends Migration {
  override async up(): Promise<void> {
    for (const part of [payouts, commissions, ledger, waitingRenewals, earlierCommissions]) this.addSql(part);
  }
}

const payouts = `
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

const commissions = `
  alter table commissions
    add column kind text not null default 'sale' check (kind in ('sale', 'renewal', 'clawback')),
    add column turn integer default 0,
    add column subscription_id text,
    add column period integer,
    add column due_at timestamptz(3),
    add column payout_id text,
    add column commission_basis_points integer,
    add column commission_cents bigint,
    add column renewal_months integer,
    drop constraint commissions_order_unique,
    drop constraint commissions_amount_cents_check,
    drop constraint commissions_status_check;
  update commissions as c set
    due_at = c.created_at + interval '30 days',
    status = case when c.status = 'due' then 'pending' else c.status end,
    commission_basis_points = a.commission_basis_points,
    commission_cents = a.commission_cents,
    renewal_months = a.renewal_months
  from affiliates as a where a.account_id = c.account_id and a.id = c.affiliate_id;
  alter table commissions
    alter column kind drop default,
    alter column turn drop default,
    alter column due_at set not null,
    add constraint commissions_turn_unique unique (account_id, order_id, turn),
    add constraint commissions_period_unique unique (account_id, subscription_id, period),
    add constraint commissions_place check (
      (kind = 'renewal') = (turn is null) and (kind = 'renewal') = (period is not null)
      and (period is null) = (subscription_id is null)),
    add constraint commissions_amount check (case when kind = 'clawback' then amount_cents <= 0 else amount_cents >= 0 end),
    add constraint commissions_status check (status in ('pending', 'paid', 'voided')),
    add constraint commissions_paid check (payout_id is null or status = 'paid'),
    add constraint commissions_terms check (
      turn is distinct from 0
      or renewal_months is not null and num_nonnulls(commission_basis_points, commission_cents) = 1),
    add constraint commissions_payout foreign key (account_id, payout_id) references payouts (account_id, id)
      deferrable initially deferred;
  create index commissions_unpaid on commissions (account_id, affiliate_id, currency, id) where status = 'pending'`;

const ledger = `
  create table ledger_entries (
    account_id text not null,
    affiliate_id text not null,
    entry_no bigint not null generated always as identity,
    id text not null,
    kind text not null,
    debit text not null,
    credit text not null,
    amount_cents bigint not null check (amount_cents > 0),
    currency text not null,
    order_id text,
    commission_id text,
    payout_id text,
    created_at timestamptz(3) not null,
    primary key (account_id, affiliate_id, entry_no),
    unique (account_id, id),
    foreign key (account_id, affiliate_id) references affiliates (account_id, id),
    constraint ledger_entries_kind check (
      kind = 'commission' and debit = 'expense' and credit = 'owed'
      or kind in ('void', 'clawback') and debit = 'owed' and credit = 'expense'
      or kind = 'payout' and debit = 'owed' and credit = 'paid_out')
  );
  create unique index ledger_entries_payout on ledger_entries (account_id, payout_id) where kind = 'payout';

  create view ledger_postings as
    select account_id, affiliate_id, currency, debit as ledger_account, -amount_cents as amount_cents from ledger_entries
    union all
    select account_id, affiliate_id, currency, credit, amount_cents from ledger_entries;

  create function refuse_ledger_change() returns trigger language plpgsql as $$
    begin
      raise exception 'entries of the ledger are never changed';
    end
  $$;
  create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
    for each statement execute function refuse_ledger_change()`;

const waitingRenewals = `
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

/** An entry's id is its commission's with another prefix. Those that stand voided have moved nothing. */
const earlierCommissions = `
  insert into ledger_entries
    (account_id, affiliate_id, id, kind, debit, credit, amount_cents, currency, order_id, commission_id, created_at)
  select account_id, affiliate_id, 'led_' || substr(id, 5), 'commission', 'expense', 'owed', amount_cents, currency, order_id,
    id, created_at
  from commissions where status in ('pending', 'paid') and amount_cents > 0 order by created_at, id`;
