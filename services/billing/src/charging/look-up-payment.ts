import { OtherPaymentError, type PaymentRequest, type ProcessorOutcome } from '../processors/port.ts';
import { noneChosen } from '../processors/processor-registry.ts';
import type { Answered } from './decide-answer.rules.ts';
import { isLost } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readClockDifferences, readPayment, writeProcessor } from './payment-store.ts';
import { type RecordContext, recordAnswer } from './record-answer.ts';
import { renewalAsFound } from './wanted-renewal.ts';

/**
 * Queries the processor for the state of a payment, and records it.
 * - `not received`: the processor never got it, or has not got it yet. Of a buyer's payment only the latter: one that was
 *   certainly lost on its way has been declined, and only the buyer sends it again.
 * - `unanswered`: it could not be reached, or its answer could not be read; the payment stays as it is.
 * - a payment: as it stands then.
 */
export type LookedUp = Payment | 'not received' | 'unanswered';

export async function lookUpPayment(deps: PaymentDeps, written: Payment, context: RecordContext): Promise<LookedUp> {
  const { clock, logger, database, processorCalls } = deps;
  const lookedUpMs = clock.nowMs();
  try {
    const payment = await withProcessor(deps, written);
    const found = await lookUpAtProcessor(deps, payment);
    const outcome = await renewalAsFound(deps, payment, found);
    if (outcome === null) {
      const clocks = await readClockDifferences(database, payment);
      if (!isLost(payment, processorCalls.deadlineMs, lookedUpMs, clocks)) return 'not received';
    }
    await recordAnswer(deps, payment, outcome ?? { status: 'not_received' }, { ...context, seenBy: 'look-up' });
  } catch (err) {
    const { id: paymentId, accountId, orderId } = written;
    logger.warn({ err, accountId, orderId, paymentId }, 'a payment could not be looked up; the lookup will be retried');
    return 'unanswered';
  }
  return await readPayment(database, written);
}

/** What the processor has of a payment; nothing is recorded. @returns null where it has not got it. @throws where it cannot be known */
export async function lookUpAtProcessor(deps: PaymentDeps, payment: Payment): Promise<Answered | null> {
  const { processor: name, accountId, test } = payment;
  const { processor, ...keys } = await deps.processors.named(name, accountId, test);
  const request = (signal: AbortSignal) => processor.lookUp(whereItIs(payment), { accountId, ...keys, test, signal });
  return await deps.processorCalls.make<ProcessorOutcome | null>(request).catch(unlessOther);
}

/** A payment that waits for its buyer is found by its reference, whatever card its subscription has. */
const whereItIs = (payment: Payment): PaymentRequest =>
  payment.call === 'chargeSaved' && payment.processorReference !== null
    ? { call: payment.call, request: { ...payment.request, reference: payment.processorReference } }
    : payment;

function unlessOther(err: unknown): Answered {
  if (err instanceof OtherPaymentError) return { status: 'other_payment', found: err.found };
  throw err;
}

/**
 * A payment that was written while the account had no processor is looked up where the seller chooses one: it may have been sent there.
 */
async function withProcessor({ database, processors }: PaymentDeps, payment: Payment): Promise<Payment> {
  if (payment.processor !== noneChosen) return payment;
  const { processor } = await processors.chosen(payment.accountId, payment.test);
  await writeProcessor(database, payment, processor.name);
  return { ...payment, processor: processor.name };
}

/** The payment after its look-up: as it was before, where the look-up found nothing. */
export const paymentAfter = (before: Payment, found: LookedUp): Payment => (typeof found === 'string' ? before : found);
