import { explainedMetric } from '@app/contracts/metrics';
import { overviewStep } from '@app/contracts/overview';
import type { Problem } from '../../call.ts';
import { nothingHere } from '../frame/answers.ts';
import { choiceOf, filterOf, given } from '../frame/filters.ts';
import { currencyOf } from '../frame/overview.ts';
import type { DashboardPage, Params, Visit } from '../frame/visit.ts';
import { explanationPage, spans } from './explanation-page.ts';
import { metricsPage } from './metrics-page.ts';
import { productMetricsPage } from './product-metrics-page.ts';

const productsShown = 50;

/** GET of the numbers of all products over a span of days. */
export async function showMetrics(visit: Visit): Promise<DashboardPage> {
  const { request, formats, path } = visit;
  const filters = { from: filterOf(visit, 'from'), to: filterOf(visit, 'to') };
  const by = choiceOf(visit, 'by', overviewStep.options);
  const query = Object.assign({ limit: productsShown }, given(filters), by === undefined ? {} : { by });
  const [account, found, stays] = await Promise.all([
    visit.account(),
    visit.call('getOverview', { query }),
    visit.call('getRetention', {}),
  ]);
  // A span that cannot be is the sentence above that of the last 30 days.
  const overview = found.ok ? found.body : await visit.read('getOverview', { query: { limit: productsShown } });
  const currency = currencyOf(overview, request.query.get('currency'), account.defaultCurrency);
  const problem = found.ok ? null : wrongSpan(found.problem);
  const kept = await visit.call('getFees', { query: { from: overview.from, to: overview.to } });
  const fees = kept.ok ? kept.body.data : null;
  const retention = stays.ok ? stays.body : null;
  const shown = { overview, currency, formats, path, query: request.query, problem, fees, retention };
  return Object.assign(metricsPage(shown), { status: found.ok ? 200 : 422 });
}

const ends: Readonly<Record<string, string>> = { from: 'The first day', to: 'The last day' };

/** Why a span cannot be, in the page's own names of its ends. */
const wrongSpan = ({ errors = [], detail }: Problem): string => {
  const [error] = errors;
  const end = ends[error?.field ?? ''];
  return end === undefined ? detail : `${end} ${error?.message.replaceAll('`to`', 'the last day')}.`;
};

/** GET of every published number of a product. */
export async function showProductMetrics(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const params = { productId: id };
  const [metrics, product, conversion] = await Promise.all([
    visit.read('getMetrics', { params }),
    visit.read('getProduct', { params }),
    visit.call('explainMetric', { params, query: { metric: 'conversionRate', limit: 1 } }),
  ]);
  const checkoutOrders = conversion.ok ? conversion.body.parts.checkoutOrders : undefined;
  const { formats, path } = visit;
  return productMetricsPage({ metrics, checkoutOrders, currency: product.currency, formats, path });
}

const factsShown = 50;

/** GET of how a number comes about: its formula, its parts, and the facts behind it. */
export async function showExplanation(visit: Visit, { id = '', metric = '' }: Params): Promise<DashboardPage> {
  const known = explainedMetric.safeParse(metric);
  if (!known.success) throw nothingHere(visit);
  const { query, now } = visit.request;
  const months = spans.find((each) => String(each) === query.get('months')) ?? spans[0];
  // Churn is a number of one month alone.
  const month = query.get('month') ?? (known.data === 'churn' ? monthBefore(now, 0) : null);
  const after = query.get('after');
  const requested = Object.assign(
    { metric: known.data, limit: factsShown },
    month === null ? {} : { month },
    after === null ? {} : { after },
  );
  const [explanation, series, product] = await Promise.all([
    visit.read('explainMetric', { params: { productId: id }, query: requested }),
    visit.read('getMetricSeries', {
      params: { productId: id },
      query: { metric: known.data, from: monthBefore(now, months - 1) },
    }),
    visit.read('getProduct', { params: { productId: id } }),
  ]);
  return explanationPage({ explanation, series, months, product, formats: visit.formats, path: visit.path });
}

/** `YYYY-MM`, so many months before that of a moment. */
function monthBefore(now: string, months: number): string {
  const at = new Date(now);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months)).toISOString().slice(0, 7);
}
