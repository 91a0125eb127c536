import type { SentOutcome } from '../processors/port.ts';
import { UnreadableKeyError, UnusableProcessorError } from '../processors/processor-registry.ts';
import { sendRequest } from '../processors/send-request.ts';
import type { Answered } from './decide-answer.rules.ts';
import { isAskingRenewal, isOfBuyer, isRefusedAmount, isTooLateToSend, sendUntilMs } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { notifyKeyUnreadable, notifyNoProcessor, notifyUndone } from './payment-notices.ts';
import { type RecordContext, recordAnswer } from './record-answer.ts';

/**
 * Sends a payment whose row is committed, and records the answer: call, decide, write. No transaction is open meanwhile and no
 * connection is held. Without a readable answer by the deadline the payment is unknown; an answer that comes later is
 * recorded if it is unknown still.
 * @param untilMs from then on it does not leave, as the processor may have forgotten its key: epoch milliseconds
 * @returns the payment as it stands then
 */
export async function sendPayment(
  deps: PaymentDeps,
  payment: Payment,
  context: RecordContext,
  untilMs = sendUntilMs(payment),
): Promise<Payment> {
  return await deps.processorCalls.during(payment.id, async () => {
    return await recordAnswer(deps, payment, await callProcessor(deps, payment, context, untilMs), context);
  });
}

/** The call of `sendPayment`: the processor's answer, or that it is not known. */
export async function callProcessor(
  deps: PaymentDeps,
  payment: Payment,
  context: RecordContext,
  untilMs = sendUntilMs(payment),
): Promise<Answered> {
  const { clock, logger, processors, processorCalls } = deps;
  const mayLeave = (): boolean => clock.nowMs() < untilMs;
  // A buyer's payment is taken for lost after some deadlines, so what it waits for is part of its own.
  const isBackground = payment.step === 'renewal' && !isAskingRenewal(payment);
  const late = async (outcome: SentOutcome): Promise<void> => {
    // The payment may have been sent again since the deadline, and that sending may have arrived.
    if (outcome.status === 'not_done') return;
    try {
      await recordAnswer(deps, payment, outcome, context);
    } catch (err) {
      logger.warn(
        { err, ...logFieldsOf(payment) },
        'a late answer could not be recorded; the payment will be looked up at the processor',
      );
    }
  };
  try {
    // This process may have paused between the row and here, while another one declined the payment or sent it again.
    const tooLate = isTooLateToSend(payment, processorCalls.deadlineMs, clock.nowMs());
    if (isOfBuyer(payment) && tooLate) return { status: 'unknown' };
    // Another process may have ended it, and what it was for may have been charged anew.
    if (!mayLeave()) return { status: 'unknown' };
    const answered = await processorCalls.make(
      (signal, untimed) =>
        sendRequest(processors, payment, { signal, mayLeave, ...(isBackground && { isBackground, untimed }) }),
      { late },
    );
    const outcome = asRefused(payment, answered);
    if (outcome.status === 'not_done') {
      logger.warn({ why: outcome.why, ...logFieldsOf(payment) }, 'the processor did not execute a payment');
      await notifyUndone(deps, payment, outcome);
    }
    return outcome;
  } catch (err) {
    if (isOfBuyer(payment) && err instanceof UnusableProcessorError) return await notSent(deps, payment, err);
    logger.warn(
      { err, ...logFieldsOf(payment) },
      'the outcome of a payment is unknown; it will be looked up at the processor',
    );
    return { status: 'unknown' };
  }
}

const asRefused = (payment: Payment, outcome: SentOutcome): SentOutcome =>
  outcome.status === 'declined' && isRefusedAmount(payment, outcome)
    ? { status: 'not_done', why: 'request_refused', message: outcome.message }
    : outcome;

/** Nothing was sent, so a buyer's payment ends here if it is the first sending of its key: the seller has to do something, and the buyer may try again later. */
async function notSent(deps: PaymentDeps, payment: Payment, err: UnusableProcessorError): Promise<Answered> {
  if (err instanceof UnreadableKeyError) {
    await notifyKeyUnreadable(deps, payment, err);
    return { status: 'not_sent', why: 'key_unreadable' };
  }
  await notifyNoProcessor(deps, payment);
  return { status: 'not_sent', why: 'no_processor' };
}

/** For log lines: no card, no buyer. */
export const logFieldsOf = ({ id, accountId, orderId, step }: Payment) => ({
  accountId,
  orderId,
  paymentId: id,
  step,
});
