import type { Answered } from './decide-answer.rules.ts';
import { lookUpAtProcessor, lookUpPayment, paymentAfter } from './look-up-payment.ts';
import { resendWithinMs } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { RecordContext } from './record-answer.ts';
import { callProcessor, logFieldsOf, sendPayment } from './send-payment.ts';
import { renewalAsFound } from './wanted-renewal.ts';

/**
 * Sends a payment; nearly always at once. A key that was sent so long ago, perhaps, that the processor may have forgotten it is looked
 * up first. Unanswered, the payment is open, and its look-up is made again.
 * @param sinceMs when the key was first sent at the earliest
 * @returns the payment as it stands then
 */
export async function sendUnlessFound(
  deps: PaymentDeps,
  payment: Payment,
  context: RecordContext,
  sinceMs: number,
): Promise<Payment> {
  const untilMs = sinceMs + resendWithinMs;
  if (deps.clock.nowMs() < untilMs) return await sendPayment(deps, payment, context, untilMs);
  const found = await lookUpPayment(deps, payment, context);
  return found === 'not received' ? await sendPayment(deps, payment, context) : paymentAfter(payment, found);
}

/**
 * The call of a payment that is sent again under a key of which an earlier sending may have arrived: what the processor has of
 * it, or what it answers now.
 */
export async function lookUpThenCall(deps: PaymentDeps, payment: Payment, context: RecordContext): Promise<Answered> {
  try {
    const found = await lookUpAtProcessor(deps, payment);
    if (found !== null) return await renewalAsFound(deps, payment, found);
  } catch (err) {
    deps.logger.warn({ err, ...logFieldsOf(payment) }, 'a payment could not be looked up; the lookup will be retried');
    return { status: 'unknown' };
  }
  return await callProcessor(deps, payment, context);
}
