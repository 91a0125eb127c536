import type { DisputeOutcome, DisputeStatus } from '@app/contracts/disputes';
import type { Charge, Dispute } from '../payments/payment.types.ts';
import type { ProcessorDispute } from '../processors/payment-processor.ts';
import { restOf } from '../refunds/refund.rules.ts';

/** What a dispute that was read changes, and what is published of it. */
export interface DisputeDecision {
  /** Whether the row is written: it is new, or the processor shows it otherwise. */
  readonly changed: boolean;
  /** It was not known before. */
  readonly opened: boolean;
  /** It ended, and that was not known before. */
  readonly closed: DisputeOutcome | null;
  /** An inquiry became a dispute that took the money. */
  readonly escalated: boolean;
  /** What is given back of the charge, in minor units; 0 unless it is lost now. */
  readonly lostCents: number;
}

const nothing: DisputeDecision = { changed: false, opened: false, closed: null, escalated: false, lostCents: 0 };

/**
 * What follows from a dispute as its processor shows it. It may be read by several at once and again: the first one that
 * records a change publishes it. What was recorded as ended stays so, because an older reading may arrive late.
 * @param stored undefined: it is new
 */
export function decideDispute(stored: Dispute | undefined, read: ProcessorDispute, charge: Charge): DisputeDecision {
  if (stored !== undefined && (stored.closed_at !== null || isOlder(stored, read))) return nothing;
  const closed = outcomeOf(read.status);
  const opened = stored === undefined;
  return {
    changed: opened || !isSame(stored, read),
    opened,
    closed,
    escalated: !opened && closed === null && isWarning(stored.status) && !isWarning(read.status),
    lostCents: closed === 'lost' ? lostCents(read, charge) : 0,
  };
}

/** An inquiry becomes a dispute, and no dispute an inquiry. */
const isOlder = (stored: Dispute, read: ProcessorDispute): boolean =>
  !isWarning(stored.status) && isWarning(read.status);

const isWarning = (status: DisputeStatus): boolean => status.startsWith('warning');

/** Null while it is open. */
export function outcomeOf(status: DisputeStatus): DisputeOutcome | null {
  switch (status) {
    case 'won':
    case 'lost':
    case 'prevented':
    case 'warning_closed':
      return status;
    default:
      return null;
  }
}

/**
 * What a lost dispute gave the buyer: its own amount, and no more than the charge had left. Where the bank disputes another
 * currency, that is the whole rest.
 */
const lostCents = ({ amountCents, currency }: ProcessorDispute, charge: Charge): number =>
  currency === charge.currency ? Math.min(amountCents, restOf(charge)) : restOf(charge);

const isSame = (stored: Dispute, read: ProcessorDispute): boolean =>
  stored.status === read.status &&
  stored.amount_cents === read.amountCents &&
  stored.currency === read.currency &&
  stored.reason === read.reason &&
  stored.refundable === read.refundable &&
  stored.evidence_due_by?.getTime() === read.evidenceDueBy?.getTime();
