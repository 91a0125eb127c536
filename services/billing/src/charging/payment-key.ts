import { hash } from 'node:crypto';
import { idOfCommand, idSuffixOf, idTimeMs } from '@app/contracts/ids';
import type { Payment } from './payment.types.ts';

/**
 * The id of a buyer's payment, which is its idempotency key: it follows from account, order and attempt, so that
 * whatever is recorded here comes to the key that the processor had before. Its time is about that of the order's, so
 * that payments list in that order.
 */
export function buyersPaymentKey(accountId: string, orderId: string, attemptNo: number): string {
  return keyOf(idTimeMs(orderId) + attemptNo - 1, `${accountId} ${orderId} main ${attemptNo}`);
}

/**
 * The id of a payment that follows a hold: a capture, a release, or a charge on the saved card. It follows from order, purpose and attempt,
 * as that of the buyer's payment. Its time is the end of the decision window, and a capture's comes first.
 * @param held the payment that holds the money
 */
export function holdPaymentKey(
  { id, orderId, holdTerms }: Pick<Payment, 'id' | 'orderId' | 'holdTerms'>,
  step: 'capture' | 'upsell' | 'recharge' | 'release',
  attemptNo: number,
): string {
  const windowEndMs = idTimeMs(id) + (holdTerms?.decisionMinutes ?? 0) * 60_000;
  return keyOf(step === 'capture' ? windowEndMs - 1 : windowEndMs, `${orderId} ${step} ${attemptNo}`);
}

/** The id of the payment that gives back one that succeeded too late. */
export const reversalKey = ({ id }: Pick<Payment, 'id'>): string => keyOf(idTimeMs(id), `${id} reversal`);

const keyOf = (timeMs: number, text: string): string =>
  idOfCommand('payment', idSuffixOf(timeMs, hash('sha256', text, 'buffer')));
