import { emailKey } from '@app/contracts/email-key';
import { customerPath } from '../frame/addresses.ts';
import { onTo, RefusedError, refusedPage } from '../frame/answers.ts';
import { filterOf } from '../frame/filters.ts';
import type { Answer, Visit } from '../frame/visit.ts';
import { type BuyerContent, buyerPage, findBuyerPage, wrongBuyerPage } from './buyer-page.ts';

/** How many of each kind the page shows; the lists of orders and of subscriptions have the rest. */
const limit = 20;

/** GET by an email address: on to the customer, or what there is of a buyer who is none. */
export async function showBuyer(visit: Visit): Promise<Answer> {
  const email = filterOf(visit, 'email');
  if (email === undefined) return findBuyerPage('');
  try {
    return await buyerAt(visit, email);
  } catch (err) {
    if (!(err instanceof RefusedError) || err.problem.status !== 422) throw err;
    return refusedPage(wrongBuyerPage(email));
  }
}

async function buyerAt(visit: Visit, email: string): Promise<Answer> {
  const content = await purchasesOf(visit, email);
  const { data } = await visit.read('listCustomers', { query: { q: email, limit: 1 } });
  const customer = data.find((each) => emailKey(each.email) === emailKey(email));
  if (customer !== undefined) return onTo(customerPath(customer.id));
  const { orders, subscriptions, payments } = content;
  const isKnown = orders.length + subscriptions.length + payments.length > 0;
  return isKnown ? buyerPage(content, visit.formats) : findBuyerPage(email);
}

/** What this address bought, and what was charged to it. @throws RefusedError of 422 for what is no address */
export async function purchasesOf(visit: Visit, email: string): Promise<BuyerContent> {
  const [orders, subscriptions, payments] = await Promise.all([
    visit.read('listOrders', { query: { q: email, limit } }),
    visit.read('listSubscriptions', { query: { email, limit } }),
    visit.read('listPayments', { query: { email, limit } }),
  ]);
  // A search finds ids and names as well.
  const own = orders.data.filter((order) => emailKey(order.customer_email) === emailKey(email));
  return { email, orders: own, subscriptions: subscriptions.data, payments: payments.data };
}
