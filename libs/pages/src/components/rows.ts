import { type Html, html } from '../html.ts';

export interface Row {
  readonly title: string | Html;
  /** Before both lines. */
  readonly picture?: Html | undefined;
  /** Below the title, in small letters. */
  readonly detail: string | Html;
  /** At the end of the first line, as an amount. */
  readonly end: Html;
  /** At the end of the second line. */
  readonly badges?: readonly Html[] | undefined;
  /** The whole row leads there. */
  readonly href?: string | undefined;
  readonly state?: string | undefined;
}

/** A list that people scan: each row says what it is, and its amount stands below those of the others. */
export const rows = (all: readonly Row[]): Html => html`<ul class="rows">${all.map(row)}</ul>`;

function row({ title, picture, detail, end, badges = [], href, state = '' }: Row): Html {
  const content = html`${picture}<span class="line"><span class="label">${title}</span><span class="end">${end}</span></span><span
class="line"><span class="detail">${detail}</span><span class="end">${badges.map((badge, index) => html`${index > 0 && ' '}${badge}`)}</span></span>`;
  const kind = picture === undefined ? 'row' : 'row pictured';
  return href === undefined
    ? html`<li class="${kind}">${content}</li>`
    : html`<li><a class="${`${kind} ${state}`.trim()}" href="${href}">${content}</a></li>`;
}

interface Pager {
  /** Of what there are pages. */
  readonly label: string;
  readonly first: { readonly label: string; readonly href: string } | null;
  readonly next: { readonly label: string; readonly href: string } | null;
}

/** Leads on to the next page of a list, and back to the first; nothing where all is on one. */
export function pager({ label, first, next }: Pager): Html {
  const links = [first, next].filter((link) => link !== null);
  if (links.length === 0) return html``;
  return html`<nav class="pager" aria-label="${label}">${links.map(({ label, href }) => html`<a href="${href}">${label}</a>`)}</nav>`;
}
