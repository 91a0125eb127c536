import type { Retention } from '@app/contracts/retention';
import { emptyState } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';

const texts = {
  title: 'Retention',
  about:
    'Of the subscriptions started in a month, how many are active at the end of each month after it. The last number of a row is of this month so far. Months are UTC.',
  startedIn: 'Started in',
  started: 'Started',
  after: (months: number) => (months === 1 ? 'After 1 month' : `After ${months} months`),
  none: (months: number) =>
    `No subscription was started in the last ${months} months. Once one is, this shows how many stay.`,
  unread: 'Retention cannot be read now. Load the page again in a minute.',
  first: 'The first subscriptions were started this month. From next month on this shows how many stay.',
} as const;

/** Months of start with what is left of each. @param retention null where it could not be read */
export function retentionTable(retention: Retention | null, formats: Formats): Html {
  return html`<section class="stack" id="retention"><h2>${texts.title}</h2>${
    retention === null ? emptyState(texts.unread) : cohorts(retention.data, formats)
  }</section>`;
}

function cohorts(all: Retention['data'], formats: Formats): Html {
  const first = all.findIndex(({ started }) => started > 0);
  if (first === -1) return emptyState(texts.none(all.length));
  if (first === all.length - 1) return emptyState(texts.first);
  const shown = all.slice(first);
  const ends = Array.from({ length: shown.length - 1 }, (_, index) => index + 1);
  const rows = shown.map(
    ({ month, started, active }) =>
      html`<tr><th scope="row">${formats.month(month)}</th><td>${formats.count(started)}</td>${ends.map(
        (end) => html`<td>${leftOf(started, active[end], formats)}</td>`,
      )}</tr>`,
  );
  return html`<p class="small quiet">${texts.about}</p><section class="cohorts" aria-label="${texts.title}" tabindex="0"><table><caption class="unseen">${texts.title}</caption><thead><tr><th scope="col">${texts.startedIn}</th><th scope="col">${texts.started}</th>${ends.map(
    (end) => html`<th scope="col">${texts.after(end)}</th>`,
  )}</tr></thead><tbody>${rows}</tbody></table></section>`;
}

/** Nothing where the month is still to come, or where there was nothing to stay. */
function leftOf(started: number, active: number | undefined, formats: Formats): Html {
  if (active === undefined || started === 0) return html``;
  return html`${formats.percent(active / started)} <span class="quiet">${formats.count(active)}</span>`;
}
