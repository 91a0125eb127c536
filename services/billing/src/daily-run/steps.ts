import { checkUnfinishedPayments } from '../advancing/check-unfinished.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { followDisputes } from '../disputes/follow-disputes.ts';
import { settleDueHolds } from '../holds/settle-due-holds.ts';
import { chargeWhenMatched } from '../reconciliation/books/charge-when-matched.ts';
import { compareBooks } from '../reconciliation/books/compare-books.ts';
import type { DailyStep } from '../runs/daily-step.ts';
import { untilRefused } from '../runs/refused-key.ts';
import { reportRefusedKey } from '../runs/report-refused-key.ts';
import { countBlocked } from '../subscriptions/renewals/count-blocked.ts';
import { endCanceled } from '../subscriptions/renewals/end-canceled.ts';
import { lookUpRenewals } from '../subscriptions/renewals/look-up-renewals.ts';
import { renewDue } from '../subscriptions/renewals/renew-due.ts';
import { takeRenewalCounts } from '../subscriptions/renewals/take-renewal-counts.ts';
import { chargeWithinLimit } from './charge-within-limit.ts';

/**
 * The steps, in the order they run: what is unknown is cleared up first, because it blocks the rest of its order.
 * A subscription ends after its last try with that try's answer (`effectOf`, renewal.rules.ts); `endCanceled` ends those that were
 * canceled for the end of their period. What ended of renewals, and what waits, is counted last. `chargeWhenMatched` and `chargeWithinLimit` are conditions: each runs
 * the step that it is given, or notes in the result why not.
 * @param withServices steps that call other services
 */
export const dailySteps = (payments: PaymentDeps, ...withServices: readonly DailyStep[]): readonly DailyStep[] => [
  lookUpRenewals((_, run) => checkUnfinishedPayments(untilRefused(payments, run), run)),
  async (_, run, counts) => {
    counts.holdsSettled += await settleDueHolds(untilRefused(payments, run), run);
  },
  (_, run, counts) => followDisputes(payments, run, counts),
  chargeWhenMatched(payments, chargeWithinLimit(payments, renewDue(payments))),
  endCanceled(payments),
  (_, run, counts) => compareBooks(payments, run, counts),
  ...withServices,
  reportRefusedKey(payments),
  takeRenewalCounts,
  countBlocked,
];
