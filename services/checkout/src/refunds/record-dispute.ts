import type { EventData } from '@app/contracts/define';
import { disputeClosed, disputeOpened, type disputeRecorded } from '@app/contracts/disputes';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import type { Client } from '@app/service-kit/database';
import type { Source } from '../checkouts/checkout-order.ts';
import { recordPaymentRefunds } from './payment-refunds.ts';
import { aboutOrder, type RefundedOrder } from './refunded-order.ts';

/**
 * Publishes that a dispute of an order's payment was opened or has ended. What a lost one gave back counts as a refund of that
 * payment; the order's status stays.
 * @param order locked by the transaction of `client`
 */
export async function recordDispute(
  client: Client,
  order: RefundedOrder,
  { end, givenBack, orderId: _, ...dispute }: EventData<typeof disputeRecorded>,
  source: Source,
): Promise<void> {
  const { totalCents: _total, paidAt: _paid, ...about } = aboutOrder(order);
  const data = { ...about, ...dispute };
  const { requestId, nowMs } = source;
  const from = { accountId: order.account_id, requestId, nowMs };
  const event =
    end === null ? outboxRow(disputeOpened, data, from) : outboxRow(disputeClosed, { ...data, ...end }, from);
  if (givenBack !== null) await recordPaymentRefunds(client, order, [givenBack], source, dispute.disputeId);
  await client.query(insertOutboxSql, [JSON.stringify([event])]);
}
