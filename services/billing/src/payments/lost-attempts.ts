import { askProcessor } from './look-up-payment.ts';
import { newAttempt, type StartInput } from './new-attempt.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readMoney } from './payment-rows.ts';
import { type RecordContext, recordAnswer } from './record-payment.ts';
import { logFieldsOf } from './send-payment.ts';

/**
 * Looks up the attempts of the order before this one that have no row here: a database that a backup has replaced may have sent
 * them. What the processor has is recorded. While it cannot be asked the attempt is open, which keeps the next one from being
 * charged. What it never got leaves no row: it may have been an attempt of another order of the checkout.
 */
export async function lookUpLostAttempts(
  deps: PaymentDeps,
  accountId: string,
  input: StartInput,
  context: RecordContext,
): Promise<void> {
  const { payments } = await readMoney(deps.database, accountId, input.orderId);
  const known = new Set(payments.filter(({ step }) => step === 'main').map(({ try_no }) => try_no));
  for (let tryNo = 1; tryNo < input.tryNo; tryNo += 1) {
    if (!known.has(tryNo)) await lookUpLost(deps, accountId, { ...input, tryNo, paymentMethod: null }, context);
  }
}

async function lookUpLost(
  deps: PaymentDeps,
  accountId: string,
  input: StartInput,
  context: RecordContext,
): Promise<void> {
  const payment = await newAttempt(deps, accountId, input);
  const found = await askProcessor(deps, payment).catch((err: unknown) => {
    deps.logger.warn(
      { err, ...logFieldsOf(payment) },
      'an attempt that has no row could not be looked up; it is tried again',
    );
    return undefined;
  });
  if (found === null) return;
  const tried = await deps.tries.add({ ...payment, was_lost: true });
  if (found === undefined || tried !== 'written') return;
  await recordAnswer(deps, payment, found, context);
}
