import type { Answered } from './decide-answer.rules.ts';
import { authenticationRequired, givenUp, isWithinConfirmation, released } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { isStillWanted } from './wanted-renewal.ts';

/**
 * What was found of a renewal, as it ends: one that was released is declined as its bank would have declined it without the
 * buyer, unless its subscription did not want it any more, also where it wants it again by now. Then it was no attempt.
 */
export async function renewalAsFound<Found extends Answered | null>(
  { database, clock }: Pick<PaymentDeps, 'database' | 'clock'>,
  payment: Payment,
  found: Found,
): Promise<Found | Answered> {
  if (payment.step !== 'renewal' || found?.status !== 'declined' || found.reason !== released) return found;
  const now = clock.now();
  const isAttempt = !isWithinConfirmation(payment, now.getTime()) && (await isStillWanted(database, payment, now));
  const reason = isAttempt ? authenticationRequired : givenUp;
  const message = isAttempt ? 'The buyer did not confirm it at the bank.' : 'It was not wanted any more.';
  return { status: 'declined', kind: 'soft', reason, message };
}
