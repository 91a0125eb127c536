import type { CustomerResource } from '@app/contracts/customers';
import { DomainError } from '@app/contracts/errors';
import type { CallContext } from '@app/messaging/requester';
import { statement } from '@app/service-kit/database';
import type { Customer } from './customer.rules.ts';
import { type CustomerDeps, readCustomers } from './read-customers.ts';

const byId = statement<Customer>(
  'customers-by-id',
  'select id, email_key from customers where account_id = $1 and id = $2 order by first_order_id limit 1',
  { id: 'text', email_key: 'text' },
);

/** @throws DomainError customer_not_found, for another account's, and for one whose orders all ended unpaid, as well */
export async function getCustomer(
  deps: CustomerDeps,
  context: CallContext,
  customerId: string,
): Promise<CustomerResource> {
  const { rows } = await deps.database.pool.query(byId([context.accountId, customerId]));
  const [customer] = await readCustomers(deps, context, rows);
  if (customer === undefined) throw new DomainError('customer_not_found', `No customer has the id "${customerId}".`);
  return customer;
}
