import type { SaleOffer } from '@app/contracts/catalog';
import { DomainError } from '@app/contracts/errors';
import { type OutboxRow, outboxColumns, outboxRecord } from '@app/messaging/outbox';
import { type Database, statement } from '@app/service-kit/database';
import { discountUsedUp, type OrderItem } from './order.rules.ts';

/** An order as it is written: its columns, its items, and its event's outbox row. */
export interface NewOrder extends OutboxRow {
  readonly id: string;
  readonly account_id: string;
  readonly product_id: string;
  readonly customer_email: string;
  readonly customer_name: string;
  readonly totalCents: number;
  readonly currency: string;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly utm_term: string | null;
  readonly utm_content: string | null;
  readonly country: string | null;
  readonly affiliate_code: string | null;
  readonly discount: SaleOffer['discounts'][number] | null;
  readonly discount_id: string | null;
  readonly source: 'api' | 'checkout';
  readonly test: boolean;
  readonly items: readonly OrderItem[];
  readonly created_at: string;
}

/**
 * Orders and their events in one statement, which is one round trip and one commit for all of them. An order that is
 * there already (its command came again) is left as it is, and its event is not written twice.
 */
const insertStatement = statement(
  'orders-insert',
  `with incoming as (
     select * from json_to_recordset($1::json) as o (
       id text, account_id text, product_id text, customer_email text, customer_name text, "totalCents" bigint,
       currency text, utm_source text, utm_medium text, utm_campaign text, utm_term text, utm_content text,
       country text, affiliate_code text, discount_id text, source text, test boolean, items json,
       created_at timestamptz, ${outboxRecord})
   ), inserted as (
     insert into orders (id, account_id, product_id, customer_email, customer_name, total_cents, currency, status,
       utm_source, utm_medium, utm_campaign, utm_term, utm_content, country, affiliate_code, discount_id, source,
       test, items, created_at)
     select id, account_id, product_id, customer_email, customer_name, "totalCents", currency, 'paid',
       utm_source, utm_medium, utm_campaign, utm_term, utm_content, country, affiliate_code, discount_id, source,
       test, items, created_at
     from incoming order by id
     on conflict (id) do nothing
     returning id
   ), told as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from incoming where id in (select id from inserted) order by id
   )
   select id from inserted`,
);

type Runner = Pick<import('@app/service-kit/database').Client, 'query'>;

/**
 * Writes orders, each once in the list; returns the totals of those that were recorded before, by id.
 * @throws DomainError service_unavailable when the database cannot be reached: then nothing was written
 */
export async function insertOrders(database: Database, orders: readonly NewOrder[]): Promise<Map<string, number>> {
  const client = await connect(database);
  try {
    return await write(client, orders);
  } finally {
    client.release();
  }
}

async function connect(database: Database) {
  try {
    return await database.pool.connect();
  } catch {
    throw new DomainError('service_unavailable', 'The order database does not answer; try again shortly.');
  }
}

async function write(client: Runner, orders: readonly NewOrder[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ id: string }>(insertStatement([JSON.stringify(orders)]));
  if (rows.length === orders.length) return new Map();
  const written = new Set(rows.map((row) => row.id));
  return await totalsOf(
    client,
    orders.filter((order) => !written.has(order.id)),
  );
}

const claimUse = statement(
  'discount-claim',
  `insert into discount_uses as u (account_id, discount_id, uses) values ($1, $2, $4)
   on conflict (account_id, discount_id) do update set uses = u.uses + $4 where $3::bigint is null or u.uses < $3
   returning uses`,
);

/**
 * One use of the discount and the order, or neither. An order recorded before takes no second use, and a rehearsal
 * none at all: it is refused where a sale would be, and leaves the uses to sales.
 */
export async function insertDiscounted(database: Database, order: NewOrder): Promise<Map<string, number>> {
  const before = await recordedTotals(database, [order]);
  if (before.size > 0) return before;
  const { discount } = order;
  if (discount === null) throw new Error(`order ${order.id} has no discount`);
  return await database.transaction(async (client) => {
    const uses = order.test ? 0 : 1;
    const claimed = await client.query(claimUse([order.account_id, discount.id, discount.maxUses, uses]));
    if (claimed.rowCount === 0) throw discountUsedUp(discount.code);
    const recorded = await write(client, [order]);
    // The same command at the same time: the other one took the use. Undo ours; the next try finds the order.
    if (recorded.size > 0) throw new DomainError('outcome_unknown', 'The same order is being recorded.');
    return recorded;
  });
}

/** Which order, and whose. */
export type OrderKey = Pick<NewOrder, 'id' | 'account_id'>;

const totalsStatement = statement(
  'orders-totals',
  `select id, total_cents from orders
   where id = any ($2::text[]) and (account_id, id) in (select * from unnest($1::text[], $2::text[]))`,
);

async function totalsOf(client: Runner, orders: readonly OrderKey[]): Promise<Map<string, number>> {
  const values = [orders.map((order) => order.account_id), orders.map((order) => order.id)];
  const { rows } = await client.query<{ id: string; total_cents: number }>(totalsStatement(values));
  return new Map(rows.map((row) => [row.id, row.total_cents]));
}

/** Totals of those of the orders that are recorded, by id. */
export async function recordedTotals(database: Database, orders: readonly OrderKey[]): Promise<Map<string, number>> {
  return await totalsOf(database.pool, orders);
}
