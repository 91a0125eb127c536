import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { productsPage } from './products-page.ts';

/** GET of the products, newest first. */
export async function showProducts(visit: Visit): Promise<DashboardPage> {
  const products = await visit.read('listProducts', { query: pageQuery(visit) });
  return productsPage({
    products: products.data,
    formats: visit.formats,
    pager: listPager(visit, 'Products', products),
  });
}
