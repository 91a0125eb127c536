import { type Answered, decideAnswer } from './decide-answer.rules.ts';
import { isGivenUpByTime, isReopenable } from './late-success.rules.ts';
import { lookUpAtProcessor } from './look-up-payment.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readPayment } from './payment-store.ts';
import { fromDeclined, recordLateSuccess, unlessRivalled } from './record-late-success.ts';
import { logFieldsOf } from './send-payment.ts';
import { type WrittenFor, writeDecision } from './write-decision.ts';

/**
 * Looks up attempts that ended because the processor did not have them, before the next one is made: it may have got them since. What
 * succeeded or waits for its buyer is recorded, and where it cannot be known the attempt is open again: each keeps the next
 * one from being made.
 * @param tried those for the same: an order's main payments, or the refunds of a charge
 * @returns whether one of them may have changed
 */
export async function lookUpGivenUp(
  deps: PaymentDeps,
  tried: readonly Payment[],
  requestId: string | null,
): Promise<boolean> {
  let changed = false;
  for (const payment of tried.filter(isGivenUpByTime)) {
    const found = await lookUpAtProcessor(deps, payment).catch((err: unknown): Answered => {
      deps.logger.warn({ err, ...logFieldsOf(payment) }, 'an attempt that was given up could not be looked up again');
      return { status: 'unknown' };
    });
    if (found === null || found.status === 'declined') continue;
    const atMs = deps.clock.nowMs();
    const writtenFor = { requestId, seenBy: 'look-up' } as const;
    if (found.status !== 'succeeded') await reopen(deps, payment, found, writtenFor);
    const waits =
      found.status === 'succeeded' &&
      (await recordLateSuccess(deps, payment, found, { ...writtenFor, atMs })).late === 'wait';
    changed ||= !waits;
  }
  return changed;
}

/**
 * Looks up a payment that was declined here, where the processor shows that it succeeded: by an event of it, or in its list.
 * @returns `later` where that could not be recorded yet: the processor did not answer, or another payment for the same is open
 */
export async function lookUpDeclined(
  deps: PaymentDeps,
  payment: Pick<Payment, 'id' | 'accountId' | 'orderId'>,
): Promise<'done' | 'later'> {
  const declined = await readPayment(deps.database, payment);
  if (!isReopenable(declined)) return 'done';
  const found = await lookUpAtProcessor(deps, declined);
  // It may have been released meanwhile.
  if (found?.status !== 'succeeded') return 'done';
  const atMs = deps.clock.nowMs();
  const { late } = await recordLateSuccess(deps, declined, found, { requestId: null, seenBy: 'look-up', atMs });
  return late === 'wait' ? 'later' : 'done';
}

/** It counts as open again, from now on; where the next attempt was made at the same moment, that one does. */
async function reopen(deps: PaymentDeps, payment: Payment, found: Answered, writtenFor: WrittenFor): Promise<void> {
  const reopened = fromDeclined(decideAnswer(payment, found, deps.clock.nowMs()));
  await writeDecision(deps, payment, reopened, writtenFor).catch(unlessRivalled);
}
