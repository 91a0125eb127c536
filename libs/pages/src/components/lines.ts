import { type Html, html } from '../html.ts';

interface Line {
  readonly label: string;
  readonly amount: string;
}

/** An amount, kept together and in its own direction beside text of any other. */
export const money = (shown: string): Html => html`<bdi class="amount">${shown}</bdi>`;

/** Lines with their amounts, and their total below. */
export function lines(caption: string, all: readonly Line[], total: Line): Html {
  return html`<table class="lines"><caption class="unseen">${caption}</caption><tbody>${all.map(row)}</tbody><tfoot>${row(total)}</tfoot></table>`;
}

const row = ({ label, amount }: Line): Html =>
  html`<tr><th scope="row"><bdi>${label}</bdi></th><td>${money(amount)}</td></tr>`;
