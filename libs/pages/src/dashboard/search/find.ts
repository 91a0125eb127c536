import type { OrderResource } from '@app/contracts/orders';
import type { ProductResource } from '@app/contracts/products';
import type { SubscriptionResource } from '@app/contracts/subscriptions';
import type { Problem } from '../../call.ts';
import { RefusedError } from '../frame/answers.ts';
import type { Visit } from '../frame/visit.ts';

/** How many of each kind are shown. */
export const shownMax = 5;
const pageSize = 100;
/** A list that no operation searches is read up to here. */
export const readMax = 1_000;

/** What a search found of each kind, newest first, and one more than is shown where there are more. */
export interface Found {
  readonly orders: readonly OrderResource[];
  readonly subscriptions: readonly SubscriptionResource[];
  readonly products: readonly Pick<ProductResource, 'id' | 'name' | 'slug'>[];
  readonly affiliates: readonly { readonly code: string; readonly name: string; readonly email: string }[];
  /** Whether products and affiliates were read to the end of their lists, as far as they had to be. */
  readonly isAll: boolean;
}

/**
 * Searches for a text: in orders and subscriptions for a buyer's whole address, the number of an order, or the beginning of a name; in products and affiliates
 * for a part of a name, of an address or of a code.
 */
export async function find(visit: Visit, text: string): Promise<Found> {
  const [sales, products, affiliates] = await Promise.all([
    findSales(visit, text),
    findIn(
      (page) => visit.read('listProducts', { query: page }),
      ({ name, slug }) => has([name, slug], text),
    ),
    findIn(
      (page) => visit.read('listAffiliates', { query: page }),
      ({ id, name, email, code }) => has([id, name, email, code], text),
    ),
  ]);
  const isAll = products.isAll && affiliates.isAll;
  return Object.assign(sales, { products: products.found, affiliates: affiliates.found, isAll });
}

/** Subscriptions are found by their buyers' addresses: the one that was typed, or those of the orders that a name finds. */
async function findSales({ call }: Visit, text: string): Promise<Pick<Found, 'orders' | 'subscriptions'>> {
  const limit = shownMax + 1;
  const orders = listed(await call('listOrders', { query: { q: text, limit } }));
  const emails = text.includes('@') ? [text] : [...new Set(orders.map((order) => order.customer_email))];
  const lists = await Promise.all(emails.map((email) => call('listSubscriptions', { query: { email, limit } })));
  return { orders, subscriptions: lists.flatMap(listed).slice(0, limit) };
}

interface Listed<Item> {
  readonly ok: true;
  readonly body: { readonly data: readonly Item[] };
}
interface Refusal {
  readonly ok: false;
  readonly problem: Problem;
  readonly retryAfterSeconds: number | null;
}

/** A text that an operation refuses finds nothing. @throws RefusedError for any other refusal */
function listed<Item>(result: Listed<Item> | Refusal): readonly Item[] {
  if (result.ok) return result.body.data;
  if (result.problem.status === 422) return [];
  throw new RefusedError(result.problem, result.retryAfterSeconds);
}

interface Page {
  readonly limit: number;
  readonly before?: string;
}

async function findIn<Item extends { readonly id: string }>(
  read: (page: Page) => Promise<{ readonly data: readonly Item[]; readonly has_more?: boolean | undefined }>,
  matches: (item: Item) => boolean,
): Promise<{ readonly found: Item[]; readonly isAll: boolean }> {
  const found: Item[] = [];
  let page: Page = { limit: pageSize };
  for (let count = 0; count < readMax; count += pageSize) {
    const { data, has_more } = await read(page);
    found.push(...data.filter(matches));
    const last = data.at(-1);
    if (has_more !== true || last === undefined || found.length > shownMax) return { found, isAll: true };
    page = { limit: pageSize, before: last.id };
  }
  return { found, isAll: false };
}

const has = (texts: readonly string[], wanted: string): boolean =>
  texts.some((text) => text.toLowerCase().includes(wanted.toLowerCase()));
