import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { settleDueHolds } from '../holds/settle-due-holds.ts';
import { checkUnfinishedPayments } from '../payments/check-unfinished.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { findFailedRefunds } from '../refunds/failed-refunds.ts';
import type { DailyCounts } from './daily-counts.rules.ts';

export interface StepDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * One part of an account's daily run. It adds what it did to the counts. Its process may die at any point: what was not
 * done is found again by the next run.
 */
export type DailyStep = (deps: StepDeps, accountId: string, counts: DailyCounts) => Promise<void>;

/**
 * The steps, in the order they run: what is unknown is cleared up first, because it blocks the rest of its order. Renewals
 * and nudges are no steps yet, so their counts are zero.
 */
export const dailySteps = (payments: PaymentDeps): readonly DailyStep[] => [
  (_, accountId) => checkUnfinishedPayments(payments, accountId),
  async (_, accountId, counts) => {
    counts.holdsSettled += await settleDueHolds(payments, accountId);
  },
  (_, accountId) => findFailedRefunds(payments, accountId),
];
