import { readFileSync } from 'node:fs';
import { limits } from '@app/contracts/common';
import { type ErrorCode, errorCodes, publicCode } from '@app/contracts/errors';
import * as webhookPayloads from '@app/contracts/webhook-payloads';
import { webhookEventNames } from '@app/contracts/webhooks';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../src/api/operation.ts';
import { operations } from '../src/api/operations/all-operations.ts';
import { openApiDocument } from '../src/openapi/document.ts';
import { exampleOf } from '../src/openapi/examples/all-examples.ts';
import { errorsOf } from '../src/openapi/operation-errors.ts';

/** Public writes that a repetition does no harm: they take no Idempotency-Key. */
const keyless = [
  'logInWithFactor',
  'createPasskeyChallenge',
  'recordVisit',
  'requestPortalLink',
  'openPortal',
  'optOut',
  'logIn',
  'logInByLink',
  'readLetter',
  'verifyEmail',
  'confirmEmail',
  'confirmSupportEmail',
  'requestPasswordReset',
  'resetPassword',
];

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
  additionalProperties?: boolean;
  maxItems?: number;
  pattern?: string;
}
interface Response {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Content>;
}
interface Content {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}
interface DocumentedOperation {
  operationId: string;
  tags: string[];
  security: Record<string, string[]>[];
  summary?: string;
  description?: string;
  parameters?: {
    $ref?: string;
    in?: string;
    name?: string;
    required?: boolean;
    description?: string;
    schema?: Schema;
  }[];
  requestBody?: { required: boolean; content: Record<string, Content & { example?: unknown }> };
  responses: Record<string, Response>;
}

const document = JSON.parse(JSON.stringify(openApiDocument(operations, 'http://127.0.0.1:3000')));
const text = JSON.stringify(document);

function resolved<T extends { $ref?: string }>(item: T): T {
  if (item.$ref === undefined) return item;
  const found = item.$ref
    .slice(2)
    .split('/')
    .reduce((at, step) => at?.[step], document);
  expect(found, item.$ref).toBeDefined();
  return found as T;
}

const documented = (method: string, path: string): DocumentedOperation => {
  const found = document.paths[path]?.[method.toLowerCase()];
  expect(found, `${method} ${path}`).toBeDefined();
  return found;
};

/** Follows `a.b` and `a[].b` through a schema. */
function fieldAt(schema: Schema, path: string): Schema {
  return path.split('.').reduce((at, step) => {
    const name = step.replace('[]', '');
    const field = resolved(resolved(at).properties?.[name] as Schema);
    expect(resolved(at).required, path).toContain(name);
    return step.endsWith('[]') ? resolved(field.items as Schema) : field;
  }, schema);
}

function expectFields(schema: Schema, fields: Record<string, string>): void {
  for (const [path, type] of Object.entries(fields)) {
    const found = fieldAt(schema, path);
    expect([found.type].flat(), path).toContain(type);
  }
}

const answerOf = (method: string, path: string) =>
  resolved(documented(method, path).responses[200] as Response).content?.['application/json']?.schema as Schema;

test('docs/openapi.json is what the operations say (otherwise: npm run openapi)', () => {
  const file = new URL('../../../docs/openapi.json', import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(document);
});

test('the document names its version, contact and licence', () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.info).toMatchObject({
    version: '1.0.0',
    contact: { url: expect.any(String) },
    license: { identifier: 'Apache-2.0' },
  });
  expect(document.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
  expect(document.components.securitySchemes.session).toMatchObject({ type: 'apiKey', in: 'cookie' });
});

describe('what was published before is there, field by field', () => {
  const product = {
    id: 'string',
    name: 'string',
    slug: 'string',
    price_cents: 'integer',
    currency: 'string',
    pricing_type: 'string',
    billing_interval: 'null',
    status: 'string',
  };
  const order = {
    id: 'string',
    product_id: 'string',
    customer_email: 'string',
    customer_name: 'string',
    total_cents: 'integer',
    currency: 'string',
    status: 'string',
    utm_source: 'string',
    utm_medium: 'string',
    utm_campaign: 'string',
    utm_term: 'string',
    utm_content: 'string',
    created_at: 'string',
    'items[].kind': 'string',
    'items[].label': 'string',
    'items[].amount_cents': 'integer',
  };
  const under = (prefix: string, fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).map(([name, type]) => [`${prefix}.${name}`, type]));

  test('products', () => expectFields(answerOf('GET', '/api/v1/products'), under('data[]', product)));

  test('funnel', () => {
    const offer = { id: 'string', headline: 'string', price_cents: 'integer', active: 'integer' };
    expectFields(answerOf('GET', '/api/products/{productId}/funnel'), {
      ...under('bumps[]', offer),
      ...under('upsells[]', offer),
      downsells: 'array',
      'emails[].position': 'integer',
      'emails[].send_day': 'integer',
      'emails[].subject': 'string',
      'emails[].body': 'string',
    });
    expect(documented('GET', '/api/products/{productId}/funnel').security).toEqual([
      { apiKey: ['read'] },
      { session: [] },
    ]);
  });

  test('order list', () => {
    const schema = answerOf('GET', '/api/v1/orders');
    expectFields(schema, under('data[]', order));
    expect(fieldAt(schema, 'data[].status').enum).toEqual(['paid', 'refunded', 'authorized']);
    expect(fieldAt(schema, 'data[].items[].kind').enum).toEqual(
      expect.arrayContaining(['main', 'bump', 'upsell', 'discount', 'downsell']),
    );
  });

  test('recording an order', () => {
    const { requestBody } = documented('POST', '/api/v1/orders');
    const body = resolved(requestBody?.content['application/json']?.schema as Schema);
    expect(requestBody?.required).toBe(true);
    expect(Object.keys(body.properties ?? {})).toEqual(
      expect.arrayContaining(['productSlug', 'email', 'name', 'bumpIds', 'affiliateCode']),
    );
    expect(body.required).toEqual(['productSlug', 'email']);
    expectFields(answerOf('POST', '/api/v1/orders'), { ok: 'boolean', orderId: 'string', totalCents: 'integer' });
  });

  test('metrics', () => {
    const [integer, number] = ['integer', 'number'];
    const summary = {
      ...{ revenueCents: integer, orders: integer, aovCents: integer, bumpTakeRate: number, upsellTakeRate: number },
      ...{ activeSubscriptions: integer, mrrCents: integer, refunds: integer, refundedCents: integer },
      ...{ refundRate: number, views: integer, conversionRate: number, customers: integer },
    };
    expectFields(answerOf('GET', '/api/metrics/{productId}'), {
      ...{ 'product.id': 'string', 'product.name': 'string', 'product.pricingType': 'string' },
      ...under('summary', summary),
      ...{ 'revenueByMonth[].month': 'string', 'revenueByMonth[].value': integer },
      ...{ mrrByMonth: 'array', churnByMonth: 'array' },
    });
  });

  test('daily job', () => {
    expectFields(answerOf('POST', '/api/cron/daily'), {
      ok: 'boolean',
      'rebills.charged': 'integer',
      'rebills.chargedCents': 'integer',
      'rebills.retried': 'integer',
      'rebills.canceled': 'integer',
      'recovery.sent': 'integer',
      'recovery.recovered': 'integer',
      holdsSettled: 'integer',
    });
    expect(documented('POST', '/api/cron/daily').requestBody?.required ?? false).toBe(false);
  });

  test('MCP', () => expect(documented('POST', '/api/mcp').responses[200]).toBeDefined());

  test('webhooks, with their headers', () => {
    const payloads = new Map(Object.values(webhookPayloads).map((each) => [each.shape.event.value as string, each]));
    expect([...payloads.keys()].toSorted()).toEqual([...webhookEventNames].toSorted());
    expect(Object.keys(document.webhooks).toSorted()).toEqual([...webhookEventNames].toSorted());
    for (const [event, payload] of payloads) {
      const { requestBody, parameters = [], responses } = document.webhooks[event].post as DocumentedOperation;
      expect(Object.keys(responses).toSorted()).toEqual(['2XX', '3XX', '410', '4XX', '5XX']);
      const body = resolved(requestBody?.content['application/json']?.schema as Schema);
      expect(body.required).toEqual(Object.keys(payload.shape));
      // Payloads may gain fields.
      expect(body.additionalProperties).toBeUndefined();
      const example = requestBody?.content['application/json']?.example;
      expect(payload.parse(example)).toEqual(example);
      const sent = parameters.map(resolved).filter(({ required }) => required);
      expect(sent.map(({ name }) => name)).toEqual([
        'x-service-event',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
    }
  });
});

describe.each(operations.map((operation): [string, Operation] => [operation.id, operation]))('%s', (id, operation) => {
  const found = documented(operation.method, operation.path);

  test('has its parameters, its body and its answer', () => {
    expect(found.operationId).toBe(id);
    expect(document.tags.map(({ name }: { name: string }) => name)).toContain(operation.tag);
    const parameters = (found.parameters ?? []).map(resolved);
    const named = (source: string) => parameters.filter((each) => each.in === source).map(({ name }) => name);
    expect(named('path')).toEqual([...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    expect(named('query')).toEqual(Object.keys(operation.query?.shape ?? {}));
    expect(named('header')).toContain('x-request-id');
    const isWithoutKey = keyless.includes(id) || operation.changesNothing === true;
    expect(named('header').includes('Idempotency-Key')).toBe(operation.method === 'POST' && !isWithoutKey);
    expect(found.requestBody !== undefined).toBe(operation.body !== undefined);
    const answer = resolved(found.responses[200] as Response);
    expect(Object.keys(answer?.headers ?? {})).toContain('x-request-id');
    expect(answer?.content?.[operation.mediaType ?? 'application/json']?.schema).toBeDefined();
  });

  test('has every refusal, with its code', () => {
    for (const code of new Set<ErrorCode>([...errorsOf(operation), ...operation.errors])) {
      const response = resolved(found.responses[errorCodes[code].status] as Response);
      const [base, narrowed] = response.content?.['application/problem+json']?.schema.allOf ?? [];
      expect(base).toEqual({ $ref: '#/components/schemas/Problem' });
      expect(narrowed?.properties?.code?.enum, code).toContain(publicCode(code));
    }
    const statuses = Object.keys(found.responses).map(Number);
    const keyless = ['public', 'visitor', 'buyer'].includes(operation.auth);
    expect(statuses.includes(401)).toBe(!keyless || operation.errors.includes('invalid_credentials'));
    expect(statuses.includes(403) || operation.scope === undefined).toBe(true);
    expect(statuses.includes(422) || operation.body === undefined).toBe(true);
    expect(statuses).toEqual(expect.arrayContaining([429, 503]));
  });
});

test('a buyer’s call needs the secret of its checkout and nothing else, and opening one needs nothing', () => {
  expect(document.components.securitySchemes.checkoutSecret).toMatchObject({ in: 'header', name: 'x-checkout-secret' });
  const buyers = operations.filter(({ path }) => path.startsWith('/api/checkout'));
  expect(buyers).toHaveLength(13);
  const open = [
    ...['getSeller', 'listShopProducts', 'getOffer', 'recordVisit', 'openCheckout'],
    ...['restoreCheckout', 'getOptOut', 'optOut'],
  ];
  for (const { id, method, path } of buyers) {
    const { security, responses } = documented(method, path);
    expect(security).toEqual(open.includes(id) ? [] : [{ checkoutSecret: [] }]);
    expect([id, responses[401], responses[403]]).toEqual([id, undefined, undefined]);
    expect([id, responses[404] !== undefined]).toEqual([id, !['openCheckout', 'recordVisit'].includes(id)]);
  }
});

test('a call of the portal needs the secret of a buyer’s session and nothing else, and a link needs nothing', () => {
  expect(document.components.securitySchemes.portalSession).toMatchObject({ in: 'header', name: 'x-portal-session' });
  const buyers = operations.filter(({ path }) => path.startsWith('/api/portal'));
  for (const { id, method, path } of buyers) {
    const isOpen = ['requestPortalLink', 'openPortal'].includes(id);
    const { security, responses } = documented(method, path);
    expect([id, security]).toEqual([id, isOpen ? [] : [{ portalSession: [] }]]);
    expect([id, responses[401] !== undefined]).toEqual([id, !isOpen]);
  }
});

test('nothing is documented that does not exist', () => {
  const paths = Object.entries(document.paths as Record<string, Record<string, unknown>>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(paths.sort()).toEqual([...operations.map(({ method, path }) => `${method} ${path}`), 'POST /api/mcp'].sort());
});

test('an answer may gain fields: the action of an automation is closed in requests alone', () => {
  const closed = '"additionalProperties":false';
  const { action } = document.components.schemas.Automation.properties;
  expect(JSON.stringify(action)).toContain('"post"');
  expect(JSON.stringify(action)).not.toContain(closed);
  expect(JSON.stringify(document.components.schemas.AutomationCreate)).toContain(closed);
});

test('every reference leads somewhere and every component is used', () => {
  const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string));
  for (const $ref of references) resolved({ $ref });
  for (const [kind, components] of Object.entries(document.components)) {
    if (kind === 'securitySchemes') continue;
    for (const name of Object.keys(components as object)) {
      expect(references, `${kind}/${name}`).toContain(`#/components/${kind}/${name}`);
    }
  }
});

const described = Object.entries(document.paths as Record<string, Record<string, DocumentedOperation>>).flatMap(
  ([, methods]) => Object.values(methods),
);

/** Every body and answer of the document with its examples, by a name for people. */
const contents: [string, Content][] = described.flatMap(({ operationId, requestBody, responses }) => [
  ...Object.values(requestBody?.content ?? {}).map((content): [string, Content] => [`body of ${operationId}`, content]),
  ...Object.entries(responses).flatMap(([status, response]) =>
    Object.values(resolved(response).content ?? {}).map((content): [string, Content] => [
      `${status} of ${operationId}`,
      content,
    ]),
  ),
]);

test('every body, answer and error has an example, which its schema allows', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const validators = new Map<string, ValidateFunction>();
  for (const [name, { schema, examples = {} }] of contents) {
    const values = Object.values(examples).map(({ value }) => value);
    expect(values.length, name).toBeGreaterThan(0);
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
    validators.set(text, validate);
    for (const value of values) expect([name, validate(value), validate.errors]).toEqual([name, true, null]);
  }
});

test('an example is what its operation would take and answer, with no field that it does not have', () => {
  for (const operation of operations) {
    const { body, response } = exampleOf(operation, 'http://127.0.0.1:3000');
    expect(operation.response.parse(response), operation.id).toEqual(response);
    if (operation.body !== undefined) expect(operation.body.parse(body), operation.id).toBeDefined();
  }
});

test('examples name the deployment that shows them', () => {
  const shown = JSON.stringify(openApiDocument(operations, 'https://shop.example'));
  expect(shown).toContain('https://shop.example/c/maya-paints/watercolour-course');
  expect(shown).not.toContain('127.0.0.1');
});

test('every operation and every parameter is described', () => {
  for (const { operationId, summary, description, parameters = [] } of described) {
    expect([operationId, summary?.length, description?.length]).not.toContain(undefined);
    const undescribed = parameters
      .map(resolved)
      .filter((each) => (each.description ?? resolved(each.schema as Schema).description ?? '') === '');
    expect([operationId, undescribed.map(({ name }) => name)]).toEqual([operationId, []]);
  }
});

/** Every field of every schema in this part of the document. */
function fieldsIn(part: unknown): [string, Schema][] {
  if (part === null || typeof part !== 'object') return [];
  const { properties = {} } = part as Schema;
  const rest = Object.entries(part).filter(([key]) => key !== 'examples' && key !== 'example');
  return [...Object.entries(properties), ...rest.flatMap(([, each]) => fieldsIn(each))];
}

test('amounts say their units, and what is base64 says so', () => {
  const amounts = fieldsIn(document).filter(([name]) => /cents$/i.test(name));
  expect(amounts.length).toBeGreaterThan(100);
  for (const [name, { description }] of amounts)
    expect([name, description]).toEqual([
      name,
      expect.stringMatching(/minor units.* 4900 is 49\.00|Minor units: 4900 is 49\.00/i),
    ]);
  const encoded = fieldsIn(document).filter(([, schema]) => 'contentEncoding' in schema);
  expect(new Set(encoded.map(([name]) => name))).toEqual(
    new Set([
      'data',
      'challenge',
      'id',
      'rawId',
      'clientDataJSON',
      'authenticatorData',
      'signature',
      'userHandle',
      'attestationObject',
    ]),
  );
});

test('an error response that two operations have is written once', () => {
  const inline = described.flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([status, { $ref }]) => status !== '200' && $ref === undefined)
      .map(([, response]) => JSON.stringify(response)),
  );
  // Those of MCP are JSON-RPC.
  const problems = inline.filter((each) => each.includes('problem+json'));
  expect(problems.filter((each, index) => problems.indexOf(each) !== index)).toEqual([]);
});

test('there is no noise of zod in it', () => {
  expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
  expect(text).not.toContain('"minLength":0');
  expect(text).not.toContain('Output"');
});

/** Every schema in this one that is an array's. */
function arraysIn(schema: Schema): Schema[] {
  const { type, items, properties = {}, allOf = [], anyOf = [] } = resolved(schema);
  const own = type === 'array' || (Array.isArray(type) && type.includes('array')) ? [resolved(schema)] : [];
  const parts = [...Object.values(properties), ...allOf, ...anyOf, ...(items === undefined ? [] : [items])];
  return [...own, ...parts.flatMap(arraysIn)];
}

test('every array that a body may hold has a maximum, and none is beyond the general one', () => {
  const bodies = operations.flatMap(({ method, path }) => {
    const schema = documented(method, path).requestBody?.content['application/json']?.schema;
    return schema === undefined ? [] : arraysIn(schema);
  });
  expect(bodies.length).toBeGreaterThanOrEqual(3);
  for (const { maxItems } of bodies) expect(maxItems).toBeLessThanOrEqual(limits.arrayItems);
});

test('a receiver that catches up goes on from what it read in the log, which webhooks do not follow', () => {
  const { parameters = [], description } = documented('GET', '/api/v1/events') as DocumentedOperation & {
    description: string;
  };
  const after = parameters.map((each) => JSON.stringify(resolved(each))).find((each) => each.includes('"after"'));
  for (const words of [description, after]) {
    expect(words).toMatch(/last id (?:that you have )?read here/);
    expect(words).not.toMatch(/last `webhook-id`|event (?:that )?you have/);
  }
});

test('what five operations say alike is said once, and no resource is an answer with a second name', () => {
  const inline = [
    ...described,
    ...Object.values(document.webhooks).map((one) => (one as { post: DocumentedOperation }).post),
  ]
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ $ref }) => $ref === undefined);
  const byText = Map.groupBy(inline, (one) => JSON.stringify(one));
  expect([...byText].filter(([, all]) => all.length >= 5).map(([text]) => text)).toEqual([]);
  const { parameters, responses, schemas } = document.components;
  expect(Object.keys(parameters).filter((name) => name in schemas)).toEqual([]);
  const shared = Object.entries(responses as Record<string, Response>).filter(
    ([, { content = {} }]) => 'application/json' in content,
  );
  expect(shared.map(([name, { content }]) => [name, content?.['application/json']?.schema.$ref])).toEqual([
    ['Done', '#/components/schemas/Ok'],
    ['DoneOnce', '#/components/schemas/Ok'],
  ]);
});

test('what a format says is said in no pattern: engines of patterns differ, and readers know formats', () => {
  const patterns: string[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern' && /@|\\p\{/.test(value)) patterns.push(value);
    return value;
  });
  expect(patterns).toEqual([]);
});
