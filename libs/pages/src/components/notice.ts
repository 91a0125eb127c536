import { type Html, html } from '../html.ts';

type Meaning = 'good' | 'warn' | 'bad' | 'info';

/** Said where it is about; a `bad` one is read at once by screen readers. */
export const notice = (meaning: Meaning, text: string | Html, action?: Html): Html =>
  html`<div class="notice ${meaning}" role="${meaning === 'bad' ? 'alert' : null}"><p>${text}</p>${action}</div>`;

/** Across the page: what holds for all of it. */
export const bar = (meaning: Meaning, text: string): Html => html`<div class="bar ${meaning}"><p>${text}</p></div>`;

/** A state in one or two words. */
export const badge = (meaning: Meaning, label: string): Html => html`<span class="badge ${meaning}">${label}</span>`;
