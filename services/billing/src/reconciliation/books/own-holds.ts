import { dayMs } from '@app/contracts/durations';
import { type Database, statement } from '@app/service-kit/database';
import type { ProcessorRecord } from '../../processors/port.ts';
import type { OwnHold } from './books.rules.ts';
import { type Books, ownTypes } from './own-payments.ts';

const byReferencesStatement = statement<OwnHold>(
  'books-holds-by-reference',
  `select payment_id as id, order_id, 'authorize' as call, 'succeeded' as status, amount_cents, currency,
     null as decline_reason, reference as processor_reference, status as hold_status
   from holds
   where account_id = $1 and processor = $2 and not test and held_at >= $4 and reference = any ($3)`,
  { ...ownTypes, hold_status: 'text' },
);

/** No card network lets a hold live longer. */
const longestHoldMs = 32 * dayMs;

/** Our holds that these records of the processor are about, by the processor's reference of the hold. */
export async function ownHoldsOf(
  { pool }: Database,
  { accountId, processor, test }: Books,
  records: readonly ProcessorRecord[],
): Promise<ReadonlyMap<string, OwnHold>> {
  const references = [...new Set(records.flatMap(({ about }) => about ?? []))];
  if (test || references.length === 0) return new Map();
  const heldFrom = new Date(Math.min(...records.map(({ recordedAt }) => recordedAt.getTime())) - longestHoldMs);
  const { rows } = await pool.query(byReferencesStatement([accountId, processor, references, heldFrom]));
  return new Map(rows.map((hold) => [hold.processor_reference ?? '', hold]));
}
