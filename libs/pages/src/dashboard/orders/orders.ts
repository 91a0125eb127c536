import { choiceOf, dayStart, filterOf, given } from '../frame/filters.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { type OrderFilters, ordersPage } from './orders-page.ts';

const statuses = ['paid', 'refunded', 'authorized'] as const;

/** GET of the orders, newest first. */
export const showOrders = (visit: Visit): Promise<DashboardPage> => showList(visit, 'listOrders');

/** GET of the orders that were rehearsals. */
export const showTestOrders = (visit: Visit): Promise<DashboardPage> => showList(visit, 'listTestOrders');

async function showList(visit: Visit, operation: 'listOrders' | 'listTestOrders'): Promise<DashboardPage> {
  const filters = filtersOf(visit);
  const { q, productId, affiliateCode } = filters;
  const status = choiceOf(visit, 'status', statuses);
  const spans = { from: dayStart(filters.from), to: dayStart(filters.to, 1) };
  const narrowed = given({ q, productId, affiliateCode, from: spans.from, to: spans.to });
  const query = Object.assign(pageQuery(visit), narrowed, status && { status });
  const [orders, products] = await Promise.all([
    visit.read(operation, { query }),
    visit.read('listProducts', { query: { limit: 100 } }),
  ]);
  return ordersPage({
    orders: orders.data,
    products: products.data,
    filters,
    isTest: operation === 'listTestOrders',
    formats: visit.formats,
    pager: listPager(visit, 'Pages of orders', orders),
  });
}

const filtersOf = (visit: Visit): OrderFilters => ({
  q: filterOf(visit, 'q'),
  status: choiceOf(visit, 'status', statuses),
  productId: filterOf(visit, 'productId'),
  affiliateCode: filterOf(visit, 'affiliateCode'),
  from: filterOf(visit, 'from'),
  to: filterOf(visit, 'to'),
});
