import type { DecidedEvent, Decision, PaymentUpdate } from './decide-answer.rules.ts';
import { keyUnreadable, noProcessor, notReceived, undoneReasons } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';

/** A payment as it is while its row is locked. */
export type LockedPayment = Pick<Payment, 'id' | 'status' | 'releasing' | 'sentAt'>;

/** What is written of one payment. */
export interface PaymentChange {
  readonly id: string;
  readonly update: PaymentUpdate;
}

/**
 * Whether a payment takes an answer. One whose end was recorded before does not: of two answers the first one counts. Nor does one that is
 * being released, until its release has an end: a hold whose success were recorded would be released afterwards.
 */
export const takesAnswer = (
  { status, releasing }: Pick<LockedPayment, 'status' | 'releasing'>,
  { from }: Pick<PaymentUpdate, 'from'>,
): boolean => !releasing && from.includes(status);

/** Declines that say what became of one sending. */
const ofSending = new Set<string | null>([notReceived, keyUnreadable, noProcessor, ...undoneReasons]);

/**
 * Which sending of a payment an answer is of, where it says nothing of a later one: that it is not known, that nothing was done, or that a
 * look-up found nothing. Its buyer may have had it sent again since.
 * @returns null for what the processor says of the payment
 */
export const sendingOf = (
  { sentAt }: Pick<Payment, 'sentAt'>,
  { status, declineReason }: Pick<PaymentUpdate, 'status' | 'declineReason'>,
): Date | null => (status === 'unknown' || (status === 'declined' && ofSending.has(declineReason)) ? sentAt : null);

/** An answer, as far as it says which payments change. */
interface DecidedAnswer {
  readonly payment: Pick<Payment, 'id' | 'releasedPaymentId' | 'sentAt'>;
  readonly decision: Pick<Decision, 'update' | 'released'>;
}

/**
 * The payments that an answer changes: its own, and with it the one that its release is about. Where its own stays as it is, none does, and
 * nothing of what follows from the answer is written. Nor does one that says what became of an earlier sending alone (`sendingOf`).
 * @param locked those of the answer, by their ids
 */
export function changesOf(
  { payment, decision: { update, released } }: DecidedAnswer,
  locked: ReadonlyMap<string, LockedPayment>,
): readonly PaymentChange[] {
  const { id, releasedPaymentId } = payment;
  const own = locked.get(id);
  if (own === undefined || !takesAnswer(own, update)) return [];
  const sending = sendingOf(payment, update);
  if (sending !== null && own.sentAt?.getTime() !== sending.getTime()) return [];
  const waiting = releasedPaymentId === null ? undefined : locked.get(releasedPaymentId);
  if (waiting === undefined || !released?.from.includes(waiting.status)) return [{ id, update }];
  return [
    { id, update },
    { id: waiting.id, update: released },
  ];
}

/** The events that are written: those of the payments that change. */
export const eventsOfChanged = <Event extends Pick<DecidedEvent, 'of'>>(
  events: readonly Event[],
  changes: readonly PaymentChange[],
): readonly Event[] => events.filter(({ of }) => changes.some(({ id }) => id === of));
