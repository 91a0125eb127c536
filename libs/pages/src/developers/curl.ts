import { type ApiDescription, type Endpoint, exampleOf, type Parameter, parametersOf } from './api-description.ts';
import { placeholderUrl } from './placeholder-url.ts';
import { idPrefixOf } from './schema-fields.ts';

/** The end of every id in our examples. */
const idEnd = '01kahv7w3xe5m8q2r6t9y0b4cd';

/** A value that the parameter takes; its own name in braces where none is known. */
function sampleOf({ name, example, schema }: Parameter): string {
  const prefix = idPrefixOf(schema);
  const known = example ?? schema.examples?.[0] ?? schema.enum?.[0];
  if (known !== undefined) return String(known);
  return prefix === undefined ? `{${name}}` : `${prefix}${idEnd}`;
}

/** How to send what each scheme of the description asks for. */
const credentials: Readonly<Record<string, string>> = {
  apiKey: '-H "Authorization: Bearer $KEY"',
  platformKey: '-H "Authorization: Bearer $PLATFORM_KEY"',
  session: '-b cookies.txt',
  checkoutSecret: '-H "x-checkout-secret: $SECRET"',
  portalSession: '-H "x-portal-session: $SESSION"',
};

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A request of the operation for a shell; sent as it stands once its ids are those of the account. */
export function curlOf(endpoint: Endpoint, api: ApiDescription): string {
  const { method, path, security = [], requestBody } = endpoint;
  const parameters = parametersOf(endpoint, api, 'path');
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((each) => each.name === name);
    return parameter === undefined ? whole : sampleOf(parameter);
  });
  const query = parametersOf(endpoint, api, 'query').filter(({ required }) => required === true);
  const search = query.map((each) => `${each.name}=${encodeURIComponent(sampleOf(each))}`).join('&');
  const url = `${placeholderUrl}${filled}${search === '' ? '' : `?${search}`}`;
  const media = requestBody?.content['application/json'];
  const body = exampleOf(media);
  const takesKey = parametersOf(endpoint, api, 'header').some(({ name }) => name === 'Idempotency-Key');
  const implied = body === undefined ? 'GET' : 'POST';
  const parts = [
    `curl ${method === implied ? '' : `-X ${method} `}${url.includes('?') ? quoted(url) : url}`,
    Object.keys(security[0] ?? {}).map((scheme) => credentials[scheme] ?? ''),
    takesKey ? ['-H "Idempotency-Key: your-own-id"'] : [],
    body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body, null, 2))}`],
  ];
  return parts
    .flat()
    .filter((part) => part !== '')
    .join(' \\\n  ');
}
