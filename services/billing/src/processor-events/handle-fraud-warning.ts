import { notifyOnce } from '@app/messaging/notify-once';
import { formatAmount } from '@app/money/format';
import { noticeEvent } from '../charging/payment-notices.ts';
import type { OwnPayment } from '../processors/stripe/stripe-own-payment.ts';
import { fraudWarning } from './event-content.ts';
import type { EventDeps, EventHandling } from './event-deps.ts';
import type { ProcessorEvent } from './event-rows.ts';

const warningText = ({ amountCents, currency }: OwnPayment, orderId: string): string =>
  `The bank of a buyer suspects fraud: it warns of the payment of ${formatAmount(amountCents, currency)} of order ${orderId}. Most such payments are disputed, and a dispute costs a fee. Refund the order now, unless you know the buyer: once a dispute is open that comes too late.`;

/** Reads the payment that the warning is of, and notifies the seller of it once, unless all of it went back. */
async function notifyOfWarning(deps: EventDeps, event: ProcessorEvent): Promise<'done'> {
  const { account_id: accountId, processor, test, object_id } = event;
  if (!object_id.startsWith('pi_')) return 'done';
  const { database, clock, wakeRelay, processorCalls } = deps;
  const { processor: _, ...keys } = await deps.processors.named(processor, accountId, test);
  const call = { accountId, ...keys, test, isBackground: true };
  const payment = await processorCalls.make((signal, untimed) =>
    deps.stripe.readOwnPayment(object_id, { ...call, signal, untimed }),
  );
  if (payment === undefined || payment.orderId === null || payment.isRefunded) return 'done';
  const now = clock.now();
  const about = { orderId: payment.orderId, test };
  const source = { accountId, requestId: null, nowMs: now.getTime() };
  const notification = {
    accountId,
    key: `fraud warning ${object_id}`,
    event: noticeEvent(about, warningText(payment, payment.orderId), source),
  };
  if ((await notifyOnce(database.pool, [notification], { now })) > 0) wakeRelay();
  return 'done';
}

export const fraudWarnings: EventHandling = {
  objectKind: fraudWarning,
  types: ['radar.early_fraud_warning.created'],
  handle: notifyOfWarning,
};
