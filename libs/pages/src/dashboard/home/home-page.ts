import type { Overview } from '@app/contracts/overview';
import { checkScripts, checkTexts } from '../../components/checks.ts';
import { badge, notice } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { otherCurrencies, overviewStats, revenueChart } from '../frame/overview.ts';
import type { DashboardPage } from '../frame/visit.ts';
import type { Step } from './first-steps.ts';
import { type LoggedEvent, latestEvents } from './latest-events.ts';

const texts = {
  title: 'Home',
  last: 'The last 30 days',
  steps: 'First steps',
  done: 'Done',
  open: 'Open',
  takesNone: 'Your Stripe account takes no payments: buyers must try again later, and renewals fail.',
  seePayments: 'See what Stripe wants',
} as const;

interface HomeContent {
  readonly overview: Overview;
  readonly currency: string;
  /** Newest first. */
  readonly events: readonly LoggedEvent[];
  readonly steps: readonly Step[];
  /** Stripe takes no payments for the account. */
  readonly takesNone?: boolean;
  readonly formats: Formats;
}

/** What is shown is read again every minute while the page is open. */
export function homePage(content: HomeContent): DashboardPage {
  const { overview, currency, formats } = content;
  return {
    title: texts.title,
    scripts: checkScripts,
    main: html`<div id="live" class="stack wide" hx-get="/app?currency=${currency}" hx-trigger="every 60s, again" hx-target="#live" hx-select="#live" hx-swap="outerHTML" data-check data-unreachable="${checkTexts.unreachable}" data-busy="${checkTexts.busy}">${stoppedNotice(content)}${stepsCard(content)}
<section class="stack"><h2>${texts.last}</h2>${overviewStats(overview, currency, formats)}${revenueChart(overview, currency, formats)}${otherCurrencies(
      overview,
      currency,
      (each) => `/app?currency=${each}`,
    )}</section>${latestEvents(content.events, formats)}</div>`,
  };
}

const stoppedNotice = ({ takesNone }: HomeContent): Html =>
  takesNone
    ? notice('bad', html`${texts.takesNone} <a href="/app/settings/payments">${texts.seePayments}</a>`)
    : html``;

function stepsCard({ steps }: HomeContent): Html {
  if (steps.every(({ isDone }) => isDone)) return html``;
  return html`<section class="card"><h2>${texts.steps}</h2><ol class="steps">${steps.map(
    ({ label, href, isDone }) =>
      html`<li>${isDone ? badge('good', texts.done) : badge('none', texts.open)}<a href="${href}">${label}</a></li>`,
  )}</ol></section>`;
}
