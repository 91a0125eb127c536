import { readSettings } from '@app/account-settings/read-settings';
import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import type { EventData } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import type { orderPaid } from '@app/contracts/orders';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import { insertOutboxSql, type OutboxRow, outboxRow } from '@app/messaging/outbox';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import { type CommissionTerms, commissionOn, creditOf, dueAt } from './commission.rules.ts';
import { lockOrders, orderKey } from './lock-orders.ts';
import { correctCommissions } from './record-refunds.ts';
import { creditWaitingRenewals } from './record-renewals.ts';
import { insertCommissions, type NewCommission } from './write-commissions.ts';

type PaidOrder = ReceivedEvent<EventData<typeof orderPaid>>;

/** Most sales name no affiliate code. */
export const namesCode = ({ affiliateCode }: EventData<typeof orderPaid>): boolean => Boolean(affiliateCode);

type CreditedOrder = { readonly order: PaidOrder; readonly code: string };

/**
 * Credits affiliates with the sales that named their code, many sales at a time, and with the renewals of them that came
 * first. The commission on a sale that was refunded already is voided from the beginning. For an unknown code it writes an
 * event, so that the seller is notified; the sale itself stands.
 * @returns how many events it wrote to the outbox
 */
export async function recordCommissions(client: Client, clock: Clock, orders: readonly PaidOrder[]): Promise<number> {
  const credited = orders.flatMap((order) =>
    order.data.affiliateCode ? [{ order, code: order.data.affiliateCode }] : [],
  );
  if (credited.length === 0) return 0;
  const affiliates = await findAffiliates(client, credited);
  const sales: CreditedSale[] = [];
  const events: OutboxRow[] = [];
  for (const { order, code } of credited) {
    const affiliate = affiliates.get(affiliateKey(order.accountId, code));
    const credit = creditOf(order.data, affiliate);
    if (credit === 'unmatched') events.push(unmatched(order, code, clock));
    else if (credit === 'commission' && affiliate !== undefined) sales.push({ order, affiliate });
  }
  if (sales.length > 0) await recordSales(client, clock, sales);
  if (events.length > 0) await client.query(insertEvents([JSON.stringify(events)]));
  return events.length;
}

interface CreditedSale {
  readonly order: PaidOrder;
  readonly affiliate: AffiliateRow;
}

async function recordSales(client: Client, clock: Clock, sales: readonly CreditedSale[]): Promise<void> {
  const keys = sales.map(({ order: { accountId, data } }) => ({ accountId, orderId: data.orderId }));
  const refunded = await lockOrders(client, keys);
  const settings = await readSettings(
    client,
    keys.map(({ accountId }) => accountId),
  );
  const rows = sales.map(({ order, affiliate }) => {
    const { accountId, data } = order;
    const isRefunded = refunded.get(orderKey({ accountId, orderId: data.orderId })) === true;
    return saleRow(order, affiliate, isRefunded, settings.get(accountId)?.commissionHoldDays ?? 0);
  });
  await insertCommissions(client, clock, rows);
  await creditWaitingRenewals(client, clock, keys);
  await correctCommissions(client, clock, keys);
}

type AffiliateRow = CommissionTerms & { readonly id: string; readonly email: string; readonly renewalMonths: number };

const affiliatesByCode = statement<AffiliateRow & { account_id: string; code: string }>(
  'affiliates-by-codes',
  `select account_id, code, id, email, commission_basis_points as "commissionBasisPoints",
     commission_cents as "commissionCents", renewal_months as "renewalMonths"
   from affiliates where (account_id, code_key) in (select * from unnest($1::text[], $2::text[]))`,
  {
    account_id: 'text',
    code: 'text',
    commissionBasisPoints: 'int4',
    commissionCents: 'int8',
    email: 'text',
    id: 'text',
    renewalMonths: 'int4',
  },
);

async function findAffiliates(client: Client, credited: readonly CreditedOrder[]): Promise<Map<string, AffiliateRow>> {
  const values = [credited.map(({ order }) => order.accountId), credited.map(({ code }) => code.toLowerCase())];
  const { rows } = await client.query(affiliatesByCode(values));
  return new Map(rows.map((row) => [affiliateKey(row.account_id, row.code), row]));
}

const affiliateKey = (accountId: string, code: string): string => `${accountId} ${code.toLowerCase()}`;

/** Time and id suffix are the sale's: the hold counts from the sale, and commissions sort as orders do. */
function saleRow(
  { accountId, data }: PaidOrder,
  affiliate: AffiliateRow,
  refunded: boolean,
  holdDays: number,
): NewCommission {
  return {
    account_id: accountId,
    id: idOfCommand('commission', data.orderId.slice(-26)),
    affiliate_id: affiliate.id,
    order_id: data.orderId,
    kind: 'sale',
    correction_no: 0,
    amount_cents: commissionOn(data, affiliate),
    currency: data.currency,
    status: refunded ? 'voided' : 'pending',
    created_at: data.paidAt,
    due_at: dueAt(data.paidAt, holdDays),
    commission_basis_points: affiliate.commissionBasisPoints,
    commission_cents: affiliate.commissionCents,
    renewal_months: affiliate.renewalMonths,
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

const insertEvents = statement('outbox-insert', insertOutboxSql);
