import type { ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, statement } from '@app/service-kit/database';

/** What a refund, and the failure of one afterwards, say of their order. */
type Refund = ReceivedEvent<{ readonly orderId: string; readonly refundNo: number }>;

const recordNumbers = statement(
  'refunds-record',
  `insert into order_refunds as r (account_id, order_id, refunded_no, reopened_no)
   select account_id, order_id, max(refunded_no), max(reopened_no)
   from json_to_recordset($1::json) as f (account_id text, order_id text, refunded_no integer, reopened_no integer)
   group by account_id, order_id order by account_id, order_id
   on conflict (account_id, order_id) do update set
     refunded_no = greatest(r.refunded_no, excluded.refunded_no),
     reopened_no = greatest(r.reopened_no, excluded.reopened_no)`,
);

/** A statement of its own: it sees the commissions that were committed while the first one waited for their orders. */
const settleCommissions = statement(
  'commissions-void',
  `update commissions as c set status = case when refunded_no > reopened_no then 'voided' else 'pending' end
   from order_refunds as r
   where (r.account_id, r.order_id) in (select * from unnest($1::text[], $2::text[]))
     and c.account_id = r.account_id and c.order_id = r.order_id
     and case when refunded_no > reopened_no then c.status in ('pending', 'due') else c.status = 'voided' end`,
);

/**
 * Voids the unpaid commissions of refunded orders, and brings back those of orders whose refund failed afterwards, as
 * pending. The highest numbers decide, so doubled and reordered events end alike.
 */
export async function recordRefunds(
  client: Client,
  events: readonly Refund[],
  became: 'refunded' | 'reopened',
): Promise<void> {
  const rows = events.map(({ accountId, data }) => ({
    account_id: accountId,
    order_id: data.orderId,
    refunded_no: became === 'refunded' ? data.refundNo : 0,
    reopened_no: became === 'reopened' ? data.refundNo : 0,
  }));
  await client.query(recordNumbers([JSON.stringify(rows)]));
  await client.query(settleCommissions([rows.map((row) => row.account_id), rows.map((row) => row.order_id)]));
}
