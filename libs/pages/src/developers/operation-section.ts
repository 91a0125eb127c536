import { type Html, html } from '../html.ts';
import { joined, withCode } from '../text.ts';
import {
  type ApiDescription,
  type Endpoint,
  errorCodesOf,
  exampleOf,
  type Parameter,
  parametersOf,
  successOf,
} from './api-description.ts';
import { curlOf } from './curl.ts';
import { code, heading, type Section } from './layout.ts';
import { fieldList, shapeOf, typeOf } from './schema-fields.ts';

/** What callers show to be let in, by the name of the scheme. */
const credentials: Readonly<Record<string, string>> = {
  apiKey: 'an API key',
  session: 'a logged-in session',
  platformKey: 'the platform key',
  checkoutSecret: 'the checkout’s secret, as `x-checkout-secret`',
  portalSession: 'the session of the portal, as `x-portal-session`',
};

function needsOf({ security = [] }: Endpoint): Html {
  if (security.length === 0) return html`<p class="needs">Needs nothing: anyone may call it.</p>`;
  const ways = security.flatMap((way) =>
    Object.entries(way).map(([scheme, scopes]) => {
      const scoped = scopes.length === 0 ? '' : ` with ${scopes.map((scope) => `\`${scope}\``).join(' and ')}`;
      return withCode(`${credentials[scheme] ?? scheme}${scoped}`);
    }),
  );
  return html`<p class="needs">Needs ${joined(ways, ' or ')}.</p>`;
}

/** A description without its sentences about scopes: what it needs has a line of its own. */
function paragraphsOf(description: string | undefined): Html {
  const paragraphs = (description ?? '')
    .split('\n\n')
    .filter((text) => text !== '' && !/^Needs the scopes? /.test(text));
  return html`${paragraphs.map(
    (text) => html`<p>${withCode(text)}</p>
`,
  )}`;
}

/** The head of an operation: `GET /api/v1/orders`. */
export const addressOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): Html =>
  html`<code class="endpoint"><b class="${method.toLowerCase()}">${method}</b> ${path}</code>`;

/** Everything that a caller of the operation needs to know, under its id. */
export function operationSection(endpoint: Endpoint, api: ApiDescription): Section {
  const { operationId, summary, description, deprecated = false } = endpoint;
  return {
    id: operationId,
    title: summary.replaceAll('`', ''),
    content: html`<p>${addressOf(endpoint)}</p>
${deprecated && html`<p><strong>Deprecated.</strong></p>`}${paragraphsOf(description)}${needsOf(endpoint)}
${parametersPart(`${operationId}-path`, 'In the path', parametersOf(endpoint, api, 'path'), api)}${parametersPart(`${operationId}-query`, 'In the query', parametersOf(endpoint, api, 'query'), api)}${headersPart(operationId, parametersOf(endpoint, api, 'header'))}${bodyPart(endpoint, api)}${code('Shell', curlOf(endpoint, api))}
${answerPart(endpoint, api)}${errorsPart(endpoint, api)}`,
  };
}

function parametersPart(id: string, label: string, parameters: readonly Parameter[], api: ApiDescription): Html {
  if (parameters.length === 0) return html``;
  const fields = parameters.map(({ name, schema, required = false, description }) => ({
    ...{ name, schema, required },
    description: description ?? schema.description,
  }));
  return html`${heading(id, label)}
${fieldList(fields, api, 'sent')}
`;
}

function headersPart(id: string, headers: readonly Parameter[]): Html {
  const own = headers.filter(({ name }) => name !== 'x-request-id');
  if (own.length === 0) return html``;
  const anchors: Readonly<Record<string, string>> = {
    'Idempotency-Key': '/developers#idempotency',
    'If-Match': '/developers#concurrent-changes',
  };
  const links = own.map(({ name }) => html`<a href="${anchors[name] ?? '/developers'}"><code>${name}</code></a>`);
  return html`${heading(`${id}-headers`, 'Headers')}
<p>Takes ${joined(links, ' and ')}.</p>
`;
}

function bodyPart({ operationId, requestBody }: Endpoint, api: ApiDescription): Html {
  const media = requestBody?.content['application/json'];
  if (media === undefined) return html``;
  return html`${heading(`${operationId}-body`, requestBody?.required === true ? 'Body' : 'Body, which may be left out')}
${shapeOf(media.schema, api, 'sent')}
`;
}

function answerPart(endpoint: Endpoint, api: ApiDescription): Html {
  const media = successOf(endpoint, api);
  if (media === undefined) return html``;
  const isNamed = media.schema.$ref !== undefined;
  const example = exampleOf(media);
  const shape = isNamed ? html`<p>${typeOf(media.schema)}</p>` : shapeOf(media.schema, api, 'got');
  return html`${heading(`${endpoint.operationId}-answer`, 'Answer')}
${shape}
${
  example !== undefined &&
  html`<details><summary>Example</summary>
${code('Answer', typeof example === 'string' ? example : JSON.stringify(example, null, 2))}
</details>`
}
`;
}

function errorsPart(endpoint: Endpoint, api: ApiDescription): Html {
  const byStatus = errorCodesOf(endpoint, api);
  if (byStatus.length === 0) return html``;
  const link = (name: string) => html`<a href="/developers/errors#${name}">${name}</a>`;
  const groups = byStatus.map(([status, codes]) => html`${status} ${joined(codes.map(link), ', ')}`);
  return html`${heading(`${endpoint.operationId}-errors`, 'Errors')}
<p class="errors">${joined(groups, ' · ')}</p>
`;
}
