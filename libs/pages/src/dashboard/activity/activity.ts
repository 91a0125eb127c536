import { isOldPosition, listPager } from '../frame/lists.ts';
import { type DashboardPage, RefusedError, refusedPage, type Visit } from '../frame/visit.ts';
import { activityPage } from './activity-page.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { filtersOf, isFiltered } from './filters.ts';

/** GET of what happened: each attempt of a delivery, and each notice, newest first. */
export async function showActivity(visit: Visit): Promise<DashboardPage> {
  const listed = await visit.call('listActivity', { query: filtersOf(visit) as never });
  if (!listed.ok) {
    if (listed.problem.status !== 422 || isOldPosition(listed.problem))
      throw new RefusedError(listed.problem, listed.retryAfterSeconds);
    return refusedPage(activityPage(visit, { entries: [], problem: listed.problem }));
  }
  return activityPage(visit, {
    entries: listed.body.data,
    problem: null,
    pager: listPager(visit, 'Activity', listed.body),
    isFiltered: isFiltered(visit),
  });
}

/** GET of the deliveries: each event on its way to each endpoint. */
export async function showDeliveries(visit: Visit): Promise<DashboardPage> {
  const listed = await visit.call('listWebhookDeliveries', { query: filtersOf(visit) as never });
  if (!listed.ok) {
    if (listed.problem.status !== 422 || isOldPosition(listed.problem))
      throw new RefusedError(listed.problem, listed.retryAfterSeconds);
    return refusedPage(deliveriesPage(visit, { deliveries: [], problem: listed.problem }));
  }
  return deliveriesPage(visit, {
    deliveries: listed.body.data,
    problem: null,
    pager: listPager(visit, 'Deliveries', listed.body),
    isFiltered: isFiltered(visit),
  });
}
