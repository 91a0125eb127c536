import type { EventData } from '@app/contracts/define';
import { disputeClosed, disputeOpened, type disputeRecorded } from '@app/contracts/disputes';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import { type Client, statement } from '@app/service-kit/database';
import type { Source } from '../checkouts/checkout-order.ts';
import { recordPaymentRefunds, takeBackOfDispute } from './payment-refunds.ts';
import { recordReopening } from './record-refund.ts';
import { aboutOrder, type RefundedOrder } from './refunded-order.ts';

/** The end stays, whichever comes first: of a lost one that the bank reversed, that it is won. */
const atOrderStatement = statement(
  'orders-record-dispute',
  `update orders set disputes = case when disputes ->> $3::text = 'won' then disputes when $4::text is null
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
  { end, givenBack, takenBack, orderId: _, ...dispute }: EventData<typeof disputeRecorded>,
  source: Source,
): Promise<void> {
  const { totalCents: _total, paidAt: _paid, ...about } = aboutOrder(order);
  const data = { ...about, ...dispute };
  const { requestId, nowMs } = source;
  const from = { accountId: order.account_id, requestId, nowMs };
  const event =
    end === null ? outboxRow(disputeOpened, data, from) : outboxRow(disputeClosed, { ...data, ...end }, from);
  const after = takenBack === undefined ? order : await takeBack(client, order, dispute.disputeId, takenBack, source);
  if (givenBack !== null) await recordPaymentRefunds(client, after, [givenBack], source, dispute.disputeId);
  await client.query(atOrderStatement([order.account_id, order.id, dispute.disputeId, end?.outcome ?? null]));
  await client.query(insertOutboxSql, [JSON.stringify([event])]);
}

const reversedText = 'The bank has reversed a dispute that was lost, so the order is not refunded.';

/** What a reversed dispute had given back is the seller's again; an order that was refunded by it is paid. */
async function takeBack(
  client: Client,
  order: RefundedOrder,
  disputeId: string,
  { amountCents }: { readonly amountCents: number },
  source: Source,
): Promise<RefundedOrder> {
  const takenBackAt = new Date(source.nowMs).toISOString();
  const after = await takeBackOfDispute(client, order, { disputeId, amountCents, takenBackAt }, source);
  const isOwn = after.order_refunded_cents < order.order_refunded_cents;
  const reopened = isOwn && (await recordReopening(client, after, reversedText, source));
  return reopened ? { ...after, status: 'paid' } : after;
}
