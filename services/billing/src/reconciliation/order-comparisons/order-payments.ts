import { type Database, statement } from '@app/service-kit/database';
import type { OrderPayments } from './order-comparison.rules.ts';

/**
 * Each order is a few look-ups by index. $1 account, $2 orders, $3 until when what ended had the time to arrive at checkout
 */
const paymentsStatement = statement<OrderPayments>(
  'order-comparisons-payments',
  `select w.order_id as "orderId", coalesce(p.paid, false) as paid, h.status as hold,
     coalesce(h.currency, c.currency) as currency,
     c.charged as "chargedCents", c.refunded as "refundedCents", c.lost as "lostCents", s.status as subscription,
     coalesce(p.is_open, false) or coalesce(greatest(p.ended_at, h.settled_at, c.reopened_at) > $3, false) as moving
   from unnest($2::text[]) as w(order_id)
   cross join lateral (
     select bool_or(step = 'main' and status = 'succeeded') as paid, bool_or(next_check_at is not null) as is_open,
       max(finished_at) as ended_at
     from payments where account_id = $1 and order_id = w.order_id and step not in ('renewal', 'card') and not test) as p
   cross join lateral (
     select coalesce(sum(amount_cents), 0)::bigint as charged, coalesce(sum(refunded_cents), 0)::bigint as refunded,
       coalesce(sum(lost_cents), 0)::bigint as lost,
       min(currency) as currency, max(reopened_at) as reopened_at
     from charges where account_id = $1 and order_id = w.order_id and step <> 'renewal' and not test) as c
   left join lateral (
     select status, currency, settled_at from holds where account_id = $1 and order_id = w.order_id and not test) as h on true
   left join lateral (
     select status from subscriptions where account_id = $1 and order_id = w.order_id and not test) as s on true`,
  {
    chargedCents: 'int8',
    currency: 'text',
    hold: 'text',
    lostCents: 'int8',
    moving: 'bool',
    orderId: 'text',
    paid: 'bool',
    refundedCents: 'int8',
    subscription: 'text',
  },
);

/** What billing has of these orders. @param quietSince what ended later may not be recorded by checkout yet */
export async function readOrderPayments(
  { pool }: Database,
  accountId: string,
  orderIds: readonly string[],
  quietSince: Date,
): Promise<OrderPayments[]> {
  return (await pool.query(paymentsStatement([accountId, orderIds, quietSince]))).rows;
}

const pageRows = 1_000;

/** $1 account, $2 and $3 the last row before, $4 until when, $5 rows */
const movedStatement = (name: string, table: string, id: string, at: string, where: string) =>
  statement<MovedRow>(
    `order-comparisons-${name}`,
    `select ${id} as id, order_id, ${at} as at from ${table}
     where account_id = $1 and not test and ${where}
       and ${at} >= $2 and (${at}, ${id}) > ($2::timestamptz, $3) and ${at} <= $4
     order by ${at}, ${id} limit $5`,
    { id: 'text', order_id: 'text', at: 'timestamptz' },
  );

const movedStatements = [
  movedStatement('charges', 'charges', 'id', 'charged_at', `step <> 'renewal'`),
  movedStatement('holds', 'holds', 'payment_id', 'held_at', 'true'),
  movedStatement('reopened', 'charges', 'id', 'reopened_at', `step <> 'renewal' and reopened_at is not null`),
  movedStatement('refunds', 'payments', 'id', 'finished_at', `step = 'refund' and status = 'succeeded'`),
];

interface MovedRow {
  readonly id: string;
  readonly order_id: string;
  readonly at: Date;
}

/** Orders whose money moved after `from`, until `until`: charged, held, given back, or opened again because a refund failed. */
export async function* ordersThatMoved(
  { pool }: Database,
  accountId: string,
  from: Date,
  until: Date,
): AsyncGenerator<string[]> {
  for (const moved of movedStatements) {
    let [at, id] = [from, ''];
    let page: MovedRow[];
    do {
      page = (await pool.query(moved([accountId, at, id, until, pageRows]))).rows;
      ({ at, id } = page.at(-1) ?? { at, id });
      yield page.map(({ order_id }) => order_id);
    } while (page.length === pageRows);
  }
}

const subscribedStatement = statement<Pick<MovedRow, 'id' | 'order_id'>>(
  'order-comparisons-subscriptions',
  `select id, order_id from subscriptions
   where account_id = $1 and not test and id > $2 and id < $3 order by id limit $4`,
  { id: 'text', order_id: 'text' },
);

/** Orders of the subscriptions whose ids lie between. */
export async function* ordersSubscribed(
  { pool }: Database,
  accountId: string,
  from: string,
  until: string,
): AsyncGenerator<string[]> {
  let after = from;
  let page: Pick<MovedRow, 'id' | 'order_id'>[];
  do {
    page = (await pool.query(subscribedStatement([accountId, after, until, pageRows]))).rows;
    after = page.at(-1)?.id ?? after;
    yield page.map(({ order_id }) => order_id);
  } while (page.length === pageRows);
}
