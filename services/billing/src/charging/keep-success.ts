import { successOf } from '../ledger/facts.rules.ts';
import { writeFacts } from '../ledger/write-facts.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { SucceededOutcome } from './payment-effects.rules.ts';
import type { WrittenFor } from './write-decision.ts';

/**
 * Keeps that a payment succeeded at the processor where its row cannot say so, or not yet: it has ended, it is being released, or another
 * payment for the same is open. What happened waits for none of them.
 */
export async function keepSuccess(
  { database, clock }: PaymentDeps,
  payment: Payment,
  { reference }: SucceededOutcome,
  { seenBy: by = 'answer' }: Pick<WrittenFor, 'seenBy'>,
): Promise<void> {
  const fact = successOf(payment, reference);
  const { account_id: accountId, processor, test } = payment;
  if (fact !== undefined) await writeFacts(database, { accountId, processor, test }, [fact], { by, at: clock.now() });
}
