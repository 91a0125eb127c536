import { settleDueHolds } from '../holds/settle-due-holds.ts';
import { checkUnfinishedPayments } from '../payments/check-unfinished.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { findFailedRefunds } from '../refunds/failed-refunds.ts';
import type { DailyStep } from './daily-step.ts';

/**
 * The steps, in the order they run: what is unknown is cleared up first, because it blocks the rest of its order. Renewals
 * and nudges are no steps yet, so their counts are zero.
 */
export const dailySteps = (payments: PaymentDeps): readonly DailyStep[] => [
  (_, run) => checkUnfinishedPayments(payments, run),
  async (_, run, counts) => {
    counts.holdsSettled += await settleDueHolds(payments, run);
  },
  (_, run) => findFailedRefunds(payments, run),
];
