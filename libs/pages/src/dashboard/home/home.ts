import { currencyOf } from '../frame/overview.ts';
import type { Body, DashboardPage, Visit } from '../frame/visit.ts';
import { firstSteps } from './first-steps.ts';
import { homePage, homeTitle, type LiveContent, liveHome } from './home-page.ts';
import { readNeeds } from './needs.ts';
import { fromFirst } from './range.ts';
import { type HomeReads, readsOf } from './reads.ts';

/** Of eight that are shown, with what follows from them. */
const eventsRead = 24;

/** GET of the first page: what waits for the seller, the numbers of a span, the latest sales and events, and what a new account has to do. */
export async function showHome(visit: Visit): Promise<DashboardPage> {
  const reads = readsOf(visit);
  const [account, live, steps] = await Promise.all([visit.account(), readLive(visit, reads), firstSteps(visit, reads)]);
  return homePage({ live: liveOf(visit, live, account.defaultCurrency), steps, takesNone: account.takesNone });
}

/** GET of the part of it that changes by itself, which gets itself again: without the frame, and without what is done once. */
export async function showLiveHome(visit: Visit): Promise<DashboardPage> {
  const currency = visit.request.query.get('currency') ?? '';
  return { title: homeTitle, main: liveHome(liveOf(visit, await readLive(visit, readsOf(visit)), currency)) };
}

async function readLive(visit: Visit, reads: HomeReads) {
  const [overview, before, needs, orders, products, events] = await Promise.all([
    reads.numbers,
    numbersBefore(visit, reads),
    readNeeds(visit, reads.endpoints),
    reads.orders,
    reads.products,
    visit.read('listEvents', { query: { order: 'desc', limit: eventsRead } }),
  ]);
  return { range: reads.range, overview, before, needs, orders: orders.data, products, events: events.data };
}

function liveOf(
  { request, formats }: Visit,
  { products, overview, ...read }: Awaited<ReturnType<typeof readLive>>,
  ownCurrency: string,
): LiveContent {
  return Object.assign(read, {
    overview: read.range === 'all' ? fromFirst(overview) : overview,
    currency: currencyOf(overview, request.query.get('currency'), ownCurrency),
    pictures: new Map(products.data.map(({ id, image_url }) => [id, image_url])),
    formats,
  });
}

/** The span before, point by point; null where the chart has none: a day is one point, and before all there is nothing. */
async function numbersBefore(
  visit: Visit,
  { range, numbers }: Pick<HomeReads, 'range' | 'numbers'>,
): Promise<Body<'getOverview'> | null> {
  if (range === 'today' || range === 'all') return null;
  const { previous, by } = await numbers;
  return await visit.read('getOverview', { query: Object.assign({ limit: 1, by }, previous) });
}
