import type { EventData } from '@app/contracts/define';
import { disputeClosed, disputeOpened, type disputeRecorded } from '@app/contracts/disputes';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import { type Client, statement } from '@app/service-kit/database';
import type { Source } from '../checkouts/checkout-order.ts';
import { recordPaymentRefunds } from './payment-refunds.ts';
import { aboutOrder, type RefundedOrder } from './refunded-order.ts';

/** The end stays, whichever of the two comes first. */
const atOrderStatement = statement(
  'orders-record-dispute',
  `update orders set disputes = case when $4::text is null
     then jsonb_build_object($3::text, 'open') || coalesce(disputes, '{}')
     else coalesce(disputes, '{}') || jsonb_build_object($3::text, $4::text) end
   where account_id = $1 and id = $2`,
);

/**
 * Publishes that a dispute of an order's payment was opened or has ended. What a lost one gave back counts as a refund of that
 * payment; the order's status stays, and its lists show the dispute.
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
  await client.query(atOrderStatement([order.account_id, order.id, dispute.disputeId, end?.outcome ?? null]));
  await client.query(insertOutboxSql, [JSON.stringify([event])]);
}
