import { dayMs } from '@app/contracts/durations';
import type { Overview, OverviewMoney, OverviewProduct, OverviewSales } from '@app/contracts/overview';
import { metricOf } from '../metrics/formulas.rules.ts';
import { noRollups } from '../metrics/metrics.rules.ts';
import type { DaySums, ProductTotals } from '../rollups/rollups.types.ts';
import type { Point, ProductAtEnd, SpanOfProduct } from './overview.types.ts';

/** The first and the last day, `YYYY-MM-DD`. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

export const daysOf = ({ from, to }: Span): number => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** The span of as many days before. */
export function spanBefore(span: Span): Span {
  const to = dayAfter(span.from, -1);
  return { from: dayAfter(to, 1 - daysOf(span)), to };
}

/** What was read of one account, all of one moment. */
export interface OverviewRows {
  readonly products: readonly ProductAtEnd[];
  readonly spans: readonly SpanOfProduct[];
  readonly points: readonly Point[];
}

type Requested = Pick<Overview, 'from' | 'to' | 'by'> & { readonly limit: number };
type Visits = Overview['visits']['current'];

/** A product with the totals that its numbers of both spans are made of. */
interface Counted {
  readonly product: ProductAtEnd;
  readonly current: ProductTotals;
  readonly previous: ProductTotals;
}

/**
 * Every amount and count of the account is the sum of its products' numbers, each by its published formula; the average order,
 * the rates, views and conversion are the formulas over the sums of all of them.
 */
export function assembleOverview(rows: OverviewRows, requested: Requested): Overview {
  const { from, to, by, limit } = requested;
  const counted = countProducts(rows);
  const dates = datesOf({ from, to }, by);
  const currencies = [...new Set(rows.products.flatMap(({ currency }) => currency ?? []))].toSorted();
  return {
    from,
    to,
    previous: spanBefore({ from, to }),
    by,
    currencies: currencies.map((currency) => {
      const those = counted.filter(({ product }) => product.currency === currency);
      return {
        currency,
        current: spanOf(those.map((each) => each.current)),
        previous: spanOf(those.map((each) => each.previous)),
        series: moneySeries(
          rows.points.filter((point) => point.currency === currency),
          those,
          dates,
        ),
      };
    }),
    visits: {
      current: visitsOf(sumOfTotals(counted.map(({ current }) => current))),
      previous: visitsOf(sumOfTotals(counted.map(({ previous }) => previous))),
      series: visitSeries(rows.points, dates),
    },
    products: ranked(counted.map(productRow)).slice(0, limit),
    productCount: counted.length,
  };
}

/** What is active at a span's end is no sum of its days: it is what the product has at the end of the later span, less what came after. */
function countProducts({ products, spans }: OverviewRows): Counted[] {
  const sums = new Map(spans.map((span) => [`${span.product_id} ${span.is_current}`, span]));
  return products.map((product) => {
    const sumsOf = (isCurrent: boolean) => sums.get(`${product.product_id} ${isCurrent}`);
    const [current, previous] = [sumsOf(true), sumsOf(false)];
    return {
      product,
      current: totalsOf(current, product),
      previous: totalsOf(previous, {
        active_subscriptions: product.active_subscriptions - (current?.active_subscriptions ?? 0),
        mrr_cents: product.mrr_cents - (current?.mrr_cents ?? 0),
      }),
    };
  });
}

type AtEnd = Pick<DaySums, 'active_subscriptions' | 'mrr_cents'>;

const totalsOf = (sums: DaySums | undefined, { active_subscriptions, mrr_cents }: AtEnd): ProductTotals =>
  Object.assign({}, noRollups.totals, sums, { active_subscriptions, mrr_cents });

const moneyOf = (totals: ProductTotals): OverviewMoney => ({
  revenueCents: metricOf('revenueCents', totals),
  orders: metricOf('orders', totals),
  refunds: metricOf('refunds', totals),
  refundedCents: metricOf('refundedCents', totals),
  mrrCents: metricOf('mrrCents', totals),
  activeSubscriptions: metricOf('activeSubscriptions', totals),
});

const visitsOf = (totals: ProductTotals): Visits => ({
  views: metricOf('views', totals),
  conversionRate: metricOf('conversionRate', totals),
  checkoutOrders: totals.checkout_orders,
});

/** The numbers of products of one currency together: amounts and counts are their sums, rates are of all their orders. */
function spanOf(all: readonly ProductTotals[]): OverviewMoney & OverviewSales {
  const money = sumOfMoney(all.map(moneyOf));
  return Object.assign(money, salesOf(money, sumOfTotals(all)));
}

const salesOf = ({ revenueCents, refundedCents }: OverviewMoney, totals: ProductTotals): OverviewSales => ({
  netRevenueCents: revenueCents - refundedCents,
  aovCents: metricOf('aovCents', totals),
  bumpTakeRate: metricOf('bumpTakeRate', totals),
  upsellTakeRate: metricOf('upsellTakeRate', totals),
});

const sumOfMoney = (all: readonly OverviewMoney[]): OverviewMoney => sumOf(all, moneyOf(noRollups.totals));
const sumOfTotals = (all: readonly ProductTotals[]): ProductTotals => sumOf(all, noRollups.totals);

/** Field by field, with the fields of `zero`. */
function sumOf<Numbers extends { readonly [Field in keyof Numbers]: number }>(
  all: readonly Numbers[],
  zero: Numbers,
): Numbers {
  const fields = Object.keys(zero) as (keyof Numbers)[];
  const sums = fields.map((field) => [field, all.reduce((sum, each) => sum + each[field], 0)]);
  return Object.fromEntries(sums);
}

/** What is active at the end of each point: from what was active before the span on. */
function moneySeries(points: readonly Point[], products: readonly Counted[], dates: readonly string[]) {
  const byDate = new Map(points.map((point) => [point.date, point]));
  const before = sumOfTotals(products.map(({ previous }) => previous));
  let { active_subscriptions, mrr_cents } = before;
  return dates.map((date) => {
    const point = byDate.get(date);
    active_subscriptions += point?.active_subscriptions ?? 0;
    mrr_cents += point?.mrr_cents ?? 0;
    return Object.assign({ date }, moneyOf(totalsOf(point, { active_subscriptions, mrr_cents })));
  });
}

function visitSeries(points: readonly Point[], dates: readonly string[]): Overview['visits']['series'] {
  const byDate = Map.groupBy(points, ({ date }) => date);
  const nothing = { active_subscriptions: 0, mrr_cents: 0 };
  return dates.map((date) => {
    const totals = (byDate.get(date) ?? []).map((point) => totalsOf(point, nothing));
    return Object.assign({ date }, visitsOf(sumOfTotals(totals)));
  });
}

/** Every day of the span, or every month of which the span has a day. */
function datesOf(span: Span, by: Overview['by']): string[] {
  const days = Array.from({ length: daysOf(span) }, (_, index) => dayAfter(span.from, index));
  return by === 'day' ? days : [...new Set(days.map((day) => day.slice(0, 7)))];
}

const productRow = ({ product, current }: Counted): OverviewProduct =>
  Object.assign(
    {
      id: product.product_id,
      name: product.name ?? product.product_id,
      pricingType: product.pricing_type,
      currency: product.currency,
    },
    spanOf([current]),
    visitsOf(current),
  );

/**
 * The first of each currency, then the second of each, and so on: amounts of two currencies are not compared, and a limit leaves
 * out no currency.
 */
function ranked(products: readonly OverviewProduct[]): OverviewProduct[] {
  const byRevenue = products.toSorted(
    (a, b) => b.revenueCents - a.revenueCents || b.orders - a.orders || b.views - a.views || (a.id < b.id ? -1 : 1),
  );
  const ranks = [...Map.groupBy(byRevenue, ({ currency }) => currency).values()].flatMap((those) =>
    those.map((product, position) => ({ product, position })),
  );
  return ranks
    .toSorted((a, b) => a.position - b.position || ((a.product.currency ?? '~') < (b.product.currency ?? '~') ? -1 : 1))
    .map(({ product }) => product);
}
