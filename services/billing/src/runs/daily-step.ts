import type { Progress } from '@app/runs/progress';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { KeyRefusal } from '../processors/key-refusal.ts';
import type { Confirmation } from '../processors/port.ts';
import type { DailyCounts } from './daily-counts.rules.ts';

export interface StepDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Where the charges of a currency end: none after it. */
export interface CutOff {
  readonly currency: string;
  readonly next_charge_at: Date;
  readonly id: string;
}

/** The run of one account that a step is a part of. */
export interface AccountRun {
  readonly accountId: string;
  readonly runId: string;
  /** The run of a rehearsal: it works on test subscriptions alone, and no other run does. */
  readonly test: boolean;
  /** Charges this subscription alone. */
  readonly only?: string;
  /** Its buyer is there: how the bank may ask them. */
  readonly confirmation?: Confirmation;
  /** The seller has looked up what the processor shows and this database does not know: that stops no charge any more. */
  readonly confirmsUnmatched?: boolean;
  /** What is due by now is due in this run: the clock, or the time of the rehearsal. */
  now(): Date;
  readonly progress: Progress;
  /**
   * Ids of orders that the run charges no period for: their renewal turned out to be paid when it was looked up, or what the processor shows
   * of them could not be followed.
   */
  readonly notCharged: Set<string>;
  /** It stops at the limit of charges: that is where the charges of each currency end. */
  readonly cutOffs?: readonly CutOff[];
  /** Once a processor has refused the account's API key the run requests nothing more, and begins nothing that would. */
  readonly keyRefusal: KeyRefusal;
  /** The process closes: begin nothing more and return. The run has no result then, and the next one does the rest. */
  isClosing(): boolean;
}

/**
 * One part of an account's daily run. It adds what it did to the counts. Its process may die at any point: what was not
 * done is found again by the next run.
 */
export type DailyStep = (deps: StepDeps, run: AccountRun, counts: DailyCounts) => Promise<void>;
