import { lookUpPayment, standing } from './look-up-payment.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { RecordContext } from './record-payment.ts';
import { sendPayment } from './send-payment.ts';

/**
 * Sends a payment whose key may have been sent before, by a database that an older backup has replaced. A key that the processor
 * may have forgotten is looked up first. Unanswered, the payment is open, and its look-up is made again.
 * @returns the payment as it stands then
 */
export async function sendOnce(
  deps: PaymentDeps,
  payment: Payment,
  context: RecordContext,
  mayBeForgotten: boolean,
): Promise<Payment> {
  if (!mayBeForgotten) return await sendPayment(deps, payment, context);
  const looked = await lookUpPayment(deps, payment, context);
  return looked === 'not received' ? await sendPayment(deps, payment, context) : standing(payment, looked);
}
