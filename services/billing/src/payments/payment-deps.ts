import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { PaymentProcessor } from '../processors/processor.ts';
import type { OngoingCalls } from './ongoing-calls.ts';
import type { OrderTurns } from './order-turns.ts';

/** A processor, and the account's key at it. */
export interface AccountProcessor {
  readonly processor: PaymentProcessor;
  readonly secretKey: string | undefined;
}

export interface Processors {
  /** What a new payment of the account goes to; rehearsals always go to the simulated one. */
  chosen(accountId: string, test: boolean): Promise<AccountProcessor>;
  /** What an earlier payment went to, whatever the account chose since. */
  named(name: string, accountId: string): Promise<AccountProcessor>;
}

export interface PaymentDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after a commit with events. */
  readonly wakeRelay: () => void;
  readonly processors: Processors;
  readonly calls: OngoingCalls;
  readonly turns: OrderTurns;
}
