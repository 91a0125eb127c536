import { type Html, html } from '../html.ts';

type Meaning = 'good' | 'warn' | 'bad' | 'info';

/** Said where it is about; a `bad` one is read at once by screen readers. */
export const notice = (meaning: Meaning, text: string | Html, action?: Html): Html =>
  html`<div class="notice ${meaning}" role="${meaning === 'bad' ? 'alert' : null}"><p>${text}</p>${action}</div>`;

const barNames: Record<Meaning, string> = { good: 'Success', warn: 'Warning', bad: 'Error', info: 'Information' };

/** Across the page, beside its main part: what holds for all of it. @param name of its own where a page has several */
export const bar = (meaning: Meaning, text: string, name: string = barNames[meaning]): Html =>
  html`<aside class="bar ${meaning}" aria-label="${name}"><p>${text}</p></aside>`;

/** A state in one or two words; `none` is one that is over. */
export const badge = (meaning: Meaning | 'none', label: string | Html): Html =>
  html`<span class="badge ${meaning}">${label}</span>`;
