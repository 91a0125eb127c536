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
  return affiliatePage(about, statement, visit.formats, listPager(visit, 'Pages of the statement', statement));
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
