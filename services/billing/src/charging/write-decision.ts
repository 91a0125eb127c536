import { outboxRow } from '@app/messaging/outbox';
import { successOf } from '../ledger/facts.rules.ts';
import { type Seen, writeFacts } from '../ledger/write-facts.ts';
import type { AnswerEvent, AnswerWriter, AnswerWriters } from './answer-store.ts';
import type { Decision } from './decide-answer.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { SucceededOutcome } from './payment-effects.rules.ts';
import type { PaymentEventSource } from './payment-notices.ts';

export interface WrittenFor {
  /** Where a request caused it; null where billing went on by itself. */
  readonly requestId: string | null;
  /** What told it: an answer, unless given. */
  readonly seenBy?: Extract<Seen['by'], 'answer' | 'look-up'>;
}

/**
 * Writes a decided answer with its events and what it tells of the processor, by the writer of its kind.
 * @returns the payment as it stands then; undefined where it had another state than the decision is from
 */
export async function writeDecision(
  deps: PaymentDeps,
  payment: Payment,
  decision: Decision,
  { requestId, seenBy = 'answer' }: WrittenFor,
): Promise<Payment | undefined> {
  const nowMs = deps.clock.nowMs();
  const events = eventRows(decision, { accountId: payment.accountId, requestId, nowMs });
  const seen = { by: seenBy, at: new Date(nowMs) };
  const written = await writerOf(payment, deps.answerWriters).add({ payment, decision, events, seen });
  // The events of a renewal are written in the transaction that records it.
  if (written && (events.length > 0 || payment.step === 'renewal')) deps.wakeRelay();
  return written ? updated(payment, decision) : undefined;
}

/** The rows of a decision's events. */
export const eventRows = ({ events }: Pick<Decision, 'events'>, source: PaymentEventSource): AnswerEvent[] =>
  events.map(({ of, if_whole, ...event }) => ({
    ...outboxRow(event.definition, event.data, source),
    of,
    ...(if_whole && { if_whole }),
  }));

function writerOf({ step }: Payment, writers: AnswerWriters): AnswerWriter {
  return step === 'renewal' || step === 'card' || step === 'refund' ? writers[step] : writers.order;
}

function updated(payment: Payment, { update }: Decision): Payment {
  return {
    ...payment,
    status: update.status,
    declineKind: update.declineKind,
    declineReason: update.declineReason,
    declineMessage: update.declineMessage,
    actionUrl: update.actionUrl,
    finishedAt: update.finishedAt,
    nextCheckAt: update.nextCheckAt,
    processorReference: update.processorReference ?? payment.processorReference,
    lastFour: update.lastFour ?? payment.lastFour,
    wallet: update.wallet ?? payment.wallet,
  };
}

/**
 * Keeps that a payment succeeded at the processor where its row cannot say so, or not yet: it has ended, it is being released, or another
 * payment for the same is open. What happened waits for none of them.
 */
export async function keepSuccess(
  { database, clock }: PaymentDeps,
  payment: Payment,
  { reference }: SucceededOutcome,
  { seenBy: by = 'answer' }: Pick<WrittenFor, 'seenBy'>,
): Promise<void> {
  const fact = successOf(payment, reference);
  const { accountId, processor, test } = payment;
  if (fact !== undefined) await writeFacts(database, { accountId, processor, test }, [fact], { by, at: clock.now() });
}
