import { type Database, statement } from '@app/service-kit/database';
import { byNoIndex, withOne } from '@app/service-kit/planner';
import { recordOf } from '@app/service-kit/row-arrays';
import { type FeeRow, recordFees } from '../../fees/record-fees.ts';
import type { ProcessorRecord } from '../../processors/port.ts';
import type { Reading } from './reading.ts';

const listedTypes = { reference: 'text', payment_id: 'text', order_id: 'text' } as const;

const isIt = `processor = $2 and test = $3 and status = 'succeeded' and processor_reference = f.reference`;
const paymentsStatement = statement<{ readonly reference: string; readonly id: string }>(
  'books-payments-with-fees',
  `select f.reference, coalesce(by_id.id, by_order.id) as id
   from json_to_recordset($4::json) as f(${recordOf(listedTypes)})
   ${withOne(`select id from payments where id = f.payment_id and ${byNoIndex('account_id = $1')} and ${isIt}`, 'by_id')}
   ${withOne(`select id from payments where by_id.id is null and account_id = $1 and order_id = f.order_id and ${isIt}`, 'by_order')}
   where coalesce(by_id.id, by_order.id) is not null`,
  { reference: 'text', id: 'text' },
);

/** Records what the processor kept of the charges of a page that stand on both sides. @returns these fees */
export async function recordListedFees(
  { pool }: Database,
  { accountId, processor, test }: Reading,
  page: readonly ProcessorRecord[],
): Promise<readonly FeeRow[]> {
  const withFees = page.filter(({ fees = [], status }) => status === 'succeeded' && fees.length > 0);
  if (withFees.length === 0) return [];
  const listed = withFees.map(({ reference, paymentId: payment_id, orderId }) => {
    return { reference, payment_id, order_id: orderId };
  });
  const values = [accountId, processor, test, JSON.stringify(listed)];
  const { rows: payments } = await pool.query(paymentsStatement(values));
  const paymentOf = new Map(payments.map(({ reference, id }) => [reference, id]));
  const rows = withFees.flatMap(({ reference, recordedAt, fees = [] }) => {
    const charge_id = paymentOf.get(reference);
    if (charge_id === undefined) return [];
    const of = { account_id: accountId, charge_id, kind: 'charge', reference, incurred_at: recordedAt } as const;
    return fees.map(({ amountCents, currency }) => ({ ...of, amount_cents: amountCents, currency }));
  });
  await recordFees(pool, rows);
  return rows;
}
