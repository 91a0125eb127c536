import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';

/** A commission to be written, as its row has it. */
export interface NewCommission {
  readonly account_id: string;
  readonly id: string;
  readonly affiliate_id: string;
  readonly order_id: string;
  readonly kind: 'sale' | 'renewal' | 'clawback';
  /** Of the order; null for a renewal, which has a period. */
  readonly correction_no: number | null;
  readonly subscription_id?: string;
  readonly period?: number;
  /** The renewal that a correction is about, by its subscription and period; left out for those of the order. */
  readonly part?: string;
  /** Negative for a clawback. */
  readonly amount_cents: number;
  readonly currency: string;
  readonly status: 'pending' | 'voided';
  readonly created_at: string;
  readonly due_at: string;
  /** The affiliate's terms, on the sale alone. */
  readonly commission_basis_points?: number | null;
  readonly commission_cents?: number | null;
  readonly renewal_months?: number;
}

/** A change of a commission that is not paid. */
export interface StatusChange {
  readonly account_id: string;
  readonly id: string;
  readonly status: 'pending' | 'voided';
}

const commissionTypes = {
  account_id: 'text',
  id: 'text',
  affiliate_id: 'text',
  order_id: 'text',
  kind: 'text',
  correction_no: 'int4',
  subscription_id: 'text',
  period: 'int4',
  part: 'text',
  amount_cents: 'int8',
  currency: 'text',
  status: 'text',
  created_at: 'timestamptz',
  due_at: 'timestamptz',
  commission_basis_points: 'int4',
  commission_cents: 'int8',
  renewal_months: 'int4',
};
const columns = namesOf(commissionTypes);
/** Of the entry in the ledger, where the row moves anything. */
const entryTypes = { entry_id: 'text', entered_at: 'timestamptz' };
const incomingTypes = { ...commissionTypes, ...entryTypes };
const changeTypes = { account_id: 'text', id: 'text', status: 'text', ...entryTypes };

/**
 * The entries of `moved`, whose `effect_cents` is what the affiliate is owed more, or less when it is negative. What takes
 * an unpaid commission back is a void; a clawback takes back what was paid.
 */
const insertEntries = `
  insert into ledger_entries
    (account_id, affiliate_id, id, kind, debit, credit, amount_cents, currency, order_id, commission_id, created_at)
  select account_id, affiliate_id, entry_id,
    case when effect_cents > 0 then 'commission' when kind = 'clawback' then 'clawback' else 'void' end,
    case when effect_cents > 0 then 'expense' else 'owed' end,
    case when effect_cents > 0 then 'owed' else 'expense' end,
    abs(effect_cents), currency, order_id, id, entered_at
  from moved where effect_cents <> 0 order by entry_id`;

/** A commission that is there already stays as it is, and moves nothing. */
const insertStatement = statement(
  'commissions-insert',
  `with incoming as materialized (
     select * from ${tableOf(incomingTypes, 1)}
   ), inserted as (
     insert into commissions (${columns}) select ${columns} from incoming order by account_id, id
     on conflict do nothing returning account_id, id
   ), moved as (
     select account_id, affiliate_id, id, order_id, kind, currency, entry_id, entered_at,
       case when status = 'pending' then amount_cents else 0 end as effect_cents
     from incoming join inserted using (account_id, id)
   ) ${insertEntries}`,
);

/** Only between `pending` and `voided`: what a payout paid stays paid. */
const changeStatement = statement(
  'commissions-change',
  `with incoming as materialized (
     select * from ${tableOf(changeTypes, 1)}
   ), moved as (
     update commissions as c set status = i.status from incoming as i
     where c.account_id = i.account_id and c.id = i.id and c.status <> 'paid' and c.status <> i.status
     returning c.account_id, c.affiliate_id, c.id, c.order_id, c.kind, c.currency, i.entry_id, i.entered_at,
       case when c.status = 'pending' then c.amount_cents else -c.amount_cents end as effect_cents
   ) ${insertEntries}`,
);

/** Columns that a commission may leave out. */
const saidByFew = {
  subscription_id: null,
  period: null,
  part: '',
  commission_basis_points: null,
  commission_cents: null,
  renewal_months: null,
};

/** Writes commissions that are not there yet, and what they move in the ledger: at the time of the commission, whenever its event came. */
export async function insertCommissions(client: Client, clock: Clock, rows: readonly NewCommission[]): Promise<void> {
  if (rows.length === 0) return;
  const whole = rows.map((row) => ({ ...saidByFew, ...row }));
  const entered = whole.map((row) => ({ ...row, entry_id: entryId(clock), entered_at: row.created_at }));
  await client.query(insertStatement(columnsOf(entered, incomingTypes)));
}

/** Voids and unvoids unpaid commissions, and moves them in the ledger. */
export async function changeCommissions(client: Client, clock: Clock, rows: readonly StatusChange[]): Promise<void> {
  const entered_at = clock.now().toISOString();
  const entered = rows.map((row) => ({ ...row, entry_id: entryId(clock), entered_at }));
  if (rows.length > 0) await client.query(changeStatement(columnsOf(entered, changeTypes)));
}

const entryId = (clock: Clock): string => newId('ledgerEntry', clock.nowMs());
