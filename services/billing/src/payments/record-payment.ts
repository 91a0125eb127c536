import type { OrderMoney, Payment } from './payment.types.ts';
import { afterRelease, completedBy, type PaymentChange } from './payment-change.rules.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { completedEvents, type PaymentEventSource, type StepEvent, stepEvents } from './payment-events.ts';

/** What recording an answer needs beside the answer. */
export interface AnswerContext {
  /** Where a request asked for it; null where billing went on by itself. */
  readonly requestId: string | null;
  /** All that is known of the order's money; only a refund needs it. */
  readonly money?: OrderMoney;
  /** The payment that a release is about. */
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
  { requestId, money, released }: AnswerContext,
): Promise<boolean> {
  const source: PaymentEventSource = { accountId: payment.account_id, requestId, nowMs: clock.nowMs() };
  const releasedChange = released === undefined ? null : afterRelease(released, change.payment, source.nowMs);
  const events = [
    ...completedEvents(completedBy(payment, change.payment), source).map(tellingOf(payment)),
    ...stepEvents(payment, change, money, source).map(tellingOf(payment)),
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
  (row: StepEvent) => ({ of: id, ...row });
