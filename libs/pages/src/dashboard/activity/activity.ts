import type { Refused } from '../../call.ts';
import { RefusedError, refusedPage } from '../frame/answers.ts';
import { isOldPosition, type Listed, listPager, pageQuery } from '../frame/lists.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { activityPage } from './activity-page.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { eventsPage } from './events-page.ts';
import { type Filtered, filtersOf, isFiltered } from './filters.ts';

/** GET of what happened: each attempt of a delivery, and each notice, newest first. */
export async function showActivity(visit: Visit): Promise<DashboardPage> {
  const result = await visit.call('listActivity', { query: filtersOf(visit) as never });
  return shown(visit, 'Activity', result, activityPage);
}

/** GET of the deliveries: each event on its way to each endpoint. */
export async function showDeliveries(visit: Visit): Promise<DashboardPage> {
  const result = await visit.call('listWebhookDeliveries', { query: filtersOf(visit) as never });
  return shown(visit, 'Deliveries', result, deliveriesPage);
}

/** GET of what happened, whether or not anything was sent about it. */
export async function showEvents(visit: Visit): Promise<DashboardPage> {
  const list = await visit.read('listEvents', { query: { order: 'desc', ...pageQuery(visit) } });
  return eventsPage({ events: list.data, formats: visit.formats, pager: listPager(visit, 'Events', list) });
}

/** @throws RefusedError for what no change of the filters mends */
function shown<Item extends Listed['data'][number]>(
  visit: Visit,
  label: string,
  result: { readonly ok: true; readonly body: Listed<Item> } | Refused,
  pageOf: (visit: Visit, list: Filtered<Item>) => DashboardPage,
): DashboardPage {
  if (result.ok) {
    const { body } = result;
    const pager = listPager(visit, label, body);
    return pageOf(visit, { items: body.data, problem: null, pager, isFiltered: isFiltered(visit) });
  }
  const { problem, retryAfterSeconds } = result;
  if (problem.status !== 422 || isOldPosition(problem)) throw new RefusedError(problem, retryAfterSeconds);
  return refusedPage(pageOf(visit, { items: [], problem }));
}
