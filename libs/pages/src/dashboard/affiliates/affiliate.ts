import { html } from '../../html.ts';
import type { Redirect } from '../../page.ts';
import { exportLink, onToFile } from '../frame/exports.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Params, Visit } from '../frame/visit.ts';
import { affiliatePage, commissionsPage } from './affiliate-page.ts';
import { findAffiliate } from './parts.ts';

/** GET of one affiliate: what is owed, and the statement. */
export async function showAffiliate(visit: Visit, { code = '' }: Params): Promise<DashboardPage> {
  const [affiliate, statement, { defaultCurrency }] = await Promise.all([
    findAffiliate(visit, code),
    visit.read('getAffiliateStatement', { params: { code }, query: pageQuery(visit) }),
    visit.account(),
  ]);
  const about = { affiliate, defaultCurrency, did: visit.request.query.get('did') };
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
  const about = { affiliate, defaultCurrency, did: null };
  return commissionsPage(about, commissions.data, visit.formats, listPager(visit, 'Pages of commissions', commissions));
}
