import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { productsPage } from './products-page.ts';

/** Products that sold in the last 30 days, as far as one page of the overview has them. */
const soldMax = 100;

/** GET of the products, newest first. */
export async function showProducts(visit: Visit): Promise<DashboardPage> {
  const [products, overview] = await Promise.all([
    visit.read('listProducts', { query: pageQuery(visit) }),
    visit.call('getOverview', { query: { limit: soldMax } }),
  ]);
  return productsPage({
    products: products.data,
    // Products are there while their numbers are not.
    sold: overview.ok ? new Map(overview.body.products.map((product) => [product.id, product])) : null,
    formats: visit.formats,
    pager: listPager(visit, 'Products', products),
  });
}
