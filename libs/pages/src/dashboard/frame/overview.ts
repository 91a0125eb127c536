import type { FeeSum } from '@app/contracts/fees';
import type { Overview, OverviewMoney } from '@app/contracts/overview';
import { lineChart } from '../../charts/line-chart.ts';
import { stats } from '../../components/parts.ts';
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
  net: 'After refunds',
  afterFees: 'After fees',
  fees: (value: string) => `${value} of fees`,
  views: 'Views',
  conversion: 'Conversion',
  before: (value: string) => `${value} before`,
  revenueOf: (from: string, to: string) => `Revenue, ${from} to ${to} (UTC)`,
  currencies: 'In other currencies:',
} as const;

const nothing: OverviewMoney = {
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

/** An arrow and a number: a colour would say whether that is good, which is the seller's to say. */
function since(current: number, previous: number, shown: (value: number) => string): string {
  const arrow = current > previous ? '▲' : current < previous ? '▼' : '=';
  return `${arrow} ${texts.before(shown(previous))}`;
}

/**
 * The numbers of a span beside those of the one before.
 * @param full those too that the first page leaves out, with the fees of the span; null where these could not be read
 */
export function overviewStats(
  overview: Overview,
  currency: string,
  formats: Formats,
  full?: { readonly fees: readonly FeeSum[] | null },
): Html {
  const found = overview.currencies.find((each) => each.currency === currency);
  const [now, before] = [found?.current ?? nothing, found?.previous ?? nothing];
  const { current, previous } = overview.visits;
  const of = (label: string, value: number, was: number, shown: (value: number) => string) => ({
    label,
    value: shown(value),
    since: since(value, was, shown),
  });
  const money = (cents: number) => formats.amount(cents, currency);
  const four = [
    of(texts.revenue, now.revenueCents, before.revenueCents, money),
    of(texts.orders, now.orders, before.orders, formats.count),
    of(texts.recurring, now.mrrCents, before.mrrCents, money),
    of(texts.conversion, current.conversionRate, previous.conversionRate, formats.percent),
  ];
  if (full === undefined) return stats(four);
  const net = ({ revenueCents, refundedCents }: OverviewMoney) => revenueCents - refundedCents;
  const { own, others } = feesIn(currency, feesOf(full.fees ?? [], currency));
  const afterFees =
    own === null ? [] : [{ label: texts.afterFees, value: money(net(now) - own), since: texts.fees(money(own)) }];
  return html`${stats([
    ...four,
    of(texts.refunds, now.refundedCents, before.refundedCents, money),
    of(texts.net, net(now), net(before), money),
    ...afterFees,
    of(texts.subscriptions, now.activeSubscriptions, before.activeSubscriptions, formats.count),
    of(texts.views, current.views, previous.views, formats.count),
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

/** Revenue over the span. */
export function revenueChart({ from, to, currencies }: Overview, currency: string, formats: Formats): Html {
  const series = currencies.find((each) => each.currency === currency)?.series ?? [];
  return lineChart({
    title: texts.revenueOf(formats.date(from), formats.date(to)),
    points: series.map(({ date, revenueCents }) => ({ date, value: revenueCents })),
    value: (cents) => formats.amount(Math.round(cents), currency),
    date: (date) => formats.date(date.length === 7 ? `${date}-01` : date),
  });
}

/** Links to the same page in each other currency. */
export function otherCurrencies(overview: Overview, currency: string, href: (currency: string) => string): Html {
  const others = overview.currencies.filter((each) => each.currency !== currency);
  if (others.length === 0) return html``;
  const links = others.map((each) => html`<a href="${href(each.currency)}">${each.currency.toUpperCase()}</a>`);
  return html`<p class="small">${texts.currencies} ${joined(links, ', ')}</p>`;
}
