import { dayMs } from '@app/contracts/durations';
import type { FeeSum } from '@app/contracts/fees';
import type { Overview, OverviewMoney, OverviewSales } from '@app/contracts/overview';
import { lineChart } from '../../charts/line-chart.ts';
import { stats, tiles } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import { feesIn, otherFees } from './fees.ts';

const texts = {
  revenue: 'Revenue',
  orders: 'Orders',
  recurring: 'Recurring revenue a month',
  subscriptions: 'Active subscriptions',
  refunds: 'Refunds',
  net: 'Net revenue',
  netOf: (before = '') => `After refunds. ${before}`,
  average: 'Average order',
  bumps: 'Orders with a bump',
  upsells: 'Offered upsells taken',
  noOrders: 'No orders in this span yet',
  afterRefunds: (value: string) => `${value} after refunds`,
  afterFees: 'After fees',
  fees: (value: string) => `${value} of fees`,
  views: 'Views',
  conversion: 'Conversion',
  ofViews: (orders: string, views: string) => `${orders} of ${views}`,
  checkoutOrders: (shown: string, count: number) => `${shown} checkout ${count === 1 ? 'order' : 'orders'}`,
  viewed: (shown: string, count: number) => `${shown} ${count === 1 ? 'view' : 'views'}`,
  beside: (value: string, when: string) => `${value} ${when}`,
  noneBeside: (when: string) => `None ${when}`,
  revenueOf: (from: string, to: string) => `Revenue, ${from} to ${to} (UTC)`,
  currencies: 'In other currencies:',
} as const;

const nothing: OverviewMoney & OverviewSales = {
  revenueCents: 0,
  orders: 0,
  refunds: 0,
  refundedCents: 0,
  mrrCents: 0,
  activeSubscriptions: 0,
};

/** The currency that the address names, or the account's own, or the first in which it sold. */
export function currencyOf({ currencies }: Overview, wanted: string | null, own: string): string {
  const known = currencies.map(({ currency }) => currency);
  return [wanted ?? '', own].find((currency) => known.includes(currency)) ?? known[0] ?? own;
}

/** What a number is beside the one before; left out where there is nothing to compare. */
function changeOf(value: number, was: number, formats: Formats, goodIf: 'more' | 'less') {
  if (was === 0 || value === was) return {};
  const isMore = value > was;
  const share = formats.percent(Math.abs(value - was) / Math.abs(was));
  return { change: { share, isMore, isGood: isMore === (goodIf === 'more') } };
}

/** How the span before is called. */
export interface SpanBefore {
  /** Of what happened in it. */
  readonly during: string;
  /** Of how something stood at its end. */
  readonly atEnd: string;
}

export const daysBefore = (days: number): SpanBefore =>
  days === 1
    ? { during: 'the day before', atEnd: 'the day before' }
    : { during: `in the ${days} days before`, atEnd: `${days} days ago` };

const spanBefore = ({ previous: { from, to } }: Overview): SpanBefore =>
  daysBefore((Date.parse(to) - Date.parse(from)) / dayMs + 1);

const sinceOf = (was: number, shown: (value: number) => string, { during }: SpanBefore): string =>
  was === 0 ? texts.noneBeside(during) : texts.beside(shown(was), during);

/** The numbers of a span in a currency, as they are shown: each beside that of the span before, unless that is null. */
function numbersOf(overview: Overview, currency: string, formats: Formats, span: SpanBefore | null) {
  const found = overview.currencies.find((each) => each.currency === currency);
  const [now, before] = [found?.current ?? nothing, found?.previous ?? nothing];
  /** What happened in a span. */
  const of = (
    label: string,
    value: number,
    was: number,
    shown: (value: number) => string,
    goodIf: 'more' | 'less' = 'more',
  ) => ({
    label,
    value: shown(value),
    since: span === null ? undefined : sinceOf(was, shown, span),
    ...(span !== null && changeOf(value, was, formats, goodIf)),
  });
  /** How it stands at the end of a span. */
  const atEnd = (label: string, value: number, was: number, shown: (value: number) => string) => ({
    label,
    value: shown(value),
    since: span === null ? undefined : texts.beside(shown(was), span.atEnd),
    ...(span !== null && changeOf(value, was, formats, 'more')),
  });
  const money = (cents: number) => formats.amount(cents, currency);
  return { now, before, series: found?.series ?? [], of, atEnd, money };
}

const net = ({ revenueCents, refundedCents, netRevenueCents }: OverviewMoney & OverviewSales) =>
  netRevenueCents ?? revenueCents - refundedCents;

/** Of what a conversion is made: orders recorded by API have no view. Nothing where the checkout's orders are not known. */
export const conversionParts = (
  { checkoutOrders, views }: { readonly checkoutOrders?: number | undefined; readonly views: number },
  formats: Formats,
): string | undefined =>
  checkoutOrders === undefined
    ? undefined
    : texts.ofViews(
        texts.checkoutOrders(formats.count(checkoutOrders), checkoutOrders),
        texts.viewed(formats.count(views), views),
      );

function conversionOf({ visits: { current, previous } }: Overview, formats: Formats, span: SpanBefore | null) {
  const { conversionRate } = current;
  return {
    label: texts.conversion,
    value: formats.percent(conversionRate),
    since: conversionParts(current, formats),
    ...(span !== null && changeOf(conversionRate, previous.conversionRate, formats, 'more')),
  };
}

/** The four numbers of the first page, with how they went over the span. @param span before it; null where none is compared */
export function overviewTiles(
  overview: Overview,
  currency: string,
  formats: Formats,
  span: SpanBefore | null = spanBefore(overview),
): Html {
  const { now, before, series, of, atEnd, money } = numbersOf(overview, currency, formats, span);
  const { visits } = overview;
  const revenue = of(texts.revenue, now.revenueCents, before.revenueCents, money);
  const pointsOf = (field: 'revenueCents' | 'orders' | 'mrrCents') => ({ points: series.map((point) => point[field]) });
  return tiles([
    {
      ...revenue,
      ...(now.refundedCents > 0 && {
        since: [revenue.since, texts.afterRefunds(money(net(now)))].filter((part) => part !== undefined).join(' · '),
      }),
      ...pointsOf('revenueCents'),
    },
    { ...of(texts.orders, now.orders, before.orders, formats.count), ...pointsOf('orders') },
    {
      ...conversionOf(overview, formats, span),
      points: visits.series.map(({ conversionRate }) => conversionRate),
    },
    { ...atEnd(texts.recurring, now.mrrCents, before.mrrCents, money), ...pointsOf('mrrCents') },
  ]);
}

/** Every number of a span. @param fees of the span; null where these could not be read */
export function overviewStats(
  overview: Overview,
  currency: string,
  formats: Formats,
  fees: readonly FeeSum[] | null,
): Html {
  const span = spanBefore(overview);
  const { now, before, of, atEnd, money } = numbersOf(overview, currency, formats, span);
  const { current, previous } = overview.visits;
  const { own, others } = feesIn(currency, feesOf(fees ?? [], currency));
  const afterFees =
    own === null ? [] : [{ label: texts.afterFees, value: money(net(now) - own), since: texts.fees(money(own)) }];
  const left = of(texts.net, net(now), net(before), money);
  const afterRefunds = { ...left, since: texts.netOf(left.since) };
  /** What is of orders has no value without any. */
  const ofOrders = (label: string, field: keyof OverviewSales, shown: (value: number) => string) =>
    now.orders === 0
      ? { label, value: '–', since: texts.noOrders }
      : of(label, now[field] ?? 0, before.orders === 0 ? 0 : (before[field] ?? 0), shown);
  return html`${stats([
    of(texts.revenue, now.revenueCents, before.revenueCents, money),
    of(texts.refunds, now.refundedCents, before.refundedCents, money, 'less'),
    afterRefunds,
    ...afterFees,
    of(texts.orders, now.orders, before.orders, formats.count),
    ofOrders(texts.average, 'aovCents', money),
    ofOrders(texts.bumps, 'bumpTakeRate', formats.percent),
    ofOrders(texts.upsells, 'upsellTakeRate', formats.percent),
    of(texts.views, current.views, previous.views, formats.count),
    conversionOf(overview, formats, span),
    atEnd(texts.recurring, now.mrrCents, before.mrrCents, money),
    atEnd(texts.subscriptions, now.activeSubscriptions, before.activeSubscriptions, formats.count),
  ])}${otherFees(others, formats)}`;
}

/** Those of payments in the currency. */
const feesOf = (fees: readonly FeeSum[], currency: string) =>
  fees
    .filter((fee) => fee.currency === currency)
    .map(({ fee_currency, charges_cents, disputes_cents }) => ({
      currency: fee_currency,
      cents: charges_cents + disputes_cents,
    }));

/** Revenue over the span. @param before the overview of the span before, which is drawn behind */
export function revenueChart(
  overview: Overview,
  currency: string,
  formats: Formats,
  before: Overview | null = null,
): Html {
  const { from, to, by } = overview;
  const pointsOf = ({ currencies }: Overview) =>
    (currencies.find((each) => each.currency === currency)?.series ?? []).map(({ date, revenueCents }) => ({
      date,
      value: revenueCents,
    }));
  return lineChart({
    title: texts.revenueOf(formats.date(from), formats.date(to)),
    points: pointsOf(overview),
    before: before === null ? undefined : pointsOf(before),
    value: (cents) => formats.amount(Math.round(cents), currency),
    tick: (cents) => formats.tick(cents, currency),
    date: by === 'month' ? formats.month : formats.date,
    dateTick: by === 'month' ? formats.month : formats.day,
  });
}

/** Links to the same page in each other currency. */
export function otherCurrencies(overview: Overview, currency: string, href: (currency: string) => string): Html {
  const others = overview.currencies.filter((each) => each.currency !== currency);
  if (others.length === 0) return html``;
  const links = others.map((each) => html`<a href="${href(each.currency)}">${each.currency.toUpperCase()}</a>`);
  return html`<p class="small">${texts.currencies} ${joined(links, ', ')}</p>`;
}
