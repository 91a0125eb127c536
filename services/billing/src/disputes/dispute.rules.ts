import type { DisputeOutcome, DisputeStatus } from '@app/contracts/disputes';
import type { Charge, Dispute } from '../charging/payment.types.ts';
import type { ProcessorDispute } from '../processors/port.ts';
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
  /** What its end took, in the charge's minor units; 0 unless it is lost now. */
  readonly takenCents: number;
  /** What of that is given back of the charge: no more than it has left. */
  readonly lostCents: number;
  /** What the seller has again, because the bank reversed a dispute that was lost; 0 of any other. */
  readonly takenBackCents: number;
}

const nothing: DisputeDecision = {
  changed: false,
  opened: false,
  closed: null,
  escalated: false,
  takenCents: 0,
  lostCents: 0,
  takenBackCents: 0,
};

/**
 * What follows from a dispute as its processor shows it. It may be read by several at once and again: the first one that
 * records a change publishes it. What was recorded as ended stays so, because an older reading may arrive late; but of one that is
 * lost `won` is no older reading: the bank has reversed it.
 * @param stored undefined: it is new
 */
export function decideDispute(stored: Dispute | undefined, read: ProcessorDispute, charge: Charge): DisputeDecision {
  if (stored !== undefined && isReversal(stored, read)) {
    const takenBackCents = Math.min(stored.given_back_cents ?? stored.lost_cents, charge.lostCents);
    return { ...nothing, changed: true, closed: 'won', takenBackCents };
  }
  if (stored !== undefined && (stored.closed_at !== null || isOlder(stored, read))) return nothing;
  const takenCents = takenBy(read, charge);
  const closed = outcomeOfDispute(read.status, takenCents);
  const opened = stored === undefined;
  return {
    changed: opened || !isSame(stored, read),
    opened,
    closed,
    escalated: !opened && closed === null && isWarning(stored.status) && !isWarning(read.status),
    takenCents,
    lostCents: Math.min(takenCents, restOf(charge)),
    takenBackCents: 0,
  };
}

const isReversal = ({ closed_at, status, lost_cents }: Dispute, read: ProcessorDispute): boolean =>
  closed_at !== null && read.status === 'won' && outcomeOfDispute(status, lost_cents) === 'lost';

/**
 * What another lost dispute of the charge gives back in place of one that was reversed: no more than it took and the charge has left.
 * @param charge as it is without the reversed one
 * @param otherCents what other lost disputes of the charge took
 */
export const lostByOther = (charge: Charge, otherCents: number): number =>
  Math.max(0, Math.min(otherCents - charge.lostCents, restOf(charge)));

/** An inquiry becomes a dispute, and no dispute an inquiry. */
const isOlder = (stored: Dispute, read: ProcessorDispute): boolean =>
  !isWarning(stored.status) && isWarning(read.status);

const isWarning = (status: DisputeStatus): boolean => status.startsWith('warning');

/** Null while it is open. However it ended, the seller has lost it where money stays taken. */
export function outcomeOfDispute(status: DisputeStatus, takenCents: number): DisputeOutcome | null {
  switch (status) {
    case 'won':
    case 'lost':
      return status;
    case 'prevented':
    case 'warning_closed':
      return takenCents > 0 ? 'lost' : status;
    default:
      return null;
  }
}

/**
 * What the end of a dispute takes from the seller, in the charge's minor units and no more than the charge. A lost one takes its
 * own amount, and the money of a won one may come back a moment later; others are judged by what was taken. Where the bank
 * disputes another currency, it is the same share of the charge.
 */
function takenBy({ status, amountCents, takenCents, currency }: ProcessorDispute, charge: Charge): number {
  const taken = status === 'lost' ? amountCents : takenCents;
  const isEnd = status !== 'won' && outcomeOfDispute(status, taken) !== null;
  if (!isEnd) return 0;
  const ofCharge =
    currency === charge.currency ? taken : Math.round((charge.amountCents * taken) / Math.max(1, amountCents));
  return Math.min(ofCharge, charge.amountCents);
}

const isSame = (stored: Dispute, read: ProcessorDispute): boolean =>
  stored.status === read.status &&
  stored.amount_cents === read.amountCents &&
  stored.currency === read.currency &&
  stored.reason === read.reason &&
  stored.refundable === read.refundable &&
  stored.evidence_due_by?.getTime() === read.evidenceDueBy?.getTime();
