import type { PaymentProcessor, ProcessorCall, ProcessorOutcome } from '../processors/payment-processor.ts';
import { UnreadableKeyError, UnusableProcessorError } from '../processors/processor-registry.ts';
import { notifyNoProcessor } from './notify-no-processor.ts';
import { isTooLateToSend } from './payment.rules.ts';
import type { Payment, PaymentRequest } from './payment.types.ts';
import {
  changeBy,
  keyUnreadableChange,
  noProcessorChange,
  notReceivedChange,
  type PaymentChange,
  unknownChange,
} from './payment-change.rules.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readPayment } from './payment-rows.ts';
import { type AnswerContext, recordPaymentChange } from './record-payment.ts';
import { tellKeyUnreadable } from './tell-key-unreadable.ts';

/**
 * Sends a payment whose row is committed, and records the answer. No transaction is open meanwhile and no connection is
 * held. Without a readable answer by the deadline the payment is unknown; an answer that comes later is recorded if it is
 * unknown still.
 * @returns the payment as it stands then
 */
export async function sendPayment(deps: PaymentDeps, payment: Payment, context: AnswerContext): Promise<Payment> {
  return await deps.processorCalls.during(payment.id, async () => {
    return await recordAnswer(deps, payment, await askProcessor(deps, payment, context), context);
  });
}

/** The first half of `sendPayment`: what the processor's answer changes, or that nobody knows it. */
export async function askProcessor(
  deps: PaymentDeps,
  payment: Payment,
  context: AnswerContext,
): Promise<PaymentChange> {
  const { clock, logger, processors, processorCalls } = deps;
  const late = async (outcome: ProcessorOutcome): Promise<void> => {
    try {
      await recordPaymentChange(deps, payment, changeBy(payment, outcome, clock.nowMs()), context);
    } catch (err) {
      logger.warn({ err, ...logFieldsOf(payment) }, 'a late answer could not be recorded; the processor will be asked');
    }
  };
  try {
    // This process may have stood still between the row and here, while another one declined the payment.
    const tooLate = isTooLateToSend(payment, processorCalls.deadlineMs, clock.nowMs());
    if (context.isFirst === true && tooLate) return notReceivedChange(clock.nowMs());
    const { processor, secretKey } = await processors.named(payment.processor, payment.account_id, payment.test);
    const outcome = await processorCalls.make(
      (signal) => call(processor, payment, { accountId: payment.account_id, secretKey, test: payment.test, signal }),
      { late },
    );
    return changeBy(payment, outcome, clock.nowMs());
  } catch (err) {
    if (context.isFirst === true && err instanceof UnusableProcessorError) {
      return await notSent(deps, payment, err);
    }
    logger.warn({ err, ...logFieldsOf(payment) }, 'the outcome of a payment is unknown; the processor will be asked');
    return unknownChange(payment, clock.nowMs());
  }
}

/** Nothing was sent, so a first payment ends here: the seller has to do something, and the buyer may try again later. */
async function notSent(deps: PaymentDeps, payment: Payment, err: UnusableProcessorError): Promise<PaymentChange> {
  if (err instanceof UnreadableKeyError) {
    await tellKeyUnreadable(deps, payment, err);
    return keyUnreadableChange(deps.clock.nowMs());
  }
  await notifyNoProcessor(deps, payment);
  return noProcessorChange(deps.clock.nowMs());
}

/** The second half of `sendPayment`. */
export async function recordAnswer(
  deps: PaymentDeps,
  payment: Payment,
  change: PaymentChange,
  context: AnswerContext,
): Promise<Payment> {
  const recorded = await recordPaymentChange(deps, payment, change, context);
  return recorded ? updated(payment, change) : await readPayment(deps.database, payment);
}

/** For log lines: no card, no buyer. */
export const logFieldsOf = ({ id, account_id, order_id, step }: Payment) => ({
  accountId: account_id,
  orderId: order_id,
  paymentId: id,
  step,
});

async function call(processor: PaymentProcessor, what: PaymentRequest, how: ProcessorCall): Promise<ProcessorOutcome> {
  switch (what.call) {
    case 'authorize':
    case 'charge':
      return await processor[what.call](what.request, how);
    case 'chargeSaved':
      return await processor.chargeSaved(what.request, how);
    default:
      return await processor[what.call](what.request, how);
  }
}

function updated(payment: Payment, { payment: update }: PaymentChange): Payment {
  const { from: _, processor_reference, last_four, ...rest } = update;
  return {
    ...payment,
    ...rest,
    processor_reference: processor_reference ?? payment.processor_reference,
    last_four: last_four ?? payment.last_four,
  };
}
