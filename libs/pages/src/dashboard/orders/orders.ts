import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { ordersPage } from './orders-page.ts';

/** GET of the orders, newest first. */
export async function showOrders(visit: Visit): Promise<DashboardPage> {
  const orders = await visit.read('listOrders', { query: pageQuery(visit) });
  return ordersPage({
    orders: orders.data,
    formats: visit.formats,
    pager: listPager(visit, 'Orders', orders),
  });
}
