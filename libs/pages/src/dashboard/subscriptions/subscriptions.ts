import { choiceOf, filterOf, given } from '../frame/filters.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { subscriptionsPage } from './subscriptions-page.ts';

const statuses = ['active', 'past_due', 'paused', 'canceled'] as const;

/** GET of the subscriptions, newest first. */
export const showSubscriptions = (visit: Visit): Promise<DashboardPage> => showList(visit, false);

/** GET of those that rehearsals began. */
export const showTestSubscriptions = (visit: Visit): Promise<DashboardPage> => showList(visit, true);

async function showList(visit: Visit, isTest: boolean): Promise<DashboardPage> {
  const email = filterOf(visit, 'email');
  const status = choiceOf(visit, 'status', statuses);
  const query = Object.assign(pageQuery(visit), given({ email }), status && { status });
  const subscriptions = await visit.read('listSubscriptions', {
    query: isTest ? Object.assign(query, { test: 'true' as const }) : query,
  });
  return subscriptionsPage({
    subscriptions: subscriptions.data,
    filters: { email, status },
    isTest,
    formats: visit.formats,
    pager: listPager(visit, 'Pages of subscriptions', subscriptions),
  });
}
