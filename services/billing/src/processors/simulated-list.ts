import type { Database } from '@app/service-kit/database';
import type { ProcessorCall, ProcessorRecord } from './processor.ts';
import { wordsOf } from './simulated-cards.rules.ts';
import { listStatement, type RecordRow } from './simulated-statements.ts';
import { untilAborted } from './until-aborted.ts';

const pageRows = 200;

/** Reads the journal in pages. `now` bounds what has become of entries: the future is not told. */
export async function* listRecords(
  database: Database,
  range: { from: Date; to: Date; now: Date },
  { accountId, test, signal }: ProcessorCall,
): AsyncGenerator<ProcessorRecord> {
  let last: RecordRow | undefined;
  do {
    const after = [last?.recorded_at ?? null, last?.seq ?? null, last?.later ?? null];
    const values = [accountId, test, range.from, range.to, range.now, ...after, pageRows];
    const { rows } = await untilAborted(signal, () => database.pool.query<RecordRow>(listStatement(values)));
    for (const row of rows) yield recordOf(row);
    last = rows.length < pageRows ? undefined : rows.at(-1);
  } while (last !== undefined);
}

const recordOf = (row: RecordRow): ProcessorRecord => ({
  reference: row.reference,
  paymentId: row.payment_id,
  kind: row.kind,
  status: row.status,
  amountCents: row.amount_cents,
  currency: row.currency,
  recordedAt: row.recorded_at,
  message: row.reason === null ? null : wordsOf(row.reason).message,
});
