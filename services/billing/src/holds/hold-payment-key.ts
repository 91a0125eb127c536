import { hash } from 'node:crypto';
import { idOfCommand, idSuffixOf, idTimeMs } from '@app/contracts/ids';
import { resendWithinMs } from '../payments/payment.rules.ts';
import type { Hold, Payment } from '../payments/payment.types.ts';

/**
 * The id of a charge that follows a hold on the saved card, which is its idempotency key: it follows from order, purpose and
 * attempt, so that a database that was restored from a backup comes to the key that the processor had before. Its time is the
 * end of the decision window, so that payments list in that order.
 * @param held the payment that holds the money
 */
export function holdPaymentKey(
  { id, order_id, hold_terms }: Pick<Payment, 'id' | 'order_id' | 'hold_terms'>,
  step: 'upsell' | 'recharge',
  tryNo: number,
): string {
  const windowEndMs = idTimeMs(id) + (hold_terms?.decisionMinutes ?? 0) * 60_000;
  const entropy = hash('sha256', `${order_id} ${step} ${tryNo}`, 'buffer');
  return idOfCommand('payment', idSuffixOf(windowEndMs, entropy));
}

/** Whether the processor may have forgotten a key that was sent for the hold before a backup was restored. */
export const keyMayBeForgotten = ({ payment_id }: Pick<Hold, 'payment_id'>, nowMs: number): boolean =>
  nowMs - idTimeMs(payment_id) >= resendWithinMs;
