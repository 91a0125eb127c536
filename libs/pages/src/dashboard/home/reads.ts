import { choiceOf } from '../frame/filters.ts';
import type { Visit } from '../frame/visit.ts';
import { queryOf, rangeIds } from './range.ts';

const productsShown = 5;
const ordersShown = 6;
/** Whose pictures are known. */
const productsRead = 100;

/** What several parts of the page are made of is read once. */
export function readsOf(visit: Visit) {
  const range = choiceOf(visit, 'range', rangeIds) ?? '30d';
  const query = Object.assign({ limit: productsShown }, queryOf(range, visit.request.now));
  return {
    range,
    numbers: visit.read('getOverview', { query }),
    orders: visit.read('listOrders', { query: { limit: ordersShown } }),
    products: visit.read('listProducts', { query: { limit: productsRead } }),
    endpoints: visit.read('listWebhookEndpoints', {}),
  };
}
export type HomeReads = ReturnType<typeof readsOf>;
