import { newId } from '@app/contracts/ids';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { renewDue } from '../renewals/renew-due.ts';
import { noCounts } from '../runs/daily-counts.rules.ts';
import type { AccountRun } from '../runs/daily-step.ts';
import { timeOf } from '../runs/rehearsal-time.ts';
import { chargeWhenMatched } from '../unmatched-payments/charge-when-matched.ts';

/** Charges what is due of one subscription. */
export type ChargeNow = (of: { accountId: string; subscriptionId: string; test: boolean }) => Promise<void>;

/**
 * The steps of the daily run that compare the processor's newest payments and charge, for one subscription: whatever runs
 * beside it, the period is charged once. It is a run of its own without a row; the next run's result counts the charge. The
 * limit of charges is for runs over many. What is not charged here, the next daily run charges.
 */
export function createChargeNow(deps: PaymentDeps): ChargeNow {
  const charge = chargeWhenMatched(deps, renewDue(deps));
  return async ({ accountId, subscriptionId, test }) => {
    const now = await timeOf(deps, accountId, test);
    const run: AccountRun = {
      accountId,
      test,
      only: subscriptionId,
      runId: newId('dailyRun', deps.clock.nowMs()),
      force: false,
      now: () => now,
      isClosing: () => false,
      renewedByLookUp: new Set(),
      keyRefusal: { by: null },
      progress: { expect: () => undefined, done: () => undefined },
    };
    await charge(deps, run, noCounts());
  };
}
