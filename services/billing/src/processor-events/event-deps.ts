import type { PaymentDeps } from '../charging/payment-deps.ts';
import type { EventType } from '../processors/stripe/stripe-endpoints.ts';
import type { StripeProcessor } from '../processors/stripe/stripe-processor.ts';
import type { ProcessorEvent } from './event-rows.ts';

/** What handlers of events work with: an event only says what to read, and the object is read from Stripe. */
export interface EventDeps extends PaymentDeps {
  readonly stripe: StripeProcessor;
}

/** What is done with events about objects of one kind. */
export interface EventHandling {
  /** As Stripe names it in `object`. */
  readonly objectKind: string;
  /** Of the events about it that are handled; the platform's endpoints at Stripe get no others. */
  readonly types: readonly EventType[];
  /**
   * Reads the object, which may have been read before, and earlier than an event that came first. An object that is not of
   * the account is done with.
   * @returns `later` where the same event is to be handled again, after a pause that grows
   * @throws any error for the same
   */
  handle(deps: EventDeps, event: ProcessorEvent): Promise<'done' | 'later'>;
}
