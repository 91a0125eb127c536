import { limits } from '@app/contracts/common';
import type { CustomersQuery, listCustomers as contract } from '@app/contracts/customers';
import type { RequestOutput } from '@app/contracts/define';
import { isId } from '@app/contracts/ids';
import type { CallContext } from '@app/messaging/requester';
import { type Database, statement } from '@app/service-kit/database';
import { pageOf, unknownBefore } from '@app/service-kit/paging';
import type { Customer } from './customer.rules.ts';
import { customerIdOf } from './customer-id.ts';
import { type CustomerDeps, readCustomers } from './read-customers.ts';

/** Sorts after every order's id: the first character of its suffix is a digit. */
const afterAllOrders = 'ord_z';

/** A scalar subquery is a look-up for each row. Left out is a buyer whose only orders ended unpaid. */
const bought = `(select true from orders as o
  where o.account_id = c.account_id and o.email_key = c.email_key and not o.test and o.status <> 'expired' limit 1)`;

/** Of two rows of one customer the earlier counts. */
const isFirst = `(select true from customers as e where e.id = c.id and e.first_order_id < c.first_order_id limit 1) is null`;

/** `$1` the account, `$2` the order before which first orders are listed, `$3` how many. */
const page = (from: string): string =>
  `select c.id, c.email_key from ${from} as c where c.account_id = $1 and c.first_order_id < $2 and ${isFirst} and ${bought}
   order by c.first_order_id desc limit $3`;

const types = { id: 'text', email_key: 'text' } as const;

const allStatement = statement<Customer>('customers-page', page('customers'), types);

/** `$4` ids. The row of each is looked up, and they are sorted: those that are wanted are few. */
const amongStatement = statement<Customer>(
  'customers-page-among',
  page(`(select found.* from unnest($4::text[]) as w(id)
    cross join lateral (select id, account_id, email_key, first_order_id from customers where id = w.id
      order by first_order_id limit 1) as found)`),
  types,
);

/** Names in the order of their code points: what begins with a text lies between it and it with the last code point appended. */
const name = 'lower(customer_name collate pg_c_utf8)';
const begins = 'lower($2 collate pg_c_utf8)';

const namedStatement = statement<{ readonly email_key: string }>(
  'customers-named',
  `select distinct email_key from orders
   where account_id = $1 and not test and customer_name <> '' and ${name} >= ${begins} and ${name} < ${begins} || chr(1114111)
     and email_key is not null`,
  { email_key: 'text' },
);

const positionStatement = statement<{ readonly first_order_id: string }>(
  'customers-position',
  'select first_order_id from customers where account_id = $1 and id = $2 order by first_order_id limit 1',
  { first_order_id: 'text' },
);

/**
 * The account's buyers, those who bought first most recently at the beginning. Each page is one scan along an index.
 * @throws DomainError validation_failed when `before` is the id of no customer of the account
 */
export async function listCustomers(
  deps: CustomerDeps,
  context: CallContext,
  query: CustomersQuery,
): Promise<RequestOutput<typeof contract>> {
  const { database } = deps;
  const { accountId } = context;
  const [before, among] = await Promise.all([
    positionOf(database, accountId, query.before),
    query.q === undefined ? undefined : wantedIds(database, accountId, query.q),
  ]);
  const rowsMax = (query.limit ?? limits.listMax) + 1;
  const { rows } = await database.pool.query(
    among === undefined
      ? allStatement([accountId, before, rowsMax])
      : amongStatement([accountId, before, rowsMax, among]),
  );
  const { data, ...rest } = pageOf(rows, query);
  return { data: await readCustomers(deps, context, data), ...rest };
}

async function positionOf({ pool }: Database, accountId: string, before: string | undefined): Promise<string> {
  if (before === undefined) return afterAllOrders;
  const { rows } = await pool.query(positionStatement([accountId, before]));
  const [position] = rows;
  if (position === undefined) throw unknownBefore();
  return position.first_order_id;
}

/** The ids that a search may mean, whether or not they are customers'. */
async function wantedIds({ pool }: Database, accountId: string, q: string): Promise<readonly string[]> {
  if (q.includes('@')) return [customerIdOf(accountId, q)];
  const id = q.toLowerCase();
  if (isId('customer', id)) return [id];
  const { rows } = await pool.query(namedStatement([accountId, q]));
  return rows.map(({ email_key }) => customerIdOf(accountId, email_key));
}
