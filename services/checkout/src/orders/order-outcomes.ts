import { DomainError, type ErrorCode, type FieldError } from '@app/contracts/errors';
import type { Outcome } from '@app/service-kit/batcher';
import { type Database, statement } from '@app/service-kit/database';

export interface PlacedOrder {
  readonly ok: true;
  readonly orderId: string;
  readonly totalCents: number;
}

/** Which order, and whose. */
export interface OrderKey {
  readonly id: string;
  readonly account_id: string;
}

interface OutcomeRow {
  readonly order_id: string;
  readonly total: number | null;
  readonly reason: { code: ErrorCode; detail: string; errors: FieldError[] } | null;
}

const outcomesStatement = statement(
  'orders-outcomes',
  `select w.id as order_id, o.total_cents as total, r.refusal as reason
   from unnest($1::text[], $2::text[]) as w(account_id, id)
   left join orders as o on o.id = w.id and o.account_id = w.account_id
   left join order_refusals as r on r.order_id = w.id and r.account_id = w.account_id`,
);

/** What became of commands before, by the ids of their orders; nothing for those without an outcome. */
export async function recordedOutcomes(
  database: Database,
  orders: readonly OrderKey[],
): Promise<Map<string, Outcome<PlacedOrder>>> {
  const values = [orders.map((order) => order.account_id), orders.map((order) => order.id)];
  const { rows } = await database.pool.query<OutcomeRow>(outcomesStatement(values));
  return outcomesOf(rows);
}

export interface Refused extends OrderKey {
  readonly error: DomainError;
}

const refuseStatement = statement('orders-refuse', 'select order_id, total, reason from refuse_orders($1)');

/**
 * Refuses commands for good: no other try of them is recorded after this. One that was recorded before, under whatever
 * catalog, keeps its order; an order on its way into the database is waited for.
 */
export async function recordRefusals(
  database: Database,
  refused: readonly Refused[],
): Promise<Map<string, Outcome<PlacedOrder>>> {
  const rows = refused.map(({ id, account_id, error }) => ({
    id,
    account_id,
    refusal: { code: error.code, detail: error.message, errors: error.errors },
  }));
  const result = await database.pool.query<OutcomeRow>(refuseStatement([JSON.stringify(rows)]));
  return outcomesOf(result.rows);
}

function outcomesOf(rows: readonly OutcomeRow[]): Map<string, Outcome<PlacedOrder>> {
  const outcomes = new Map<string, Outcome<PlacedOrder>>();
  for (const { order_id, total, reason } of rows) {
    if (total !== null) outcomes.set(order_id, placed(order_id, total));
    else if (reason !== null) {
      outcomes.set(order_id, { ok: false, error: new DomainError(reason.code, reason.detail, reason.errors) });
    }
  }
  return outcomes;
}

export function placed(orderId: string, totalCents: number): Outcome<PlacedOrder> {
  return { ok: true, value: { ok: true, orderId, totalCents } };
}
