import { emailKey } from '@app/contracts/email-key';
import { RefusedError, refusedPage } from '../frame/answers.ts';
import { filterOf } from '../frame/filters.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { buyerPage, findBuyerPage, wrongBuyerPage } from './buyer-page.ts';

/** How many of each kind the page shows; the lists of orders and of subscriptions have the rest. */
const limit = 20;

/** GET of one buyer, by the email address. */
export async function showBuyer(visit: Visit): Promise<DashboardPage> {
  const email = filterOf(visit, 'email');
  if (email === undefined) return findBuyerPage('');
  try {
    return await buyerPageOf(visit, email);
  } catch (err) {
    if (!(err instanceof RefusedError) || err.problem.status !== 422) throw err;
    return refusedPage(wrongBuyerPage(email));
  }
}

async function buyerPageOf(visit: Visit, email: string): Promise<DashboardPage> {
  const [orders, subscriptions, payments] = await Promise.all([
    visit.read('listOrders', { query: { q: email, limit } }),
    visit.read('listSubscriptions', { query: { email, limit } }),
    visit.read('listPayments', { query: { email, limit } }),
  ]);
  // A search finds ids and names as well.
  const own = orders.data.filter((order) => emailKey(order.customer_email) === emailKey(email));
  const content = { email, orders: own, subscriptions: subscriptions.data, payments: payments.data };
  const isKnown = own.length + subscriptions.data.length + payments.data.length > 0;
  return isKnown ? buyerPage(content, visit.formats) : findBuyerPage(email);
}
