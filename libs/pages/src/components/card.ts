import { type Html, html } from '../html.ts';

/** What belongs together, with its heading. @param id where links of its page lead to it */
export const card = (title: string, content: Html, id?: string): Html =>
  html`<section class="card" id="${id}"><h2>${title}</h2>${content}</section>`;

/** Names and values: a definition list. */
export const facts = (all: readonly (readonly [name: string, value: string | Html])[]): Html =>
  html`<dl class="facts">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** What is opened by a click, without script. */
export const fold = (label: string | Html, content: Html, { isOpen = false, kind = '', id }: FoldOptions = {}): Html =>
  html`<details class="${`fold ${kind}`.trim()}" id="${id}" open="${isOpen}"><summary>${label}</summary>${content}</details>`;

interface FoldOptions {
  readonly isOpen?: boolean;
  readonly kind?: string;
  readonly id?: string;
}
