import type { OrderResource } from '@app/contracts/orders';
import type { Overview } from '@app/contracts/overview';
import { checkScripts, checkTexts } from '../../components/checks.ts';
import { badge, notice } from '../../components/notice.ts';
import { tabs } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { eventRows, type LoggedEvent, withoutConsequences } from '../frame/event-rows.ts';
import { otherCurrencies, overviewTiles, revenueChart } from '../frame/overview.ts';
import type { DashboardPage } from '../frame/visit.ts';
import type { Step } from './first-steps.ts';
import { type Need, needsPart } from './needs.ts';
import { type Range, ranges, spanBeforeOf } from './range.ts';
import { sales } from './sales.ts';

const texts = {
  title: 'Home',
  numbers: 'Numbers',
  range: 'Range',
  steps: 'First steps',
  done: 'Done',
  open: 'Open',
  takesNone: 'Your Stripe account takes no payments: buyers must try again later, and renewals fail.',
  seePayments: 'See what Stripe wants',
  events: 'Latest events',
  allEvents: 'All events',
} as const;

/** What changes by itself. */
export interface LiveContent {
  readonly overview: Overview;
  readonly currency: string;
  /** The overview of the span before, for the chart; null where it is not drawn. */
  readonly before: Overview | null;
  readonly range: Range;
  readonly needs: readonly Need[];
  /** The latest, newest first. */
  readonly orders: readonly OrderResource[];
  /** Addresses of pictures by product. */
  readonly pictures: ReadonlyMap<string, string | null>;
  /** Newest first. */
  readonly events: readonly LoggedEvent[];
  readonly formats: Formats;
}

interface HomeContent {
  readonly live: LiveContent;
  readonly steps: readonly Step[];
  /** Stripe takes no payments for the account. */
  readonly takesNone: boolean;
}

export const homeTitle = texts.title;
export const homePath = '/app';
export const livePath = '/app/live';

const addressOf = (path: string, range: Range, currency: string): string =>
  `${path}?range=${range}&currency=${currency}`;

export const homePage = ({ live, steps, takesNone }: HomeContent): DashboardPage => ({
  title: homeTitle,
  scripts: checkScripts,
  action: rangeTabs(live),
  main: html`${takesNone && stoppedNotice}${needsPart(live.needs)}${stepsCard(steps)}${liveNumbers(live)}`,
});

const rangeTabs = ({ range, currency }: LiveContent): Html =>
  tabs(
    texts.range,
    ranges.map(({ id, label }) => ({ label, href: addressOf(homePath, id, currency), isOpen: id === range })),
  );

/** What the page reads again every minute while it is open: what waits stands above the first steps, the rest below them. */
export const liveHome = (content: LiveContent): Html => html`${needsPart(content.needs)}${liveNumbers(content)}`;

function liveNumbers(content: LiveContent): Html {
  const { overview, before, range, currency, formats } = content;
  return html`<div id="live" class="stack wide" hx-get="${addressOf(livePath, range, currency)}" hx-trigger="every 60s, again" hx-target="#live" hx-select="#live" hx-select-oob="#needs" hx-swap="outerHTML" data-check data-unreachable="${checkTexts.unreachable}" data-busy="${checkTexts.busy}"><section class="stack"><h2 class="unseen">${texts.numbers}</h2>${overviewTiles(overview, currency, formats, spanBeforeOf(range))}${range !== 'today' && revenueChart(overview, currency, formats, before)}${otherCurrencies(
    overview,
    currency,
    (each) => addressOf(homePath, range, each),
  )}</section>${sales(content)}${latestEvents(content)}</div>`;
}

/** How many are shown; more are read, because what only follows from another is left out. */
const eventsShown = 8;

/** What happened last, newest first; nothing where nothing has. */
function latestEvents({ events, formats }: LiveContent): Html {
  if (events.length === 0) return html``;
  const shown = withoutConsequences(events).slice(0, eventsShown);
  return html`<section class="stack"><h2>${texts.events}</h2>${eventRows(shown, formats)}<p class="small"><a href="/app/activity/events">${texts.allEvents}</a></p></section>`;
}

const stoppedNotice = notice('bad', html`${texts.takesNone} <a href="/app/settings/payments">${texts.seePayments}</a>`);

function stepsCard(steps: readonly Step[]): Html {
  if (steps.every(({ isDone }) => isDone)) return html``;
  return html`<section class="card"><h2>${texts.steps}</h2><ol class="steps">${steps.map(
    ({ label, href, isDone }) =>
      html`<li>${isDone ? badge('good', texts.done) : badge('none', texts.open)}<a href="${href}">${label}</a></li>`,
  )}</ol></section>`;
}
