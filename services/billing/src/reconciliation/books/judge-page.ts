import type { ProcessorRecord } from '../../processors/port.ts';
import type { FailedRefund } from '../../refunds/reopen-charges.ts';
import { heldNoMore, isRecordOf, type Orphan, type OwnHold, verdictOn } from './books.rules.ts';
import type { ComparedPayment } from './own-payments.ts';

interface Judged {
  readonly orphans: Orphan[];
  readonly failed: FailedRefund[];
  /** Ours that the list has. */
  readonly known: ComparedPayment[];
  /** Captures of a hold that is being settled: the next comparison reads them again. */
  readonly leftAlone: ProcessorRecord[];
}

/** A release, or a capture that was not made here. */
export const endsHold = ({ kind, status }: ProcessorRecord, own: ComparedPayment | undefined): boolean =>
  status === 'succeeded' && (kind === 'release' || (kind === 'capture' && own === undefined));

/**
 * What the records of a page say beside what the platform recorded.
 * @param holds ours that records which end holds are about, by their references
 */
export function judge(
  records: readonly ProcessorRecord[],
  ownOf: (record: ProcessorRecord) => ComparedPayment | undefined,
  holds: ReadonlyMap<string, OwnHold>,
): Judged {
  const judged: Judged = { orphans: [], failed: [], known: [], leftAlone: [] };
  for (const record of records) {
    const own = ownOf(record);
    const hold = endsHold(record, own) ? holds.get(record.about ?? '') : undefined;
    const orphan = hold && heldNoMore(record, hold);
    if (orphan !== undefined) judged.orphans.push(orphan);
    else if (hold === undefined) judgeMoney(judged, record, own);
    else if (record.kind === 'capture') judged.leftAlone.push(record);
  }
  return judged;
}

function judgeMoney(judged: Judged, record: ProcessorRecord, own: ComparedPayment | undefined): void {
  const verdict = verdictOn(record, own);
  if (verdict.kind === 'orphan') judged.orphans.push(verdict.orphan);
  // Both know it, however much they differ: what differs is reported once, and as the processor's.
  if (own?.status === 'succeeded' && record.status === 'succeeded' && isRecordOf(record, own)) judged.known.push(own);
  if (verdict.kind === 'refund_failed' && own !== undefined) judged.failed.push({ ...own, message: record.message });
}
