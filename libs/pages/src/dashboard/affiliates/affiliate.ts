import { html } from '../../html.ts';
import type { Redirect } from '../../page.ts';
import { exportLink, onToFile } from '../frame/exports.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Params, Visit } from '../frame/visit.ts';
import { affiliatePage, commissionsPage } from './affiliate-page.ts';
import { findAffiliate } from './parts.ts';

/** GET of one affiliate: what is owed, and the statement. */
export async function showAffiliate(visit: Visit, { code = '' }: Params): Promise<DashboardPage> {
  const [affiliate, statement, { defaultCurrency }, products] = await Promise.all([
    findAffiliate(visit, code),
    visit.read('getAffiliateStatement', { params: { code }, query: pageQuery(visit) }),
    visit.account(),
    visit.read('listProducts', { query: { limit: 100 } }),
  ]);
  const onSale = products.data.filter(({ status }) => status === 'live');
  const wanted = visit.request.query.get('product');
  const chosen = onSale.find(({ id }) => id === wanted) ?? onSale[0] ?? null;
  const about = { affiliate, defaultCurrency, did: visit.request.query.get('did'), onSale, chosen };
  const pager = listPager(visit, 'Pages of the statement', statement);
  const file = statement.data.length > 0 && exportLink(visit);
  return affiliatePage(about, statement, visit.formats, html`${pager}${file}`);
}

/** GET of the statement, as a file. */
export async function exportStatement(visit: Visit, { code = '' }: Params): Promise<Redirect> {
  await visit.read('getAffiliateStatement', { params: { code }, query: { limit: 1 } });
  return onToFile(visit, `/api/v1/affiliates/${encodeURIComponent(code)}/statement/export`);
}

/** GET of the affiliate’s commissions. */
export async function showCommissions(visit: Visit, { code = '' }: Params): Promise<DashboardPage> {
  const [affiliate, commissions, { defaultCurrency }] = await Promise.all([
    findAffiliate(visit, code),
    visit.read('listCommissions', { params: { code }, query: pageQuery(visit) }),
    visit.account(),
  ]);
  const about = { affiliate, defaultCurrency, did: null, onSale: [], chosen: null };
  return commissionsPage(about, commissions.data, visit.formats, listPager(visit, 'Pages of commissions', commissions));
}
