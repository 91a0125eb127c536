import { currencyOf } from '../frame/overview.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { firstSteps } from './first-steps.ts';
import { homePage } from './home-page.ts';

const eventsShown = 8;

/** GET of the first page: the last 30 days, the latest events, and what a new account has to do. */
export async function showHome(visit: Visit): Promise<DashboardPage> {
  const numbers = visit.read('getOverview', { query: { limit: 1 } });
  const [account, overview, events, steps, payments] = await Promise.all([
    visit.account(),
    numbers,
    visit.read('listEvents', { query: { order: 'desc', limit: eventsShown } }),
    firstSteps(visit, numbers),
    visit.read('getPaymentProcessor', {}),
  ]);
  const { request, formats } = visit;
  const currency = currencyOf(overview, request.query.get('currency'), account.defaultCurrency);
  const takesNone = payments.processor === 'stripe' && payments.stripe?.live?.charges_enabled === false;
  return homePage({ overview, currency, events: events.data, steps, formats, takesNone });
}
