import type { PaymentProcessor, ProcessorCall, ProcessorOutcome } from '../processors/payment-processor.ts';
import { UnreadableKeyError } from '../processors/processor-registry.ts';
import type { Charge, Payment, PaymentRequest } from './payment.types.ts';
import { changeBy, keyUnreadableChange, type PaymentChange, unknownChange } from './payment-change.rules.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { stepEvents } from './payment-events.ts';
import { readPayment } from './payment-rows.ts';
import { recordChange } from './record-change.ts';
import { tellKeyUnreadable } from './tell-key-unreadable.ts';

/** What recording an answer needs beside the answer. */
export interface About {
  readonly requestId: string | null;
  /** All charges of the order; only a refund looks at them. */
  readonly charges: readonly Charge[];
  /** The payment that a release ends. */
  readonly ended?: Payment;
  /** Nothing of the payment was ever sent: what cannot be sent now has not arrived. */
  readonly isFirst?: boolean;
}

/**
 * Sends a payment whose row is committed, and records the answer. No transaction is open meanwhile and no connection is
 * held. Without a readable answer by the deadline the payment is unknown; an answer that comes later is recorded if it is
 * unknown still.
 * @returns the payment as it stands then
 */
export async function sendPayment(deps: PaymentDeps, payment: Payment, about: About): Promise<Payment> {
  return await deps.calls.during(payment.id, async () => {
    return await recordAnswer(deps, payment, await askProcessor(deps, payment, about), about);
  });
}

/** The first half of `sendPayment`: what the processor's answer changes, or that nobody knows it. */
export async function askProcessor(deps: PaymentDeps, payment: Payment, about: About): Promise<PaymentChange> {
  const { clock, logger, processors, calls } = deps;
  const late = async (outcome: ProcessorOutcome): Promise<void> => {
    try {
      await record(deps, payment, changeBy(payment, outcome, clock.nowMs()), about);
    } catch (err) {
      logger.warn({ err, ...named(payment) }, 'a late answer could not be recorded; the processor will be asked');
    }
  };
  try {
    const { processor, secretKey } = await processors.named(payment.processor, payment.account_id, payment.test);
    const outcome = await calls.make(
      (signal) => call(processor, payment, { accountId: payment.account_id, secretKey, test: payment.test, signal }),
      { late },
    );
    return changeBy(payment, outcome, clock.nowMs());
  } catch (err) {
    if (about.isFirst === true && err instanceof UnreadableKeyError) {
      await tellKeyUnreadable(deps, payment, err);
      return keyUnreadableChange(clock.nowMs());
    }
    logger.warn({ err, ...named(payment) }, 'the outcome of a payment is unknown; the processor will be asked');
    return unknownChange(payment, clock.nowMs());
  }
}

/** The second half of `sendPayment`. */
export async function recordAnswer(
  deps: PaymentDeps,
  payment: Payment,
  change: PaymentChange,
  about: About,
): Promise<Payment> {
  const recorded = await record(deps, payment, change, about);
  return recorded ? updated(payment, change) : await readPayment(deps.database, payment);
}

/** For log lines: no card, no buyer. */
export const named = ({ id, account_id, order_id, step }: Payment) => ({
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

/**
 * Records what became of a payment, with the events of it.
 * @returns false when an end was recorded before
 */
export async function record(
  deps: PaymentDeps,
  payment: Payment,
  change: PaymentChange,
  { requestId, charges, ended }: About,
): Promise<boolean> {
  const source = { accountId: payment.account_id, requestId, nowMs: deps.clock.nowMs() };
  const events = stepEvents(payment, change, charges, source);
  return await recordChange(deps, payment, change, {
    ...{ requestId, events },
    ...(ended === undefined ? {} : { ended }),
  });
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
