import { type ErrorCode, errorCodes, publicCode } from '@app/contracts/errors';
import { type Html, html } from '../html.ts';
import { joined, withCode } from '../text.ts';
import { operationPath } from './addresses.ts';
import { type ApiDescription, type Endpoint, endpointsOf, errorCodesOf } from './api-description.ts';
import type { DeveloperPage, Section } from './layout.ts';
import { meanings } from './meanings.ts';

/** A code that more operations have belongs to all requests of its kind: no list of them helps. */
const listedMax = 12;

/** Every code that callers can see, each under its own anchor: the `type` of a problem document leads there. */
export function errorsPage(api: ApiDescription): DeveloperPage {
  const endpoints = endpointsOf(api);
  const byCode = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints)
    for (const code of new Set(errorCodesOf(endpoint, api).flatMap(([, codes]) => codes)))
      byCode.set(code, [...(byCode.get(code) ?? []), endpoint]);
  const byPublicCode = Map.groupBy(Object.keys(errorCodes) as ErrorCode[], publicCode);
  const sections = [...byPublicCode].map(([code, codes]): Section => {
    const statuses = codes.map((each) => errorCodes[each].status);
    const [first] = codes.filter((each) => each !== 'unknown_product');
    return {
      id: code,
      title: code,
      content: html`<p class="status">${statuses.join(' or ')} · ${first === undefined ? '' : errorCodes[first].title}</p>
<p>${withCode(first === undefined ? '' : meanings[first])}</p>
${answeredBy(byCode.get(code) ?? [])}`,
    };
  });
  return {
    path: '/developers/errors',
    title: 'Errors',
    description: 'Every error code of the checkout and funnel API, its HTTP status, and what to do about it.',
    lead: html`<p class="lead">The <code>code</code> of a problem document, its status, and what to do. A code never
changes its meaning; new ones may come.</p>`,
    sections,
    kind: 'list',
  };
}

function answeredBy(endpoints: readonly Endpoint[]): Html {
  if (endpoints.length === 0 || endpoints.length > listedMax) return html``;
  const links = endpoints.map((each) => html`<a href="${operationPath(each)}">${each.operationId}</a>`);
  return html`<p class="errors">Of ${joined(links, ', ')}.</p>`;
}
