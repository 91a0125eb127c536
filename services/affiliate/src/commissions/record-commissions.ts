import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import type { EventData } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import type { orderPaid } from '@app/contracts/orders';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import { insertOutboxSql, type OutboxRow, outboxRow } from '@app/messaging/outbox';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import { type CommissionTerms, commissionOn, creditOf } from './commission.rules.ts';

type PaidOrder = ReceivedEvent<EventData<typeof orderPaid>>;

/** Most sales name no affiliate code. */
export const namesCode = ({ affiliateCode }: EventData<typeof orderPaid>): boolean => Boolean(affiliateCode);

type CreditedOrder = { readonly order: PaidOrder; readonly code: string };

interface CommissionRow {
  readonly account_id: string;
  readonly id: string;
  readonly affiliate_id: string;
  readonly order_id: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly created_at: string;
}

/**
 * Credits affiliates with the sales that named their code, many sales at a time: one look-up, one insert. The commission
 * on a sale that was refunded already is voided from the beginning. For an unknown code it writes an event, so that the seller is notified; the sale itself stands.
 * @returns how many events it wrote to the outbox
 */
export async function recordCommissions(client: Client, clock: Clock, orders: readonly PaidOrder[]): Promise<number> {
  const credited = orders.flatMap((order) =>
    order.data.affiliateCode ? [{ order, code: order.data.affiliateCode }] : [],
  );
  if (credited.length === 0) return 0;
  const affiliates = await findAffiliates(client, credited);
  const commissions: CommissionRow[] = [];
  const events: OutboxRow[] = [];
  for (const { order, code } of credited) {
    const affiliate = affiliates.get(keyOf(order.accountId, code));
    const credit = creditOf(order.data, affiliate);
    if (credit === 'unmatched') events.push(unmatched(order, code, clock));
    else if (credit === 'commission' && affiliate !== undefined) commissions.push(commissionRow(order, affiliate));
  }
  if (commissions.length > 0) await client.query(insertCommissions([JSON.stringify(commissions)]));
  if (events.length > 0) await client.query(insertEvents([JSON.stringify(events)]));
  return events.length;
}

type AffiliateRow = CommissionTerms & { readonly id: string };

const affiliatesByCode = statement(
  'affiliates-by-codes',
  `select account_id, code, id, email, commission_basis_points as "commissionBasisPoints", commission_cents as "commissionCents"
   from affiliates where (account_id, code_key) in (select * from unnest($1::text[], $2::text[]))`,
);

async function findAffiliates(client: Client, credited: readonly CreditedOrder[]): Promise<Map<string, AffiliateRow>> {
  const values = [credited.map(({ order }) => order.accountId), credited.map(({ code }) => code.toLowerCase())];
  const { rows } = await client.query<AffiliateRow & { account_id: string; code: string }>(affiliatesByCode(values));
  return new Map(rows.map((row) => [keyOf(row.account_id, row.code), row]));
}

const keyOf = (accountId: string, code: string): string => `${accountId} ${code.toLowerCase()}`;

/** Time and id suffix are the sale's: the hold counts from the sale, and commissions sort as orders do. */
function commissionRow({ accountId, data }: PaidOrder, affiliate: AffiliateRow): CommissionRow {
  return {
    account_id: accountId,
    id: idOfCommand('commission', data.orderId.slice(-26)),
    affiliate_id: affiliate.id,
    order_id: data.orderId,
    amount_cents: commissionOn(data, affiliate),
    currency: data.currency,
    created_at: data.paidAt,
  };
}

function unmatched({ accountId, requestId, traceparent, data }: PaidOrder, code: string, clock: Clock): OutboxRow {
  const { orderId, test } = data;
  const row = outboxRow(
    affiliateCodeUnmatched,
    { orderId, code, test },
    { accountId, requestId, nowMs: clock.nowMs() },
  );
  // The batch has a trace of its own; each event continues the trace of its order.
  return { ...row, traceparent: traceparent ?? row.traceparent };
}

/**
 * Locks the orders' rows in `order_refunds`, and makes them where there are none: a refund that is being recorded is waited
 * for and seen, and one that comes meanwhile waits and finds the commission.
 */
const insertCommissions = statement(
  'commissions-insert',
  `with incoming as materialized (
     select * from json_to_recordset($1::json) as r (account_id text, id text, affiliate_id text, order_id text,
       amount_cents bigint, currency text, created_at timestamptz)
   ), refunds as (
     insert into order_refunds (account_id, order_id)
     select distinct account_id, order_id from incoming order by account_id, order_id
     on conflict (account_id, order_id) do update set order_id = excluded.order_id
     returning account_id, order_id, refunded_no > reopened_no as refunded
   )
   insert into commissions (account_id, id, affiliate_id, order_id, amount_cents, currency, status, created_at)
   select account_id, id, affiliate_id, order_id, amount_cents, currency,
     case when refunded then 'voided' else 'pending' end, created_at
   from incoming join refunds using (account_id, order_id)
   on conflict (account_id, order_id) do nothing`,
);
const insertEvents = statement('outbox-insert', insertOutboxSql);
