import { newId } from '@app/contracts/ids';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import { correctionOf, type Latest } from './commission.rules.ts';
import { changeCommissions, insertCommissions, type NewCommission, type StatusChange } from './write-commissions.ts';

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

interface LatestRow extends Latest {
  readonly account_id: string;
  readonly id: string;
  readonly affiliate_id: string;
  readonly order_id: string;
  readonly turn: number;
  readonly amount_cents: number;
  readonly currency: string;
  readonly refunded: boolean;
}

/**
 * A statement of its own: it sees the commissions that were committed while the first one waited for their orders. It
 * waits for payouts that are paying them, in the order in which payouts lock theirs.
 */
const latestStatement = statement(
  'commissions-latest-of-orders',
  `select c.account_id, c.id, c.affiliate_id, c.order_id, c.turn, c.kind, c.status, c.amount_cents, c.currency,
     r.refunded_no > r.reopened_no as refunded
   from order_refunds as r
   join commissions as c on c.account_id = r.account_id and c.order_id = r.order_id and c.turn = (
     select max(turn) from commissions as o where o.account_id = r.account_id and o.order_id = r.order_id)
   where (r.account_id, r.order_id) in (select * from unnest($1::text[], $2::text[]))
   order by c.account_id, c.id for update of c`,
);

/**
 * Takes back the commissions of refunded orders, and brings back those of orders whose refund failed afterwards: unpaid
 * ones are voided and pending again, after a payment an entry with the opposite amount goes into the next payout. Renewals
 * stay earned: a refund gives back the charges of the order, never those of renewals. The highest numbers decide, so doubled
 * and reordered events end alike.
 */
export async function recordRefunds(
  client: Client,
  clock: Clock,
  events: readonly Refund[],
  became: 'refunded' | 'reopened',
): Promise<void> {
  const numbers = events.map(({ accountId, data }) => ({
    account_id: accountId,
    order_id: data.orderId,
    refunded_no: became === 'refunded' ? data.refundNo : 0,
    reopened_no: became === 'reopened' ? data.refundNo : 0,
  }));
  await client.query(recordNumbers([JSON.stringify(numbers)]));
  const values = [numbers.map((row) => row.account_id), numbers.map((row) => row.order_id)];
  const { rows } = await client.query<LatestRow>(latestStatement(values));
  const changes: StatusChange[] = [];
  const opposites: NewCommission[] = [];
  for (const row of rows) {
    const { account_id, id } = row;
    const correction = correctionOf(row, row.refunded);
    if (correction === 'void') changes.push({ account_id, id, status: 'voided' });
    if (correction === 'unvoid') changes.push({ account_id, id, status: 'pending' });
    if (correction === 'opposite') opposites.push(oppositeOf(row, clock));
  }
  await changeCommissions(client, clock, changes);
  await insertCommissions(client, clock, opposites);
}

/** Due at once: what it answers to was due before. */
function oppositeOf({ account_id, affiliate_id, order_id, ...row }: LatestRow, clock: Clock): NewCommission {
  const now = clock.now().toISOString();
  return {
    ...{ account_id, affiliate_id, order_id },
    id: newId('commission', clock.nowMs()),
    kind: row.kind === 'sale' ? 'clawback' : 'sale',
    turn: row.turn + 1,
    amount_cents: -row.amount_cents,
    currency: row.currency,
    status: 'pending',
    created_at: now,
    due_at: now,
  };
}
