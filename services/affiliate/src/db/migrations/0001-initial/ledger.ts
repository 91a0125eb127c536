/**
 * ledger_entries   the truth about what affiliates are owed. An entry moves an amount from one ledger account of an affiliate
 *                  and currency to another, so that no entry can be out of balance; entries are never changed. Numbers follow
 *                  the order of writing: what takes back has a higher number than what it takes, whatever the clocks say. The
 *                  ledger accounts: `expense` is the seller's, `owed` what the affiliate has earned and not got, `paid_out`
 *                  what the affiliate got.
 * ledger_postings  the two sides of each entry; over all ledger accounts they add up to 0.
 */
export const ledger = `
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
    constraint ledger_entries_kind check (
      kind = 'commission' and debit = 'expense' and credit = 'owed'
      or kind in ('void', 'clawback') and debit = 'owed' and credit = 'expense'
      or kind = 'payout' and debit = 'owed' and credit = 'paid_out'
    ),
    foreign key (account_id, affiliate_id) references affiliates (account_id, id)
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

/**
 * ledger_balances  what `owed` and `paid_out` add up to, so that a statement reads a page and not the whole ledger. The
 *                  trigger keeps it in the transaction of the entries; rows are locked in one order, until the commit.
 */
export const ledgerBalances = `
  create table ledger_balances (
    account_id text not null,
    affiliate_id text not null,
    currency text not null,
    owed_cents bigint not null,
    paid_out_cents bigint not null,
    primary key (account_id, affiliate_id, currency)
  ) with (fillfactor = 70);

  create function add_to_ledger_balances() returns trigger language plpgsql as $$
    begin
      insert into ledger_balances as b (account_id, affiliate_id, currency, owed_cents, paid_out_cents)
      select account_id, affiliate_id, currency,
        sum(case when credit = 'owed' then amount_cents when debit = 'owed' then -amount_cents else 0 end) as owed_cents,
        sum(case when credit = 'paid_out' then amount_cents else 0 end) as paid_out_cents
      from added group by account_id, affiliate_id, currency order by account_id, affiliate_id, currency
      on conflict (account_id, affiliate_id, currency) do update set
        owed_cents = b.owed_cents + excluded.owed_cents, paid_out_cents = b.paid_out_cents + excluded.paid_out_cents;
      return null;
    end
  $$;
  create trigger ledger_balances_kept after insert on ledger_entries
    referencing new table as added for each statement execute function add_to_ledger_balances()`;
