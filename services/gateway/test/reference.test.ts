import { samplePayloads } from '@app/contracts/webhook-samples';
import { escapeHtml } from '@app/pages/escape-html';
import { expect, test } from 'vitest';
import { send } from './http.ts';
import { startGateway, url } from './set-up.ts';

startGateway();

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name?: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly $ref?: string } }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly examples?: object }> }>;
}

interface Description {
  readonly paths: Record<string, Record<string, DescribedOperation>>;
  readonly components: { readonly schemas: Record<string, { readonly properties?: object }> };
  readonly webhooks: Record<string, { readonly post: { readonly summary: string } }>;
}

const description = async (): Promise<Description> => (await send(url, 'GET', '/developers/openapi.json')).json;
const sectionOf = (page: string, id: string): string =>
  page.split('<section ').find((each) => each.includes(`<h2 id="${id}">`)) ?? '';

/** All that the section of an operation must say. */
function expectedOf(path: string, method: string, operation: DescribedOperation, api: Description): string[] {
  const { parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
  const fields = Object.keys(api.components.schemas[body]?.properties ?? {});
  const statuses = Object.keys(responses).filter((status) => status !== '200');
  return [
    `<b class="${method}">${method.toUpperCase()}</b> ${path}</code>`,
    ...parameters.flatMap(({ name }) => (name === undefined ? [] : `<code>${name}</code>`)),
    ...fields.map((field) => `<dt><code>${field}</code>`),
    ...statuses.map((status) => `${status} <a href="/developers/errors#`),
    ...(responses['200']?.content?.['application/json']?.examples ? ['<figcaption>Answer</figcaption>'] : []),
    '<code>curl ',
  ];
}

test('the reference has every operation under its id: parameters, fields, answer, errors, and a request for a shell', async () => {
  const api = await description();
  const index = (await send(url, 'GET', '/developers/reference')).text;
  const pages = new Map<string, string>();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId, tags } = operation;
      const part = `/developers/reference/${tags[0]?.toLowerCase().replaceAll(' ', '-')}`;
      expect(index).toContain(`<li id="${operationId}"><a href="${part}#${operationId}">`);
      const page = pages.get(part) ?? (await send(url, 'GET', part)).text;
      pages.set(part, page);
      const section = sectionOf(page, operationId);
      // What travels through MCP is described by its protocol.
      if (operationId === 'mcp') continue;
      for (const expected of expectedOf(path, method, operation, api)) expect(section, operationId).toContain(expected);
    }
  }
});

test('the reference has every event with its whole payload, and when it fires', async () => {
  const { webhooks } = await description();
  expect(Object.keys(webhooks).toSorted()).toEqual(Object.keys(samplePayloads).toSorted());
  const { text } = await send(url, 'GET', '/developers/reference/events');
  for (const [name, payload] of Object.entries(samplePayloads)) {
    const section = sectionOf(text, name.replaceAll('.', '-'));
    expect(section).toContain(escapeHtml(JSON.stringify(payload, null, 2)));
    expect(section).toContain(escapeHtml(webhooks[name]?.post.summary.split('`')[0] ?? 'nothing'));
    for (const field of Object.keys(payload)) expect(section, name).toContain(`<dt><code>${field}</code>`);
  }
});

test('an error code leads to the operations that answer it, where they are few', async () => {
  const { text } = await send(url, 'GET', '/developers/errors');
  expect(sectionOf(text, 'already_refunded')).toContain('<a href="/developers/reference/payments#refundPayment">');
  expect(sectionOf(text, 'internal')).not.toContain('/developers/reference/');
});
