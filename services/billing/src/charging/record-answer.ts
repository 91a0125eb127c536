import { type AnswerContext, type Answered, decideAnswer } from './decide-answer.rules.ts';
import { isReopenable } from './late-success.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readPayment } from './payment-store.ts';
import { recordLateSuccess } from './record-late-success.ts';
import { keepSuccess, type WrittenFor, writeDecision } from './write-decision.ts';

/** What recording an answer needs beside the answer. */
export interface RecordContext extends AnswerContext, WrittenFor {}

/**
 * Records what became of a payment, with the events of it: `decideAnswer` says what changes, and the writer of its kind writes it
 * in one transaction: for orders `answer-store.ts`, for renewals `record-renewals.ts`, for refunds `record-refund.ts`, for saved
 * cards `record-card.ts`.
 * @param atMs when it became so; now unless given
 * @returns the payment as it stands then: of two answers the first one counts, but a success counts after a decline
 */
export async function recordAnswer(
  deps: PaymentDeps,
  payment: Payment,
  outcome: Answered,
  context: RecordContext,
  atMs = deps.clock.nowMs(),
): Promise<Payment> {
  const decision = decideAnswer(payment, outcome, atMs, context);
  const recorded = await writeDecision(deps, payment, decision, context);
  if (recorded !== undefined) return recorded;
  const now = await readPayment(deps.database, payment);
  if (outcome.status !== 'succeeded') return now;
  if (isReopenable(now)) return (await recordLateSuccess(deps, now, outcome, { ...context, atMs })).payment;
  await keepSuccess(deps, now, outcome, context);
  return now;
}
