import { type ErrorCode, errorCodes, publicCode } from '@app/contracts/errors';
import { html } from '../html.ts';
import { withCode } from '../text.ts';
import { type PageAssets, renderPage, type Section } from './layout.ts';
import { meanings } from './meanings.ts';

/** Every code that callers can see, each under its own anchor: the `type` of a problem document leads there. */
export function errorsPage(assets: PageAssets): string {
  const byPublicCode = Map.groupBy(Object.keys(errorCodes) as ErrorCode[], publicCode);
  const sections = [...byPublicCode].map(([code, codes]): Section => {
    const statuses = codes.map((each) => errorCodes[each].status);
    const [first] = codes.filter((each) => each !== 'unknown_product');
    return {
      id: code,
      title: code,
      content: html`<p class="status">${statuses.join(' or ')} · ${first === undefined ? '' : errorCodes[first].title}</p>
<p>${withCode(first === undefined ? '' : meanings[first])}</p>`,
    };
  });
  const lead = html`<p class="lead">The <code>code</code> of a problem document, its status, and what to do. A code never
changes its meaning; new ones may come.</p>`;
  const description = 'Every error code of the checkout and funnel API, its HTTP status, and what to do about it.';
  return renderPage({ title: 'Errors', description, lead, sections, current: '/developers/errors', assets });
}
