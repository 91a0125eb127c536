import { Migration } from '@app/service-kit/migrations';

/**
 * ledger_balances  what `owed` and `paid_out` add up to, so that a statement reads a page and not the whole ledger. The
 *                  trigger keeps it in the transaction of the entries; rows are locked in one order, until the commit.
 * commissions_unpaid  has what pending sums need, so that they read the index alone.
 */
export class LedgerBalances extends Migration {
  override async up(): Promise<void> {
    this.addSql(balances);
    this.addSql(`
      drop index commissions_unpaid;
      create index commissions_unpaid on commissions (account_id, affiliate_id, currency, id) include (due_at, amount_cents)
        where status = 'pending'`);
  }
}

const sumsOf = (entries: string) => `
  select account_id, affiliate_id, currency,
    sum(case when credit = 'owed' then amount_cents when debit = 'owed' then -amount_cents else 0 end) as owed_cents,
    sum(case when credit = 'paid_out' then amount_cents else 0 end) as paid_out_cents
  from ${entries} group by account_id, affiliate_id, currency order by account_id, affiliate_id, currency`;

const balances = `
  create table ledger_balances (
    account_id text not null,
    affiliate_id text not null,
    currency text not null,
    owed_cents bigint not null,
    paid_out_cents bigint not null,
    primary key (account_id, affiliate_id, currency)
  ) with (fillfactor = 70);
  insert into ledger_balances (account_id, affiliate_id, currency, owed_cents, paid_out_cents) ${sumsOf('ledger_entries')};

  create function add_to_ledger_balances() returns trigger language plpgsql as $$
    begin
      insert into ledger_balances as b (account_id, affiliate_id, currency, owed_cents, paid_out_cents) ${sumsOf('added')}
      on conflict (account_id, affiliate_id, currency) do update set
        owed_cents = b.owed_cents + excluded.owed_cents, paid_out_cents = b.paid_out_cents + excluded.paid_out_cents;
      return null;
    end
  $$;
  create trigger ledger_balances_kept after insert on ledger_entries
    referencing new table as added for each statement execute function add_to_ledger_balances()`;
