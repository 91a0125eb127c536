import { filterOf, given } from '../frame/filters.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Params, Visit } from '../frame/visit.ts';
import { purchasesOf } from './buyer.ts';
import { buyerPage } from './buyer-page.ts';
import { customersPage } from './customers-page.ts';

/** GET of the customers, those who bought first most recently at the beginning. */
export async function showCustomers(visit: Visit): Promise<DashboardPage> {
  const q = filterOf(visit, 'q');
  const customers = await visit.read('listCustomers', { query: Object.assign(pageQuery(visit), given({ q })) });
  const pager = listPager(visit, 'Pages of customers', customers);
  return customersPage({ customers: customers.data, q, formats: visit.formats, pager });
}

/** GET of one customer, with what was bought. */
export async function showCustomer(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const customer = await visit.read('getCustomer', { params: { customerId: id } });
  return buyerPage(Object.assign({ customer }, await purchasesOf(visit, customer.email)), visit.formats);
}
