import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { CardProcessorOf } from './card-processors.ts';
import type { CheckoutSteps } from './checkout-steps.ts';

export interface CheckoutDeps {
  readonly database: Database;
  readonly requester: Requester;
  readonly clock: Clock;
  readonly steps: CheckoutSteps;
  readonly cardProcessorOf: CardProcessorOf;
  /** Called after a commit with events. */
  readonly wakeRelay: () => void;
}
