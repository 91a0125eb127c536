import { disputeRecorded } from '@app/contracts/disputes';
import { chargeRefunded, chargesRefunded, refundFailed } from '@app/contracts/payments';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import type { Client } from '@app/service-kit/database';
import { lockOrders } from './lock-orders.ts';
import { recordFailedRefund, recordPaymentRefunds } from './payment-refunds.ts';
import { recordDispute } from './record-dispute.ts';
import { recordRefund, recordReopening } from './record-refund.ts';
import type { RefundedOrder } from './refunded-order.ts';

/** What billing reports of refunds: what a process that died between its reply and the record left is finished from these. */
export function refundEventHandlers(wakeRelay: () => void): EventHandler[] {
  return [
    onEvent(chargeRefunded, async (events, client, onCommit) => {
      await eachLocked(client, events, async ({ event, order }) => {
        const source = { requestId: event.requestId, nowMs: Date.parse(event.data.refundedAt) };
        await recordPaymentRefunds(client, order, [event.data.refund], source);
      });
      onCommit(wakeRelay);
    }),
    onEvent(chargesRefunded, async (events, client, onCommit) => {
      await eachLocked(client, events, async ({ event, order }) => {
        const refundedMs = Date.parse(event.data.refundedAt);
        const source = { requestId: event.requestId, nowMs: refundedMs };
        const after = await recordPaymentRefunds(client, order, event.data.refunds ?? [], source);
        if (isOpen(after, refundedMs)) await recordRefund(client, after, event.data.refundedCents, source);
      });
      onCommit(wakeRelay);
    }),
    onEvent(disputeRecorded, async (events, client, onCommit) => {
      await eachLocked(client, events, async ({ event, order }) => {
        const { requestId, data, occurredAt } = event;
        await recordDispute(client, order, data, { requestId, nowMs: Date.parse(occurredAt) });
      });
      onCommit(wakeRelay);
    }),
    onEvent(refundFailed, async (events, client, onCommit) => {
      await eachLocked(client, events, async ({ event, order }) => {
        const failedMs = Date.parse(event.data.failedAt);
        const source = { requestId: event.requestId, nowMs: failedMs };
        const after = await recordFailedRefund(client, order, event.data, source);
        const reopens = !isOfEarlierRefund(order, failedMs);
        const reopened = reopens && (await recordReopening(client, after, event.data.detail, source));
        const { lost } = event.data;
        if (lost === undefined) return;
        const open = reopened ? { ...after, status: 'paid' as const } : after;
        await recordPaymentRefunds(client, open, [lost.givenBack], source, lost.disputeId);
      });
      onCommit(wakeRelay);
    }),
  ];
}

/** What failed before the last refund was requested is given back by that one. */
function isOfEarlierRefund({ refund_no, refund_created_at }: RefundedOrder, failedMs: number): boolean {
  return refund_no !== null && refund_no > 1 && refund_created_at !== null && failedMs < refund_created_at.getTime();
}

/** What was said before a failure is void, in whatever order the two come: billing gets the request again. */
function isOpen({ status, failed_at }: RefundedOrder, refundedMs: number): boolean {
  return status === 'paid' && (failed_at === null || failed_at.getTime() < refundedMs);
}

type About<Data> = ReceivedEvent<Data & { orderId: string }>;

/**
 * Works on each event with its order, which stays locked until the events took effect. An order with several events in the
 * batch is read again before each further one.
 */
async function eachLocked<Data>(
  client: Client,
  events: readonly About<Data>[],
  work: (each: { event: About<Data>; order: RefundedOrder }) => Promise<unknown>,
): Promise<void> {
  const orderKey = ({ accountId, data: { orderId } }: About<Data>) => ({ accountId, orderId });
  const locked = await lockOrders(client, events.map(orderKey));
  const fresh = new Map(locked.map((order) => [`${order.account_id} ${order.id}`, order]));
  for (const event of events) {
    const { accountId, orderId } = orderKey(event);
    const key = `${accountId} ${orderId}`;
    const order = fresh.get(key) ?? (await lockOrders(client, [orderKey(event)]))[0];
    if (order === undefined) throw new Error(`a refund of the order ${orderId}, and there is no such order`);
    // The end of its hold is an event of another kind, so it may come later: then this one comes again.
    if (order.status === 'authorized') throw new Error(`a refund of the order ${orderId}, which is not paid yet`);
    fresh.delete(key);
    await work({ event, order });
  }
}
