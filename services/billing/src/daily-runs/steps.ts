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
 * One part of an account's daily run. It adds to the counts what it did, and may be stopped at any point: what it left
 * undone it finds again the next time.
 */
export type DailyStep = (deps: StepDeps, accountId: string, counts: DailyCounts) => Promise<void>;

/**
 * In the order they run. There are none yet, and the counts are zeros for that reason: no payment processor is
 * connected, so nothing can be charged or settled, and there are no checkouts to recover.
 */
export const dailySteps: readonly DailyStep[] = [];
