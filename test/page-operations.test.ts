import { expect, test } from 'vitest';
import { find, isTest, read } from './support/repository.ts';

/** Why an operation is on no page. */
const withoutPage: Readonly<Record<string, string>> = {
  deleteWebhookEndpoint: 'It removes what `removeWebhookEndpoint` removes; pages name the endpoint by its id.',
  mcp: 'AI agents speak to it; pages show how to connect them.',
};

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

const { paths } = JSON.parse(read('docs/openapi.json')) as OpenApi;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.values(methods).flatMap(({ operationId }) => (operationId === undefined ? [] : [{ id: operationId, path }])),
);

/** What pages are made of; the guide for developers and the gallery name operations without using them. */
const source = find('libs/pages/src/**/*.ts')
  .filter((file) => !isTest(file) && !/\/(gallery|developers)\//.test(file))
  .map(read)
  .join('\n');

/** A page calls it by its name, or leads to its address: files are read by the browser itself. */
function isUsed({ id, path }: (typeof operations)[number]): boolean {
  const address = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, String.raw`\$\{[^}]+\}`);
  return source.includes(`'${id}'`) || new RegExp(`['\`]${address}['\`?]`).test(source);
}

test('every operation is used by a page, or listed with the reason why not', () => {
  expect(operations.length).toBeGreaterThan(100);
  const unused = operations.filter((operation) => !isUsed(operation)).map(({ id }) => id);
  expect(unused.toSorted()).toEqual(Object.keys(withoutPage).toSorted());
});
