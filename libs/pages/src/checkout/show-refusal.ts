import type { Refused } from '../call.ts';
import { type Html, html } from '../html.ts';
import type { ShownPage } from '../page.ts';
import { archivedPage, busyPage, failedPage, type NoticePage, notForSalePage } from './notice-pages.ts';

/** A page that cannot be shown, in the words for its reason. */
export function showRefusal({ problem, retryAfterSeconds }: Refused, requestId: string): ShownPage {
  const shown = (status: number, { title, body }: NoticePage, head?: Html): ShownPage => ({
    status,
    title,
    body,
    head,
    retryAfterSeconds,
  });
  switch (problem.code) {
    case 'rate_limited': {
      const seconds = Math.max(1, retryAfterSeconds ?? 60);
      return shown(429, busyPage(seconds), html`<meta http-equiv="refresh" content="${seconds}">`);
    }
    case 'no_longer_for_sale':
      return shown(410, archivedPage());
    case 'product_not_found':
    case 'unknown_product':
    case 'product_not_live':
      return shown(404, notForSalePage());
    default:
      return shown(problem.status, failedPage(problem.detail, requestId));
  }
}
