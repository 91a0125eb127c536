import { isTimeZone } from '@app/contracts/time-zone';
import { type Html, html } from '../../html.ts';
import type { Redirect } from '../../page.ts';
import { onTo } from './answers.ts';
import type { Visit } from './visit.ts';

/** Leads to the whole list of the page as a file, narrowed as the list is. A script adds the reader's time zone. */
export function exportLink({ request, path }: Pick<Visit, 'path' | 'request'>): Html {
  const query = new URLSearchParams(request.query);
  for (const name of ['before', 'did']) query.delete(name);
  return html`<p class="small"><a href="${path}/export${query.size === 0 ? '' : `?${query}`}" data-zone>Download as CSV</a></p>`;
}

/**
 * On to a file of the API, in the time zone of the address, or in UTC where that names none. The page reads what is in it first, so that a login that ran out and
 * whatever else is refused is a page.
 */
export function onToFile(
  { request }: Visit,
  address: string,
  filters: Readonly<Record<string, string>> = {},
): Redirect {
  const query = new URLSearchParams(filters);
  const zone = request.query.get('timeZone');
  if (zone !== null && isTimeZone(zone)) query.set('timeZone', zone);
  return onTo(query.size === 0 ? address : `${address}?${query}`);
}
