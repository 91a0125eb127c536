import { type Client, statement, unnamed } from '@app/service-kit/database';
import type { EmailRow } from '@app/service-kit/email-keys';
import { customerIdOf } from './customer-id.ts';

/**
 * Writes the customers whose first orders these are. No statement waits for another one that adds the same customer: both rows stay.
 * @param orders a select of new orders, with `customer_id`
 */
export const insertCustomers = (orders: string): string =>
  `insert into customers (id, account_id, email_key, first_order_id)
     select distinct on (customer_id) customer_id, account_id, email_key, id from (${orders}) as o
     where (select true from customers as c where c.id = o.customer_id and c.first_order_id < o.id limit 1) is null
     order by customer_id, id
     on conflict (id, first_order_id) do nothing`;

const addStatement = statement(
  'customers-of-orders-add',
  insertCustomers(`select k.customer_id, o.account_id, o.email_key, o.id
    from unnest($1::text[], $2::text[]) as k(order_id, customer_id) join orders as o on o.id = k.order_id where not o.test`),
);

/** Writes the customers of orders that have just got the keys of their buyers' addresses. */
export async function addCustomers(client: Client, orders: readonly EmailRow[]): Promise<void> {
  const ids = [orders.map(({ id }) => id), orders.map(({ account_id, email }) => customerIdOf(account_id, email))];
  await client.query(unnamed(addStatement(ids)));
}
