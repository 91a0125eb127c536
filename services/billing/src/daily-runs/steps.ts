import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
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
 * The steps, in the order they run. There are none yet, so all counts are zero: without a payment processor nothing can be
 * charged or settled, and there are no checkouts to recover.
 */
export const dailySteps: readonly DailyStep[] = [];
