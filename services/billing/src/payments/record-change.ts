import type { OutboxRow } from '@app/messaging/outbox';
import type { Payment } from './payment.types.ts';
import { completedBy, endedUpdate, type PaymentChange } from './payment-change.rules.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { completedEvents, type PaymentEventSource } from './payment-events.ts';

export interface RecordedWith {
  /** Where a request asked for it; null where billing went on by itself. */
  readonly requestId: string | null;
  /** The payment that a release ends. */
  readonly ended?: Payment;
  /** Events beside `payment.completed`. */
  readonly events?: readonly OutboxRow[];
}

/**
 * Records what a processor answered, with the events of it.
 * @returns false when an end was recorded before
 */
export async function recordChange(
  { answers, clock, wakeRelay }: PaymentDeps,
  payment: Payment,
  change: PaymentChange,
  { requestId, ended, events = [] }: RecordedWith,
): Promise<boolean> {
  const source: PaymentEventSource = { accountId: payment.account_id, requestId, nowMs: clock.nowMs() };
  const end = change.ended === null ? null : endedUpdate(change.ended.message, source.nowMs);
  const written = [
    ...completedEvents(completedBy(payment, change.payment), source).map(of(payment)),
    ...events.map(of(payment)),
    ...(ended === undefined || end === null ? [] : completedEvents(completedBy(ended, end), source).map(of(ended))),
  ];
  const recorded = await answers.add({ payment, change, end, events: written });
  // The end of a renewal is told of by the statement that writes it.
  if (recorded && (written.length > 0 || payment.step === 'renewal')) wakeRelay();
  return recorded;
}

const of =
  ({ id }: Payment) =>
  (row: OutboxRow) => ({ of: id, ...row });
