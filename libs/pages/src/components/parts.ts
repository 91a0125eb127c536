import { type Html, html } from '../html.ts';

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
}
export const stats = (all: readonly Stat[]): Html =>
  html`<dl class="stats">${all.map(
    ({ label, value, since, href }) =>
      html`<div class="stat"><dt>${href === undefined ? label : html`<a href="${href}">${label}</a>`}</dt><dd>${value}</dd>${
        since !== undefined && html`<dd class="since">${since}</dd>`
      }</div>`,
  )}</dl>`;

/** A text to copy: a script adds the button. */
export const copyField = (label: string, value: string, id: string): Html =>
  html`<div class="field copy"><label for="${id}">${label}</label><input class="input" id="${id}" type="text" value="${value}" readonly data-copy></div>`;

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
