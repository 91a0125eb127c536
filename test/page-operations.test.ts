import { expect, test } from 'vitest';
import { find, isTest, linesMatching, read } from './support/repository.ts';

/** Why an operation is on no page. */
const withoutPage: Readonly<Record<string, string>> = {
  createPasskeyChallenge: 'The script of passkeys calls it, when its button is pressed.',
  createPasskeyOptions: 'The script of passkeys calls it, when its button is pressed.',
  deleteWebhookEndpoint: 'It removes what `removeWebhookEndpoint` removes; pages name the endpoint by its id.',
  getAffiliate: 'Pages list affiliates with all that there is of them.',
  getBump: 'Pages read a product’s funnel whole.',
  getDiscount: 'Pages list a product’s codes whole.',
  getPayment: 'Pages list payments whole.',
  getUpsell: 'Pages read a product’s funnel whole.',
  mcp: 'AI agents speak to it; pages show how to connect them.',
};

/** Operations that are no POST, and why a page sends a key with one all the same: what its repeat would meet. */
const keyed: Readonly<Record<string, string>> = {
  updateBump: 'by version',
  updateDiscount: 'by version',
  updateFunnelEmail: 'by version',
  updateProduct: 'by version',
  updateSettings: 'by version',
  updateUpsell: 'by version',
  putPaymentProcessor: 'by version',
  updateAffiliate: 'older values put back',
  updateAutomation: 'older values put back',
  deleteAutomation: 'not found',
  deleteBump: 'not found',
  deleteDiscount: 'not found',
  deleteFunnelEmail: 'not found',
  deleteUpsell: 'not found',
  putPaymentMethod: 'the token is used up',
};

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

const { paths } = JSON.parse(read('docs/openapi.json')) as OpenApi;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId: id }]) => (id === undefined ? [] : [{ id, method, path }])),
);

/** What pages are made of; the guide for developers names operations without using them. */
const files = find('libs/pages/src/**/*.ts').filter((file) => !isTest(file) && !/\/developers\//.test(file));
const source = files.map(read).join('\n');

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

/** Operations that are no POST with what a page gives them; where it chooses one, by the property or the file that names them. */
const calls = files.flatMap((file) => {
  const text = read(file);
  const idsFor = (called: string): string => {
    if (called.startsWith("'")) return called;
    const property = /\.(\w+)$/.exec(called)?.[1];
    return property === undefined ? text : (text.match(new RegExp(`\\b${property}: '\\w+'`, 'g')) ?? []).join(' ');
  };
  const isNamed = (called: string) => {
    const ids = idsFor(called);
    return ({ id, method }: (typeof operations)[number]) => !/^(get|post)$/.test(method) && ids.includes(`'${id}'`);
  };
  const found = text.matchAll(/\.(?:call|read)\(([^,]+), (\{(?:[^{}]|\{[^{}]*\})*\})\)/g);
  return [...found].flatMap(([, called = '', given = '']) =>
    operations.filter(isNamed(called)).map(({ id }) => ({ id, given })),
  );
});

test('pages send a key with what is no POST only where its repeat would be refused or change something', () => {
  const withKey = calls.filter(({ given }) => given.includes('idempotencyKey'));
  expect(new Set(withKey.map(({ id }) => id))).toEqual(new Set(Object.keys(keyed)));
  const unversioned = withKey.filter(({ id, given }) => keyed[id] === 'by version' && !given.includes('ifVersion'));
  expect(unversioned).toEqual([]);
});

test('only a refund and a payout are repeated and never done anew', () => {
  const lines = linesMatching(files, /^(?!\s*(\/?\*|\/\/)).*\bonlyRepeats\b/).map((line) => line.split(':')[0]);
  expect([...new Set(lines)]).toEqual([
    'libs/pages/src/call.ts',
    'libs/pages/src/dashboard/affiliates/payout.ts',
    'libs/pages/src/dashboard/orders/refund.ts',
  ]);
});
