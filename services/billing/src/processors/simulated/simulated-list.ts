import type { Database } from '@app/service-kit/database';
import type { ProcessorCall, ProcessorRecord } from '../port.ts';
import { untilAborted } from '../until-aborted.ts';
import { wordsOf } from './simulated-cards.rules.ts';
import { disputeOf } from './simulated-disputes.ts';
import { listStatement, type RecordRow } from './simulated-statements.ts';

const pageRows = 1_000;

type Position = Pick<RecordRow, 'recorded_at' | 'seq' | 'later'>;

/** Reads the journal in pages. `now` bounds what has become of entries: the future is not listed. */
export async function* listRecords(
  database: Database,
  range: { from: Date; to: Date; now: Date },
  { accountId, test, signal, onProgress }: ProcessorCall,
): AsyncGenerator<ProcessorRecord> {
  // Before every entry of the first moment, whose numbers are positive.
  let last: Position | undefined = {
    recorded_at: range.from,
    seq: 0,
    later: true,
  };
  do {
    const values: unknown[] = [accountId, test, range.to, range.now, last.recorded_at, last.seq, last.later, pageRows];
    const { rows } = await untilAborted(signal, () => database.pool.query(listStatement(values)));
    onProgress?.();
    for (const row of rows) {
      yield recordOf(row);
      if (row.disputed) yield disputeRecordOf(row, range.now);
    }
    last = rows.length < pageRows ? undefined : rows.at(-1);
  } while (last !== undefined);
}

function disputeRecordOf(row: RecordRow, now: Date): ProcessorRecord {
  const dispute = disputeOf(row, now);
  return { ...recordOf(row), reference: dispute.reference, about: dispute.about, kind: 'dispute', dispute };
}

const recordOf = (row: RecordRow): ProcessorRecord => ({
  reference: row.reference,
  paymentId: row.payment_id,
  orderId: row.order_id,
  // A charge of a saved card names the payment that saved it.
  about: row.kind === 'charge' ? null : row.about,
  kind: row.kind,
  status: row.status,
  amountCents: row.amount_cents,
  currency: row.currency,
  recordedAt: row.recorded_at,
  message: row.reason === null ? null : wordsOf(row.reason).message,
});
