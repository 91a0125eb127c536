import { lookUpAtProcessor } from '../charging/look-up-payment.ts';
import { newAttempt, type StartInput } from '../charging/new-attempt.ts';
import type { Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { recordAnswer } from '../charging/record-payment.ts';
import { logFieldsOf } from '../charging/send-payment.ts';

/**
 * Looks up the attempts of the order before this one that have no row here: a database that a backup has replaced may have sent
 * them. What the processor has is recorded. While it cannot be reached the attempt is open, which keeps the next one from being
 * charged. What it never got leaves no row: it may have been an attempt of another order of the checkout.
 * @param before the order's main payments
 * @returns the order's attempts where one of them keeps out a row of what was found: the next one waits for that one's end, or it
 * could be charged beside what has no row
 */
export async function lookUpLostAttempts(
  deps: PaymentDeps,
  accountId: string,
  input: StartInput,
  before: readonly Payment[],
  requestId: string | null,
): Promise<readonly Payment[] | undefined> {
  const known = new Set(before.map(({ attemptNo }) => attemptNo));
  for (let attemptNo = 1; attemptNo < input.attemptNo; attemptNo += 1) {
    if (known.has(attemptNo)) continue;
    const tried = await lookUpLost(deps, accountId, { ...input, attemptNo, paymentMethod: null }, requestId);
    if (tried?.some(({ attemptNo: attempt_no }) => attempt_no === attemptNo) === false) return tried;
  }
  return undefined;
}

/** @returns the order's attempts where the row could not be written */
async function lookUpLost(
  deps: PaymentDeps,
  accountId: string,
  input: StartInput,
  requestId: string | null,
): Promise<readonly Payment[] | undefined> {
  const payment = await newAttempt(deps, accountId, input);
  const found = await lookUpAtProcessor(deps, payment).catch((err: unknown) => {
    deps.logger.warn(
      { err, ...logFieldsOf(payment) },
      'an attempt that has no row could not be looked up; it is tried again',
    );
    return undefined;
  });
  if (found === null) return undefined;
  const tried = await deps.attemptWriter.add({ ...payment, wasLost: true });
  if (tried !== 'written') return tried;
  if (found !== undefined) await recordAnswer(deps, payment, found, { requestId, seenBy: 'look-up' });
  return undefined;
}
