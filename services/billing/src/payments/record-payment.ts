import type { OutboxRow } from '@app/messaging/outbox';
import type { Charge, Payment } from './payment.types.ts';
import { completedBy, type PaymentChange, releasedUpdate } from './payment-change.rules.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { completedEvents, type PaymentEventSource, stepEvents } from './payment-events.ts';

/** What recording an answer needs beside the answer. */
export interface AnswerContext {
  /** Where a request asked for it; null where billing went on by itself. */
  readonly requestId: string | null;
  /** All charges of the order; only a refund looks at them. */
  readonly charges: readonly Charge[];
  /** The payment that a release ends. */
  readonly released?: Payment;
  /** Nothing of the payment was ever sent: what cannot be sent now has not arrived. */
  readonly isFirst?: boolean;
}

/**
 * Records what became of a payment, with the events of it.
 * @returns false when an end was recorded before
 */
export async function recordPaymentChange(
  { answers, clock, wakeRelay }: PaymentDeps,
  payment: Payment,
  change: PaymentChange,
  { requestId, charges, released }: AnswerContext,
): Promise<boolean> {
  const source: PaymentEventSource = { accountId: payment.account_id, requestId, nowMs: clock.nowMs() };
  const releasedChange = change.released === null ? null : releasedUpdate(change.released.message, source.nowMs);
  const events = [
    ...completedEvents(completedBy(payment, change.payment), source).map(tellingOf(payment)),
    ...stepEvents(payment, change, charges, source).map(tellingOf(payment)),
    ...(released === undefined || releasedChange === null
      ? []
      : completedEvents(completedBy(released, releasedChange), source).map(tellingOf(released))),
  ];
  const recorded = await answers.add({ payment, change, releasedChange, events });
  // The events of a renewal are written by the statement that records it.
  if (recorded && (events.length > 0 || payment.step === 'renewal')) wakeRelay();
  return recorded;
}

const tellingOf =
  ({ id }: Payment) =>
  (row: OutboxRow) => ({ of: id, ...row });
