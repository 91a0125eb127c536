import { type Html, html } from '../html.ts';

/** Of a page that waits for an outcome. */
export interface Checks {
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

/** It takes longer than a reader expects. */
export const isLong = ({ checks }: Checks): boolean => checks >= manyChecks;

/** How often the address says that the page has checked. */
export const checksOf = (query: URLSearchParams): number =>
  Math.min(100, Math.max(0, Number.parseInt(query.get('check') ?? '0', 10) || 0));

/** What `checks.js` says when an element that gets itself again gets no answer. */
export const checkTexts = {
  unreachable: 'This page cannot reach the server. It tries again in {seconds} seconds.',
  busy: 'The server is busy. This page tries again in {seconds} seconds.',
} as const;

/** Of a page that gets itself again. */
export const checkScripts: readonly string[] = ['htmx.js', 'checks.js'];

/** What a page says while it waits: htmx gets the page again, ever later. */
export const checkAgain = ({ nextUrl, checks }: Checks, content: Html): Html =>
  html`<div class="stack tight" role="status" id="check-${checks}" hx-get="${nextUrl}" hx-trigger="load delay:${secondsToNextCheck(checks)}s, again"
hx-target="#page" hx-select="#page" hx-swap="outerHTML" data-check data-unreachable="${checkTexts.unreachable}" data-busy="${checkTexts.busy}">${content}</div>`;

/** In the head: the same for browsers without script. */
export const checkHead = ({ nextUrl, checks }: Checks): Html =>
  html`<noscript><meta http-equiv="refresh" content="${secondsToNextCheck(checks)};url=${nextUrl}"></noscript>`;
