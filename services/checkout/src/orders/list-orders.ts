import { limits } from '@app/contracts/common';
import type { OrdersQuery } from '@app/contracts/orders';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import { isPaging, type Page, pagedList, pageOf, unknownBefore } from '@app/service-kit/paging';
import { computedFirst } from '@app/service-kit/planner';
import { disputeOf, type OrderRow, orderColumns, orderJson, orderTypes } from './order-rows.ts';
import { type FoundBy, foundBy, wantedOrders } from './orders-wanted.rules.ts';

const isBuyer = 'email_key = $5';
/** Names in the order of their code points: what begins with a text lies between it and it with the last code point appended. */
const name = 'lower(customer_name collate pg_c_utf8)';
const begins = 'lower($6 collate pg_c_utf8)';
const beginsSo = `customer_name <> '' and ${name} >= ${begins} and ${name} < ${begins} || chr(1114111)`;
const isOfAffiliate = 'affiliate_code is not null and lower(affiliate_code) = lower($8)';
const isOfProduct = 'product_id = $9';

/**
 * An id as indexes have it after another key. Between two bounds of the id itself the planner expects few orders, and would read
 * the orders of all accounts between them along the primary key; only the list's own index has this.
 */
const suffix = 'substr(id, 5)';

interface Way {
  /** The condition of its index, beside the account. */
  readonly condition: string;
  /** What the index ends in and lists are in the order of; undefined where few rows are found. */
  readonly idRange: 'id' | typeof suffix | undefined;
}

/** `$1` the account, `$2` and `$3` the bounds of ids, `$4` how many; any of the others may be null. */
const filters = `status <> 'expired'
  and ($5::text is null or ${isBuyer}) and ($6::text is null or (${beginsSo}))
  and ($7::text is null or status = $7) and ($8::text is null or (${isOfAffiliate}))
  and ($9::text is null or ${isOfProduct}) and ($10::text is null or ${disputeOf} = $10)`;

/** Where few rows are found, their ids are sorted, and the rows of a page are looked up. */
function listStatement(name: string, { condition, idRange }: Way) {
  if (idRange !== undefined) {
    const bound = (id: string) => idRange.replace('id', id);
    const inRange = `${idRange} >= ${bound('$2')} and ${idRange} < ${bound('$3')}`;
    const page = `where account_id = $1 and ${condition} and ${inRange} and ${filters} order by ${idRange} desc limit $4`;
    return statement<OrderRow>(name, `select ${orderColumns} from orders ${page}`, orderTypes);
  }
  const found = `select id, status, email_key, customer_name, affiliate_code, product_id, disputes from orders
    where account_id = $1 and ${condition}`;
  const ids = `select id from (${computedFirst(found)}) as found
    where id >= $2 and id < $3 and ${filters} order by id desc limit $4`;
  const page = `where account_id = $1 and id = any (array(${ids})) order by id desc`;
  return statement<OrderRow>(name, `select ${orderColumns} from orders ${page}`, orderTypes);
}

const live: Readonly<Record<FoundBy, ReturnType<typeof listStatement>>> = {
  account: listStatement('orders-live', { condition: 'not test', idRange: 'id' }),
  email: listStatement('orders-live-by-email', { condition: `not test and ${isBuyer}`, idRange: undefined }),
  name: listStatement('orders-live-by-name', { condition: `not test and ${beginsSo}`, idRange: undefined }),
  authorized: listStatement('orders-authorized', {
    condition: `not test and status = 'authorized'`,
    idRange: undefined,
  }),
  refunded: listStatement('orders-refunded', { condition: `not test and status = 'refunded'`, idRange: suffix }),
  disputed: listStatement('orders-disputed', { condition: 'not test and disputes is not null', idRange: suffix }),
  affiliate: listStatement('orders-live-by-affiliate', { condition: `not test and ${isOfAffiliate}`, idRange: suffix }),
  product: listStatement('orders-live-by-product', { condition: `not test and ${isOfProduct}`, idRange: suffix }),
};

/** Rehearsals are few: they have an index of their account and of their buyers. */
const rehearsals = {
  account: listStatement('orders-test', { condition: 'test', idRange: suffix }),
  email: listStatement('orders-test-by-email', { condition: `test and ${isBuyer}`, idRange: undefined }),
} as const;

/** Numbers have no index: all of the account's are compared, along the one of its list and without its rows. */
const numberedOf = (name: string, condition: string) =>
  statement<OrderRow>(
    name,
    `select ${orderColumns} from orders
     where account_id = $1 and id = any (array(
       select id from orders where account_id = $1 and ${condition} and id >= $2 and id < $3 and right(id, 8) = $11))
     and ${filters} order by id desc limit $4`,
    orderTypes,
  );
const numbered = {
  live: numberedOf('orders-live-by-number', 'not test'),
  rehearsals: numberedOf('orders-test-by-number', 'test'),
} as const;

const known = statement('orders-before-known', 'select from orders where account_id = $1 and id = $2');

const ordersOfAccount = pagedList<OrderRow>({
  name: 'orders',
  table: 'orders',
  row: orderTypes,
  columns: orderColumns,
  scope: ['account_id'],
  filter: `not test and status <> 'expired'`,
});

/**
 * The account's latest orders, newest first, without test orders and without orders whose hold was lost. `has_more` is written
 * only with paging or a filter: the published list without them has no such field.
 */
export async function listOrders(database: Database, accountId: string, query: OrdersQuery): Promise<Serialized> {
  const { limit: _limit, before: _before, ...filtering } = query;
  const isFiltered = Object.keys(filtering).length > 0;
  const { data, has_more = false } = isFiltered
    ? await listBy(database, accountId, query, live[foundBy(wantedOrders(query))], numbered.live)
    : await ordersOfAccount(database, [accountId], query);
  return pageJson(data, isFiltered || isPaging(query) ? has_more : undefined);
}

/** The account's rehearsals, newest first. */
export async function listTestOrders(database: Database, accountId: string, query: OrdersQuery): Promise<Serialized> {
  const by = foundBy(wantedOrders(query)) === 'email' ? 'email' : 'account';
  const { data, has_more } = await listBy(database, accountId, query, rehearsals[by], numbered.rehearsals);
  return pageJson(data, has_more);
}

/** A text that may be a number finds that order, and only where there is none the names that begin so. @throws DomainError validation_failed when `before` is the id of no order of the account */
async function listBy(
  { pool }: Database,
  accountId: string,
  query: OrdersQuery,
  list: ReturnType<typeof listStatement>,
  byNumber: ReturnType<typeof numberedOf>,
): Promise<Page<OrderRow>> {
  const { from, before, buyer, nameBegins, number, status, affiliateCode, productId, dispute } = wantedOrders(query);
  const rowsMax = (query.limit ?? limits.listMax) + 1;
  const values = [accountId, from, before, rowsMax, buyer, nameBegins, status, affiliateCode, productId, dispute];
  if (number !== null && query.before === undefined) {
    const ofNumber = await pool.query(byNumber([...values.with(5, null), number]));
    if (ofNumber.rows.length > 0) return pageOf(ofNumber.rows, query);
  }
  const [{ rows }, position] = await Promise.all([
    pool.query(list(values)),
    query.before === undefined ? undefined : pool.query(known([accountId, query.before])),
  ]);
  if (position?.rowCount === 0) throw unknownBefore();
  return pageOf(rows, query);
}

/** As many of the orders as fit a message: an order of 50 bumps with long links has 400 KB. */
function pageJson(rows: readonly OrderRow[], hasMore: boolean | undefined): Serialized {
  const data: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const json = orderJson(row);
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > limits.pageBytes) break;
    data.push(json);
  }
  const more = data.length < rows.length || hasMore;
  const rest = more === undefined ? '' : `,"has_more":${more}`;
  return new Serialized(`{"data":[${data.join(',')}]${rest}}`);
}
