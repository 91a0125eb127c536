import { currencyOf } from '../frame/overview.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { firstSteps } from './first-steps.ts';
import { homePage } from './home-page.ts';

const ordersShown = 5;

/** GET of the first page: the last 30 days, the latest orders, and what a new account has to do. */
export async function showHome(visit: Visit): Promise<DashboardPage> {
  const latest = visit.read('listOrders', { query: { limit: ordersShown } });
  const [account, overview, orders, steps] = await Promise.all([
    visit.account(),
    visit.read('getOverview', { query: { limit: 1 } }),
    latest,
    firstSteps(visit, latest),
  ]);
  const { request, formats } = visit;
  const currency = currencyOf(overview, request.query.get('currency'), account.defaultCurrency);
  return homePage({ overview, currency, orders: orders.data, steps, formats });
}
