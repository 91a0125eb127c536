import { dayMs } from '@app/contracts/durations';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import type { Payment } from '../../charging/payment.types.ts';
import type { ProcessorRecord } from '../../processors/port.ts';
import { isRecordOf, type OwnPayment } from './books.rules.ts';

/** Whose payments at which processor; live money and rehearsals are worlds of their own. */
export interface Books {
  readonly accountId: string;
  readonly processor: string;
  readonly test: boolean;
}

/** A payment as far as the books are compared by it. */
export type ComparedPayment = Pick<
  Payment,
  | 'id'
  | 'account_id'
  | 'order_id'
  | 'call'
  | 'status'
  | 'amount_cents'
  | 'currency'
  | 'decline_reason'
  | 'processor_reference'
  | 'test'
  | 'finished_at'
>;
export const ownTypes: ColumnsOf<OwnPayment> = {
  id: 'text',
  order_id: 'text',
  call: 'text',
  status: 'text',
  amount_cents: 'int8',
  currency: 'text',
  decline_reason: 'text',
  processor_reference: 'text',
};
const comparedTypes: ColumnsOf<ComparedPayment> = {
  ...ownTypes,
  account_id: 'text',
  test: 'bool',
  finished_at: 'timestamptz',
};
const columns = namesOf(comparedTypes);

const byIdsStatement = statement<ComparedPayment>(
  'books-payments',
  `select ${columns} from payments
   where account_id = $1 and id = any ($2) and processor = $3 and test = $4`,
  comparedTypes,
);

/** Charges, holds and refunds of about the same time, by index: the processor's reference has none of its own. */
const byReferencesStatement = statement<ComparedPayment>(
  'books-by-reference',
  `select ${columns} from payments where account_id = $1 and processor = $2 and id = any (array(
     select id from charges
     where account_id = $1 and processor = $2 and not test and charged_at between $4 and $5 and reference = any ($3)
     union all
     select payment_id from holds
     where account_id = $1 and processor = $2 and not test and held_at between $4 and $5 and reference = any ($3)
     union all
     select id from payments
     where account_id = $1 and processor = $2 and not test and finished_at between $4 and $5
       and step = 'refund' and status = 'succeeded' and processor_reference = any ($3)))`,
  comparedTypes,
);
/** Clocks differ, and an answer that got lost is looked up within a day. */
const aroundMs = dayMs;

/**
 * Our payments of a page of the processor's list: by the processor's reference. Our id finds what has no reference yet, and
 * what we recorded with another one.
 */
export async function ownPaymentsOf(
  database: Database,
  books: Books,
  records: readonly ProcessorRecord[],
): Promise<(record: ProcessorRecord) => ComparedPayment | undefined> {
  const { accountId, processor, test } = books;
  const ids = [...new Set(records.flatMap(({ paymentId }) => paymentId ?? []))];
  const byId = new Map<string, ComparedPayment>();
  if (ids.length > 0) {
    const { rows } = await database.pool.query(byIdsStatement([accountId, ids, processor, test]));
    for (const row of rows) byId.set(row.id, row);
  }
  const unknown = test
    ? []
    : records.filter((record) => {
        const own = byId.get(record.paymentId ?? '');
        return record.status === 'succeeded' && (own === undefined || !isRecordOf(record, own));
      });
  const byReference = await paymentsByReference(database, books, unknown);
  const ofSeller = await refundsOfSeller(database, books, records);
  return ({ paymentId, reference }) =>
    byReference.get(reference) ?? byId.get(paymentId ?? '') ?? ofSeller.get(reference);
}

const byOrdersStatement = statement<ComparedPayment>(
  'books-refunds-by-order',
  `select ${columns} from payments
   where account_id = $1 and order_id = any ($2) and processor = $3 and test = $4 and step = 'refund'
     and processor_reference = any ($5)`,
  comparedTypes,
);

/** Of refunds that the seller made at the processor, however much later they were recorded, or failed: what was recorded of each. */
async function refundsOfSeller(
  database: Database,
  { accountId, processor, test }: Books,
  records: readonly ProcessorRecord[],
): Promise<Map<string, ComparedPayment>> {
  const made = records.filter(({ kind, paymentId }) => kind === 'refund' && paymentId === null);
  if (made.length === 0) return new Map();
  const orders = made.flatMap(({ orderId }) => orderId ?? []);
  const references = made.map(({ reference }) => reference);
  const { rows } = await database.pool.query(byOrdersStatement([accountId, orders, processor, test, references]));
  return new Map(rows.map((row) => [row.processor_reference ?? '', row]));
}

async function paymentsByReference(
  database: Database,
  { accountId, processor }: Books,
  records: readonly ProcessorRecord[],
): Promise<Map<string, ComparedPayment>> {
  if (records.length === 0) return new Map();
  const times = records.map(({ recordedAt }) => recordedAt.getTime());
  const [from, to] = [new Date(Math.min(...times) - aroundMs), new Date(Math.max(...times) + aroundMs)];
  const references = records.map(({ reference }) => reference);
  const values = [accountId, processor, references, from, to];
  const { rows } = await database.pool.query(byReferencesStatement(values));
  return new Map(rows.map((row) => [row.processor_reference ?? '', row]));
}
