import { outboxRow } from '@app/messaging/outbox';
import { type AnswerContext, type Answered, type Decision, decideAnswer } from './decide-answer.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readPayment } from './payment-rows.ts';
import type { AnswerWriter, AnswerWriters } from './write-answer.ts';

/** What recording an answer needs beside the answer. */
export interface RecordContext extends AnswerContext {
  /** Where a request caused it; null where billing went on by itself. */
  readonly requestId: string | null;
}

/**
 * Records what became of a payment, with the events of it.
 * @param atMs when it became so; now unless given
 * @returns the payment as it stands then: of two answers the first one counts
 */
export async function recordAnswer(
  deps: PaymentDeps,
  payment: Payment,
  outcome: Answered,
  context: RecordContext,
  atMs = deps.clock.nowMs(),
): Promise<Payment> {
  const decision = decideAnswer(payment, outcome, atMs, context);
  const writer = writerOf(payment, deps.answerWriters);
  const source = { accountId: payment.account_id, requestId: context.requestId, nowMs: deps.clock.nowMs() };
  const events = decision.events.map(({ of, if_whole, ...event }) => ({
    ...outboxRow(event.definition, event.data, source),
    of,
    ...(if_whole && { if_whole }),
  }));
  const recorded = await writer.add({ payment, decision, events });
  // The events of a renewal are written by the statement that records it.
  if (recorded && (events.length > 0 || payment.step === 'renewal')) deps.wakeRelay();
  return recorded ? updated(payment, decision) : await readPayment(deps.database, payment);
}

function writerOf({ step }: Payment, writers: AnswerWriters): AnswerWriter {
  return step === 'renewal' || step === 'card' || step === 'refund' ? writers[step] : writers.order;
}

function updated(payment: Payment, { update }: Decision): Payment {
  const { from: _, processor_reference, last_four, wallet, ...rest } = update;
  return {
    ...payment,
    ...rest,
    processor_reference: processor_reference ?? payment.processor_reference,
    last_four: last_four ?? payment.last_four,
    wallet: wallet ?? payment.wallet,
  };
}
