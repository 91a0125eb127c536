import { DomainError } from '@app/contracts/errors';
import { outboxColumns, outboxTypes } from '@app/messaging/outbox';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import { claimUsesSql } from '../discounts/claim-uses-sql.ts';
import type { NewOrder } from './new-order.ts';
import { newOrderTypes } from './order-columns.ts';

/** Ids of the orders that the statement wrote or could not write. Orders in neither list were recorded before. */
export interface Recorded {
  readonly recorded: readonly string[];
  /** Their discount code had no use left. */
  readonly usedUp: readonly string[];
}

const ownTypes = { ...newOrderTypes, source: 'text' } as const;
const types = { ...ownTypes, discount_max_uses: 'bigint', ...outboxTypes } as const;
const ownColumns = namesOf(ownTypes);
const incoming = `incoming as (select * from ${tableOf(types, 1, { numbered: true })})`;

const written = (condition: string): string => `inserted as (
     insert into orders (${ownColumns}, status)
     select ${ownColumns}, 'paid' from incoming as i ${condition} order by id
     on conflict (id) do nothing
     returning id
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from incoming where id in (select id from inserted) order by id
   )`;

/** This looks up row by row; for `not exists` the planner may choose to read the whole table. */
const notRecorded = '(select true from orders as o where o.id = i.id) is null';

/**
 * Writes orders and their events in one statement, which is one round trip and one commit for all of them. An order
 * that exists already (its command came again) stays as it is, and its event is not written twice. `confirm_orders`
 * (migrations/0001-initial/orders.ts) fails the whole statement when one of the commands was refused meanwhile.
 */
const recordPlain = statement<Recorded>(
  'orders-record',
  `with ${incoming}, ${written('')}
   select confirm_orders(array(select id from inserted), '{}') as recorded, '{}'::text[] as "usedUp"`,
  { recorded: 'text[]', usedUp: 'text[]' },
);

/**
 * The same for a batch in which discount codes are used, and still one statement. `claims` are the orders with a code that
 * were not recorded before this statement began; those that get a use are in `granted`.
 *
 * All replicas lock rows in one order: codes, then orders. Two attempts of one order at the same time may both claim a use;
 * the second one finds the order when it writes its own, and `confirm_orders` undoes its statement.
 */
const recordWithCodes = statement<Recorded>(
  'orders-record-with-codes',
  `with ${incoming}, claims as (
     select id, account_id, discount_id, discount_max_uses as max_uses, test, ordinality as position from incoming as i
     where discount_id is not null and ${notRecorded}
   ), ${claimUsesSql}, ${written('where discount_id is null or id in (select id from granted)')}
   select
     confirm_orders(
       array(select id from inserted),
       array(select id from granted except select id from inserted)) as recorded,
     array(select id from claims except select id from granted) as "usedUp"`,
  { recorded: 'text[]', usedUp: 'text[]' },
);

/** Whether the statement wrote nothing, because another attempt of one of the orders was refused, or recorded, while it ran. */
export const isSuperseded = (err: unknown): boolean => (err as { code?: unknown }).code === 'FE001';

/**
 * Writes orders and their events.
 * @param orders each at most once
 * @throws DomainError service_unavailable when the database cannot be reached: then nothing was written
 */
export async function recordOrders(database: Database, orders: readonly NewOrder[]): Promise<Recorded> {
  const client = await connect(database);
  let failure: Error | undefined;
  try {
    const record = orders.some(({ discount_id }) => discount_id !== null) ? recordWithCodes : recordPlain;
    const { rows } = await client.query(record(columnsOf(orders, types)));
    return rows[0] as Recorded;
  } catch (err) {
    failure = err as Error;
    throw err;
  } finally {
    // After an error the connection may be dead or still busy with the statement, so the pool must not reuse it.
    client.release(failure);
  }
}

async function connect(database: Database): Promise<Client> {
  try {
    return await database.pool.connect();
  } catch {
    throw new DomainError(
      'service_unavailable',
      'The order database does not answer: repeat the request in a few seconds.',
    );
  }
}
