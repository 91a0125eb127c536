import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { OngoingCalls } from '../processors/ongoing-calls.ts';
import type { Processors } from '../processors/processor-registry.ts';
import type { AnswerWriters } from './answer-store.ts';
import type { AttemptWriter } from './attempt-store.ts';
import type { OrderMutex } from './order-mutex.ts';
import type { Attempt, Hold, OrderMoney, Payment } from './payment.types.ts';

export interface PaymentDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after a commit with events. */
  readonly wakeRelay: () => void;
  readonly processors: Processors;
  readonly processorCalls: OngoingCalls;
  readonly attemptWriter: AttemptWriter;
  readonly answerWriters: AnswerWriters;
  readonly orderMutex: OrderMutex;
  readonly restored: RestoredDatabase;
}

/** What charging asks of reconciliation, which alone knows that this database may have been restored from a backup. */
export interface RestoredDatabase {
  /**
   * Looks up the attempts of the order before this one that have no row here, and records what the processor has of them.
   * @param before the order's main payments
   * @returns the order's attempts where this one waits for the end of one of them
   */
  lookUpLostAttempts(
    accountId: string,
    attempt: Attempt,
    before: readonly Payment[],
    requestId: string | null,
  ): Promise<readonly Payment[] | undefined>;
  /**
   * Records the capture of a hold that was made by a payment which is not recorded here.
   * @returns `recorded`, also where another replica was faster; `not listed` where the processor's list was read and lacks it; `not read`
   * where it could not be read
   */
  findCapture(
    requestId: string | null,
    of: { readonly hold: Hold; readonly money: OrderMoney; readonly attemptNo: number },
  ): Promise<'recorded' | 'not listed' | 'not read'>;
  /**
   * Whether the key of a payment of which there was no row here may have been sent all the same.
   * @param begunMs when the buyer's request of it began: epoch milliseconds
   */
  mayHaveSent(begunMs: number): boolean;
  /** Whether a renewal that the processor never got may be sent again: not before it is known whether this database lacks anything. */
  mayResendRenewal(renewal: Payment): Promise<boolean>;
}
