import { type Client, type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';

/** What a processor kept of a charge, or took for a dispute of it. Fields are named as the columns. */
export interface FeeRow {
  readonly account_id: string;
  /** The payment that took the money. */
  readonly charge_id: string;
  readonly kind: 'charge' | 'dispute';
  readonly reference: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly incurred_at: Date;
}

const feeTypes: ColumnsOf<FeeRow> = {
  account_id: 'text',
  charge_id: 'text',
  kind: 'text',
  reference: 'text',
  amount_cents: 'int8',
  currency: 'text',
  incurred_at: 'timestamptz',
};

/** Lists overlap, and a fee of a dispute changes: the last one that was read holds. In one order, so that no two writers wait in a circle. */
const recordStatement = statement(
  'fees-record',
  `insert into fees as f (${namesOf(feeTypes)})
   select ${namesOf(feeTypes)} from json_to_recordset($1::json) as n(${recordOf(feeTypes)})
   order by account_id, charge_id, kind, reference, currency
   on conflict (account_id, charge_id, kind, reference, currency) do update
   set amount_cents = excluded.amount_cents where f.amount_cents <> excluded.amount_cents`,
);

/** @param rows no two of them with one key */
export async function recordFees(
  db: Pick<Database['pool'], 'query'> | Pick<Client, 'query'>,
  rows: readonly FeeRow[],
): Promise<void> {
  if (rows.length > 0) await db.query(recordStatement([JSON.stringify(rows)]));
}
