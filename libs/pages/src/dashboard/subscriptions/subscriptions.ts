import { html } from '../../html.ts';
import type { Redirect } from '../../page.ts';
import { RefusedError, refusedPage } from '../frame/answers.ts';
import { exportLink, onToFile } from '../frame/exports.ts';
import { choiceOf, filterOf, given } from '../frame/filters.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { subscriptionsPage } from './subscriptions-page.ts';

const statuses = ['active', 'past_due', 'paused', 'canceled'] as const;

/** GET of the subscriptions, newest first. */
export const showSubscriptions = (visit: Visit): Promise<DashboardPage> => showList(visit, false);

/** GET of those that rehearsals began. */
export const showTestSubscriptions = (visit: Visit): Promise<DashboardPage> => showList(visit, true);

/** GET of the subscriptions that the address names, as a file. */
export const exportSubscriptions = (visit: Visit): Promise<Redirect> => exportList(visit, false);

/** GET of those that rehearsals began, as a file. */
export const exportTestSubscriptions = (visit: Visit): Promise<Redirect> => exportList(visit, true);

async function exportList(visit: Visit, isTest: boolean): Promise<Redirect> {
  const filters = narrowedTo(visit, isTest);
  await visit.read('listSubscriptions', { query: Object.assign({ limit: 1 }, filters) });
  return onToFile(visit, '/api/v1/subscriptions/export', filters);
}

async function showList(visit: Visit, isTest: boolean): Promise<DashboardPage> {
  const query = Object.assign(pageQuery(visit), narrowedTo(visit, isTest));
  const listed = await visit.call('listSubscriptions', { query });
  if (!listed.ok) {
    const { problem, retryAfterSeconds } = listed;
    if (!problem.errors?.some(({ field }) => field === 'email')) throw new RefusedError(problem, retryAfterSeconds);
    const wrong = { subscriptions: [], filters: filtersOf(visit), isTest, isWrong: true, formats: visit.formats };
    return refusedPage(subscriptionsPage(Object.assign(wrong, { pager: html`` })));
  }
  const subscriptions = listed.body;
  const pager = listPager(visit, 'Pages of subscriptions', subscriptions);
  return subscriptionsPage({
    subscriptions: subscriptions.data,
    filters: filtersOf(visit),
    isTest,
    formats: visit.formats,
    pager: subscriptions.data.length === 0 ? pager : html`${pager}${exportLink(visit)}`,
  });
}

const filtersOf = (visit: Visit) => ({ email: filterOf(visit, 'email'), status: choiceOf(visit, 'status', statuses) });

/** The filters of the address, as operations take them. */
function narrowedTo(visit: Visit, isTest: boolean) {
  const { email, status } = filtersOf(visit);
  return Object.assign(given({ email }), status && { status }, isTest ? { test: 'true' as const } : {});
}
