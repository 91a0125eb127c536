import { DomainError, type ErrorCode, type FieldError } from '@app/contracts/errors';
import type { ItemResult } from '@app/service-kit/batcher';
import { type Database, statement } from '@app/service-kit/database';
import { isUnreached } from '@app/service-kit/outages';
import { withOne } from '@app/service-kit/planner';

export interface CreatedOrder {
  readonly ok: true;
  readonly orderId: string;
  readonly totalCents: number;
}

/** Which order, and whose; named as the columns. */
export interface OrderKey {
  readonly id: string;
  readonly account_id: string;
}

interface OutcomeRow {
  readonly order_id: string;
  readonly total: number | null;
  readonly reason: { code: ErrorCode; detail: string; errors: FieldError[] } | null;
}

const outcomesStatement = statement<OutcomeRow>(
  'orders-outcomes',
  `select w.id as order_id, o.total_cents as total, r.refusal as reason
   from unnest($1::text[], $2::text[]) as w(account_id, id)
   ${withOne('select total_cents from orders where id = w.id and account_id = w.account_id', 'o')}
   ${withOne('select refusal from order_refusals where order_id = w.id and account_id = w.account_id', 'r')}`,
  { order_id: 'text', reason: 'json', total: 'int8' },
);

/** Outcomes that commands have already, by the ids of their orders; no entry for a command without an outcome. */
export async function recordedOutcomes(
  database: Database,
  orders: readonly OrderKey[],
): Promise<Map<string, ItemResult<CreatedOrder>>> {
  const values = [orders.map((order) => order.account_id), orders.map((order) => order.id)];
  return outcomesOf(await queryOutcomes(database, outcomesStatement(values)));
}

/** A command and what it is refused for. */
export interface OrderRefusal extends OrderKey {
  readonly error: DomainError;
}

const refuseStatement = statement<OutcomeRow>(
  'orders-refuse',
  'select order_id, total, reason from refuse_orders($1)',
  { order_id: 'text', reason: 'json', total: 'int8' },
);

/**
 * Refuses commands for good: no other attempt of them is recorded after this. When another attempt of a command was recorded
 * before, under whatever catalog, that order is the command's outcome; an order on its way into the database is waited for. `refuse_orders`
 * (migrations/0001-initial/orders.ts) does both.
 * @returns one outcome for each refusal, in their order
 */
export async function recordRefusals(
  database: Database,
  refusals: readonly OrderRefusal[],
): Promise<ItemResult<CreatedOrder>[]> {
  const rows = refusals.map(({ id, account_id, error }) => ({
    id,
    account_id,
    refusal: { code: error.code, detail: error.message, errors: error.errors },
  }));
  const outcomes = outcomesOf(await queryOutcomes(database, refuseStatement([JSON.stringify(rows)])));
  return refusals.map(({ id, error }) => outcomes.get(id) ?? { ok: false, error });
}

/**
 * A failed connection is reported as `outcome_unknown`, not as `service_unavailable`: an earlier attempt of this command may
 * have been recorded, so its caller must repeat the request.
 */
async function queryOutcomes(database: Database, query: ReturnType<typeof outcomesStatement>): Promise<OutcomeRow[]> {
  try {
    return (await database.pool.query(query)).rows;
  } catch (err) {
    throw isUnreached(err) ? new DomainError('outcome_unknown', 'The order database does not answer.') : err;
  }
}

function outcomesOf(rows: readonly OutcomeRow[]): Map<string, ItemResult<CreatedOrder>> {
  const outcomes = new Map<string, ItemResult<CreatedOrder>>();
  for (const { order_id, total, reason } of rows) {
    if (total !== null) outcomes.set(order_id, createdOrder(order_id, total));
    else if (reason !== null) {
      outcomes.set(order_id, { ok: false, error: new DomainError(reason.code, reason.detail, reason.errors) });
    }
  }
  return outcomes;
}

export function createdOrder(orderId: string, totalCents: number): ItemResult<CreatedOrder> {
  return { ok: true, value: { ok: true, orderId, totalCents } };
}
