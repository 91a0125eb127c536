import { sparkline } from '../charts/sparkline.ts';
import { type Html, html } from '../html.ts';
import { badge } from './notice.ts';

/** Ways to see one thing, of which one is open. */
export const tabs = (
  label: string,
  all: readonly { readonly label: string; readonly href: string; readonly isOpen: boolean }[],
): Html =>
  html`<nav class="tabs" aria-label="${label}"><ul>${all.map(
    ({ label, href, isOpen }) => html`<li><a href="${href}" aria-current="${isOpen ? 'page' : null}">${label}</a></li>`,
  )}</ul></nav>`;

/** An empty list: why it is empty, and the next step. */
export const emptyState = (text: string | Html, action?: Html): Html =>
  html`<div class="empty stack"><p>${text}</p>${action}</div>`;

/** A number of the dashboard with what it was before. */
interface Stat {
  readonly label: string;
  readonly value: string | Html;
  /** Below it: how it compares. */
  readonly since?: string | Html | undefined;
  readonly href?: string | undefined;
  readonly change?: Change | undefined;
  /** Its points over the span, drawn small. */
  readonly points?: readonly number[] | undefined;
}

/** By how much a number is more or less than before, and whether that is good. */
interface Change {
  readonly share: string;
  readonly isMore: boolean;
  readonly isGood: boolean;
}

const changeChip = ({ share, isMore, isGood }: Change): Html =>
  badge(
    isGood ? 'good' : 'bad',
    html`<span aria-hidden="true">${isMore ? '▲' : '▼'}</span> ${isMore ? '+' : '−'}${share}`,
  );

/** Four numbers of which one sees at a glance how they go: in two rows on a phone. */
export const tiles = (all: readonly Stat[]): Html => stats(all, 'four');

export const stats = (all: readonly Stat[], kind = ''): Html =>
  html`<dl class="${`stats ${kind}`.trim()}">${all.map(
    ({ label, value, since, href, change, points = [] }) =>
      html`<div class="stat"><dt>${href === undefined ? label : html`<a href="${href}">${label}</a>`}</dt><dd>${value}</dd>${
        (since !== undefined || change !== undefined) &&
        html`<dd class="since">${change !== undefined && html`${changeChip(change)} `}${since}</dd>`
      }${points.length > 1 && html`<dd class="trend">${sparkline(points)}</dd>`}</div>`,
  )}</dl>`;

/** A text to copy: a script adds the button. */
export const copyField = (label: string, value: string, id: string): Html =>
  html`<div class="field copy"><label for="${id}">${label}</label><input class="input" id="${id}" type="text" value="${value}" readonly data-copy></div>`;

/** A text to copy that is not shown: a script makes the link a button, and without it the link leads there. */
export const copyText = (label: string, url: string): Html =>
  html`<a class="small" href="${url}" data-copy>${label}</a>`;

/** What happened, newest first or oldest first. */
interface TimelineEntry {
  readonly at: Html;
  readonly title: string | Html;
  readonly detail?: string | Html | undefined;
  readonly badge?: Html | undefined;
}
export const timeline = (all: readonly TimelineEntry[]): Html =>
  html`<ol class="timeline">${all.map(
    ({ at, title, detail, badge }) =>
      html`<li><p class="line"><span>${title} ${badge}</span><span class="quiet small">${at}</span></p>${
        detail !== undefined && html`<p class="small quiet">${detail}</p>`
      }</li>`,
  )}</ol>`;

/** Code to read and to copy: it alone scrolls sideways. A script adds the button. */
export const codeSample = (label: string, text: string, id: string): Html =>
  html`<figure class="sample"><figcaption class="label">${label}</figcaption><pre class="code" id="${id}" tabindex="0" data-copy><code>${text}</code></pre></figure>`;

/** How far something is. @param max null while that is not known */
export const progressBar = (label: string, value: number, max: number | null): Html =>
  html`<label class="progress label">${label}<progress value="${max === null ? null : value}" max="${max}"></progress></label>`;
