import { choiceOf, filterOf, given } from '../frame/filters.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { checkoutsPage } from './checkouts-page.ts';
import type { Named } from './parts.ts';
import { productsListed } from './parts.ts';

const statuses = ['open', 'stalled', 'reminded', 'expired'] as const;

/** GET of the checkouts whose buyers gave an email and have not paid, newest first. */
export async function showCheckouts(visit: Visit): Promise<DashboardPage> {
  const productId = filterOf(visit, 'productId');
  const status = choiceOf(visit, 'status', statuses);
  const query = Object.assign(pageQuery(visit), given({ productId }), status && { status });
  const [checkouts, products] = await Promise.all([
    visit.read('listCheckouts', { query }),
    visit.read('listProducts', { query: { limit: productsListed } }),
  ]);
  return checkoutsPage({
    checkouts: checkouts.data,
    names: await namesOf(visit, checkouts.data, products.data),
    products: products.data,
    filters: { status, productId },
    formats: visit.formats,
    pager: listPager(visit, 'Pages of checkouts', checkouts),
  });
}

/** Names of the products of a page, also of those beyond the first hundred. */
async function namesOf(
  visit: Visit,
  checkouts: readonly { readonly product_id: string }[],
  listed: Named,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map(listed.map(({ id, name }) => [id, name]));
  const others = new Set(checkouts.map(({ product_id }) => product_id).filter((id) => !names.has(id)));
  for (const { id, name } of await Promise.all(
    [...others].map((id) => visit.read('getProduct', { params: { productId: id } })),
  ))
    names.set(id, name);
  return names;
}
