import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { OngoingCalls } from '../processors/ongoing-calls.ts';
import type { Processors } from '../processors/processor-registry.ts';
import type { OrderMutex } from './order-mutex.ts';
import type { Payment } from './payment.types.ts';
import type { AnswerWriters } from './write-answer.ts';
import type { AttemptWriter } from './write-attempt.ts';

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
  /** Whether a renewal that the processor never got may be sent again: not before it is known whether this database lacks anything. */
  readonly mayResendRenewal: (renewal: Payment) => Promise<boolean>;
}
