import { html } from '../../html.ts';
import type { Redirect } from '../../page.ts';
import { exportLink, onToFile } from '../frame/exports.ts';
import { choiceOf, dayStart, filterOf, given } from '../frame/filters.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { type OrderFilters, ordersPage } from './orders-page.ts';
import { productsListed } from './parts.ts';

const statuses = ['paid', 'refunded', 'authorized'] as const;

/** GET of the orders, newest first. */
export const showOrders = (visit: Visit): Promise<DashboardPage> => showList(visit, 'listOrders');

/** GET of the orders that were rehearsals. */
export const showTestOrders = (visit: Visit): Promise<DashboardPage> => showList(visit, 'listTestOrders');

/** GET of the orders that the address names, as a file. */
export async function exportOrders(visit: Visit): Promise<Redirect> {
  const filters = narrowedTo(visit);
  await visit.read('listOrders', { query: Object.assign({ limit: 1 }, filters) });
  return onToFile(visit, '/api/v1/orders/export', filters);
}

async function showList(visit: Visit, operation: 'listOrders' | 'listTestOrders'): Promise<DashboardPage> {
  const query = Object.assign(pageQuery(visit), narrowedTo(visit));
  const [orders, products] = await Promise.all([
    visit.read(operation, { query }),
    visit.read('listProducts', { query: { limit: productsListed } }),
  ]);
  const isTest = operation === 'listTestOrders';
  const pager = listPager(visit, 'Pages of orders', orders);
  return ordersPage({
    orders: orders.data,
    products: products.data,
    filters: filtersOf(visit),
    isTest,
    formats: visit.formats,
    // No file has test orders.
    pager: isTest || orders.data.length === 0 ? pager : html`${pager}${exportLink(visit)}`,
  });
}

/** The filters of the address, as operations take them. */
function narrowedTo(visit: Visit) {
  const { q, productId, affiliateCode, status, dispute, ...days } = filtersOf(visit);
  const narrowed = given({ q, productId, affiliateCode, from: dayStart(days.from), to: dayStart(days.to, 1) });
  return Object.assign(narrowed, status && { status }, dispute && { dispute });
}

const filtersOf = (visit: Visit): OrderFilters => ({
  q: filterOf(visit, 'q'),
  status: choiceOf(visit, 'status', statuses),
  dispute: choiceOf(visit, 'dispute', ['open', 'lost']),
  productId: filterOf(visit, 'productId'),
  affiliateCode: filterOf(visit, 'affiliateCode'),
  from: filterOf(visit, 'from'),
  to: filterOf(visit, 'to'),
});
