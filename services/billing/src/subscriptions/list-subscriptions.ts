import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import type { listSubscriptions as contract } from '@app/contracts/subscriptions';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import { timeOf } from '../runs/rehearsal-time.ts';
import { type SubscriptionRow, subscriptionOf, subscriptionTypes } from './subscription-rows.ts';

const filters = {
  status: 'status',
  collection: 'collection',
  productId: 'product_id',
  email: 'email_key',
} as const;
type Filter = keyof typeof filters;
const all: readonly Filter[] = ['status', 'collection', 'productId', 'email'];

/** One list for each combination of filters: each reads along the index of one of them, in the order of ids. */
function listBy(chosen: readonly Filter[], test: boolean) {
  return pagedList<SubscriptionRow>({
    // PostgreSQL keeps 63 characters of a name.
    name: ['subscriptions', ...(test ? ['test'] : []), ...chosen.map((filter) => filter.toLowerCase())].join('-'),
    table: 'subscriptions',
    row: subscriptionTypes,
    scope: ['account_id', ...chosen.map((filter) => filters[filter])],
    filter: test ? 'test' : 'not test',
  });
}

const keyOf = (chosen: readonly Filter[], test: boolean): string => [test, ...chosen].join();

const lists = new Map<string, ReturnType<typeof listBy>>();
for (let bits = 0; bits < 2 ** all.length; bits += 1) {
  const chosen = all.filter((_, index) => (bits >> index) & 1);
  for (const test of [false, true]) lists.set(keyOf(chosen, test), listBy(chosen, test));
}

/** The account's subscriptions, newest first: those of test orders, or those of all others. Ids sort by time, so they page by id. */
export async function listSubscriptions(
  deps: { readonly database: Database; readonly clock: Clock },
  accountId: string,
  { status, collection, productId, email, test, ...page }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const values = { status, collection, productId, email: email && emailKey(email) };
  const chosen = all.filter((filter) => values[filter] !== undefined);
  const list = lists.get(keyOf(chosen, test === 'true')) as ReturnType<typeof listBy>;
  const scope = [accountId, ...chosen.map((filter) => values[filter] as string)];
  const { data, ...rest } = await list(deps.database, scope, page);
  const now = await timeOf(deps, accountId, test === 'true');
  return { data: data.map((row) => subscriptionOf(row, now)), ...rest };
}
