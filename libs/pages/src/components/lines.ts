import { type Html, html } from '../html.ts';

interface Line {
  readonly label: string;
  readonly amount: string;
}

/** An amount, kept together and in its own direction beside text of any other. */
export const money = (shown: string): Html => html`<bdi class="amount">${shown}</bdi>`;

/** What has become of a total since. */
interface Since {
  readonly lines: readonly Line[];
  readonly total: Line;
}

/** Lines with their amounts, their total below, and below that what has changed since. */
export function lines(caption: string, all: readonly Line[], total: Line, since: Since | null = null): Html {
  const changes = since === null ? null : html`${since.lines.map((line) => row(line, 'since'))}${row(since.total)}`;
  return html`<table class="lines"><caption class="unseen">${caption}</caption><tbody>${all.map((line) => row(line))}</tbody><tfoot>${row(total)}${changes}</tfoot></table>`;
}

const row = ({ label, amount }: Line, kind?: string): Html =>
  html`<tr class="${kind}"><th scope="row"><bdi>${label}</bdi></th><td>${money(amount)}</td></tr>`;
