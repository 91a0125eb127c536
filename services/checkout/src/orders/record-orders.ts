import { DomainError } from '@app/contracts/errors';
import { outboxColumns, outboxTypes } from '@app/messaging/outbox';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import { insertCustomers } from '../customers/add-customers.ts';
import { claimUses } from '../discounts/claim-uses.ts';
import type { NewOrder } from './new-order.ts';
import { newOrderTypes } from './order-columns.ts';

/** Ids of the orders that were written or could not be. Orders in neither list were recorded before. */
export interface Recorded {
  readonly recorded: readonly string[];
  /** Their discount code had no use left. */
  readonly usedUp: readonly string[];
}

const ownTypes = { ...newOrderTypes, source: 'text' } as const;
const types = { ...ownTypes, customer_id: 'text', ...outboxTypes } as const;
const ownColumns = namesOf(ownTypes);

/**
 * Writes orders and their events in one statement, which is one round trip and one commit for all of them: a transaction of plain
 * statements was measured at six tenths of its throughput, and every order takes this path. An order that exists already (its
 * command came again) stays as it is, and its event is not written twice. `confirm_orders` (migrations/0001-initial/orders.ts)
 * fails the whole statement when one of the commands was refused meanwhile; its second argument is 0.2.0's,
 * which recorded orders with codes by a statement like this one.
 */
const recordStatement = statement<{ recorded: string[] }>(
  'orders-record',
  `with incoming as (select * from ${tableOf(types, 1)}), inserted as (
     insert into orders (${ownColumns}, status)
     select ${ownColumns}, 'paid' from incoming order by id
     on conflict (id) do nothing
     returning id
   ), buyers as (
     ${insertCustomers('select * from incoming where not test and id in (select id from inserted)')}
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from incoming where id in (select id from inserted) order by id
   )
   select confirm_orders(array(select id from inserted), '{}') as recorded`,
  { recorded: 'text[]' },
);

// A scalar subquery is a look-up for each row; for a join the planner may read the whole table.
const existingStatement = statement<{ id: string }>(
  'orders-existing',
  'select id from unnest($1::text[]) as w(id) where (select true from orders as o where o.id = w.id)',
  { id: 'text' },
);

/** Another attempt of one of the commands recorded its order while this one claimed a use for it: nothing was written. */
class OrderSupersededError extends Error {
  override readonly name = 'OrderSupersededError';
}

/** Whether nothing was written because another attempt of one of the orders was refused, or recorded, meanwhile. */
export const isSuperseded = (err: unknown): boolean =>
  err instanceof OrderSupersededError || (err as { code?: unknown }).code === 'FE001';

/**
 * Writes orders and their events.
 * @param orders each at most once
 * @throws DomainError service_unavailable when the database cannot be reached: then nothing was written
 */
export async function recordOrders(database: Database, orders: readonly NewOrder[]): Promise<Recorded> {
  const useCodes = orders.some(({ discount_id }) => discount_id !== null);
  return await (useCodes ? recordWithCodes(database, orders) : recordPlain(database, orders));
}

async function recordPlain(database: Database, orders: readonly NewOrder[]): Promise<Recorded> {
  const client = await database.pool.connect().catch(() => {
    throw unreachable();
  });
  let failure: Error | undefined;
  try {
    return { recorded: await write(client, orders), usedUp: [] };
  } catch (err) {
    failure = err as Error;
    throw err;
  } finally {
    // After an error the connection may be dead or still busy with the statement, so the pool must not reuse it.
    client.release(failure);
  }
}

/** A batch in which discount codes are used. */
async function recordWithCodes(database: Database, orders: readonly NewOrder[]): Promise<Recorded> {
  let wasReached = false;
  try {
    return await database.transaction(async (client) => {
      wasReached = true;
      return await claimAndWrite(client, orders);
    });
  } catch (err) {
    throw wasReached ? err : unreachable();
  }
}

/**
 * All replicas lock rows in one order: codes, then orders. Two attempts of one order at the same time may both claim a use; the
 * second one finds the order when it writes its own, and undoes its transaction.
 */
async function claimAndWrite(client: Client, orders: readonly NewOrder[]): Promise<Recorded> {
  const { rows } = await client.query(existingStatement([orders.map(({ id }) => id)]));
  const existing = new Set(rows.map(({ id }) => id));
  const claims = orders.flatMap(({ id, account_id, discount_id, discount_max_uses, test }) =>
    discount_id === null || existing.has(id)
      ? []
      : [{ id, accountId: account_id, discountId: discount_id, maxUses: discount_max_uses, test }],
  );
  const granted = await claimUses(client, claims);
  const due = orders.filter(({ id, discount_id }) => discount_id === null || granted.has(id));
  const recorded = due.length === 0 ? [] : await write(client, due);
  const written = new Set(recorded);
  if ([...granted].some((id) => !written.has(id))) throw new OrderSupersededError();
  return { recorded, usedUp: claims.flatMap(({ id }) => (granted.has(id) ? [] : [id])) };
}

/** @returns the ids of those that were written */
async function write(client: Client, orders: readonly NewOrder[]): Promise<readonly string[]> {
  const { rows } = await client.query(recordStatement(columnsOf(orders, types)));
  return rows[0]?.recorded ?? [];
}

const unreachable = (): DomainError =>
  new DomainError('service_unavailable', 'The order database does not answer: repeat the request in a few seconds.');
