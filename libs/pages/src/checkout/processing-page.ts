import { linkButton } from '../components/button.ts';
import { type Html, html } from '../html.ts';
import type { PageOf } from './model.ts';
import { orderLines, sellerLine, shopFooter, testBar } from './parts.ts';

const texts = {
  title: 'Your payment is being checked',
  text: 'This page shows the outcome by itself. You are charged once at most, also if you close it.',
  long: 'It takes longer than usual. You are charged once at most. Come back to this page later, or write to the shop.',
  look: 'Check now',
} as const;

export interface ProcessingContent {
  /** Where the page is with one more check counted. */
  readonly nextUrl: string;
  /** How often it has checked. */
  readonly checks: number;
}

const firstSeconds = 2;
const longestSeconds = 60;
/** After two minutes or so. */
const manyChecks = 8;

/** Before the next check: two seconds, and each time half as long again, up to a minute. */
export const secondsToNextCheck = (checks: number): number =>
  Math.min(longestSeconds, Math.round(firstSeconds * 1.5 ** Math.min(checks, 20)));

/** It refreshes itself, ever slower: by htmx, and by the head without script. */
export function processingPage({ purchase, formats, content }: PageOf<ProcessingContent>): Html {
  return html`<div id="page">${testBar(purchase)}<main class="single">${sellerLine(purchase.shop)}
<div class="stack tight" role="status" id="check-${content.checks}" hx-get="${content.nextUrl}" hx-trigger="load delay:${secondsToNextCheck(content.checks)}s"
hx-target="#page" hx-select="#page" hx-swap="outerHTML"><h1>${texts.title}</h1><p>${content.checks < manyChecks ? texts.text : texts.long}</p></div>
${linkButton({ label: texts.look, href: content.nextUrl, isWide: true })}
<section class="card">${orderLines(purchase, formats)}</section>${shopFooter(purchase.shop)}</main></div>`;
}

/** Of the head, for browsers without script. */
export const processingHead = ({ nextUrl, checks }: ProcessingContent): Html =>
  html`<noscript><meta http-equiv="refresh" content="${secondsToNextCheck(checks)};url=${nextUrl}"></noscript>`;
