import { type CustomerResource, readBuyerTotals } from '@app/contracts/customers';
import type { CallContext, Requester } from '@app/messaging/requester';
import { type Database, statement } from '@app/service-kit/database';
import { type CurrencyTotals, type Customer, customersOf } from './customer.rules.ts';

export interface CustomerDeps {
  readonly database: Database;
  readonly requester: Requester;
}

/** Along the index of buyers: what is read is what these buyers ordered. */
const totalsStatement = statement<CurrencyTotals>(
  'customers-totals',
  `select email_key, currency, count(*)::int4 as orders,
     sum(case status when 'paid' then total_cents - given_back_cents when 'refunded' then refunded_cents - given_back_cents
       else 0 end)::int8 as kept_cents,
     min(created_at) as first_at, max(created_at) as last_at,
     (array_agg(customer_email order by id desc))[1] as last_email,
     (array_agg(customer_name order by id desc) filter (where customer_name <> ''))[1] as last_name
   from orders
   where account_id = $1 and email_key = any ($2) and not test and status <> 'expired'
   group by email_key, currency`,
  {
    email_key: 'text',
    currency: 'text',
    orders: 'int4',
    kept_cents: 'int8',
    first_at: 'timestamptz',
    last_at: 'timestamptz',
    last_email: 'text',
    last_name: 'text',
  },
);

/**
 * What there is to show of these customers, of which a page may have 100. Billing says what renewals add.
 * @throws DomainError service_unavailable while billing does not answer
 */
export async function readCustomers(
  { database, requester }: CustomerDeps,
  { accountId, requestId }: CallContext,
  customers: readonly Customer[],
): Promise<CustomerResource[]> {
  if (customers.length === 0) return [];
  const emailKeys = customers.map(({ email_key }) => email_key);
  const [{ rows }, renewed] = await Promise.all([
    database.pool.query(totalsStatement([accountId, emailKeys])),
    requester.request(readBuyerTotals, { emailKeys }, { accountId, requestId }),
  ]);
  return customersOf(customers, rows, renewed);
}
