import { newId } from '@app/contracts/ids';
import type { CardDeps } from '../cards/put-payment-method.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { newKeyRefusal } from '../processors/key-refusal.ts';
import { chargeWhenMatched } from '../reconciliation/books/charge-when-matched.ts';
import { noCounts } from '../runs/daily-counts.rules.ts';
import type { AccountRun } from '../runs/daily-step.ts';
import { timeOf } from '../runs/rehearsal-time.ts';
import { renewDue } from '../subscriptions/renewals/renew-due.ts';

/**
 * The steps of the daily run that compare the processor's newest payments and charge, for one subscription: whatever runs
 * beside it, the period is charged once. It is a run of its own without a row; the next run's result counts the charge. The
 * limit of charges is for runs over many. What is not charged here, the next daily run charges.
 */
export function createChargeNow(deps: PaymentDeps): CardDeps['charge'] {
  const charge = chargeWhenMatched(deps, renewDue(deps));
  return async ({ accountId, subscriptionId, test, confirmation }) => {
    const now = await timeOf(deps, accountId, test);
    const run: AccountRun = {
      accountId,
      test,
      only: subscriptionId,
      ...(confirmation && { confirmation }),
      runId: newId('dailyRun', deps.clock.nowMs()),
      now: () => now,
      isClosing: () => false,
      notCharged: new Set(),
      keyRefusal: newKeyRefusal(),
      progress: { expect: () => undefined, done: () => undefined },
    };
    await charge(deps, run, noCounts());
  };
}
