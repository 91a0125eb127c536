import type { ApiDescription, ApiOperation, Schema } from '../../src/developers/api-description.ts';
import { developerPages } from '../../src/developers/developer-pages.ts';
import type { DeveloperPage } from '../../src/developers/layout.ts';
import { longName } from './samples.ts';

const orderId: Schema = { type: 'string', pattern: '^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$' };
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An object with every kind of field that the reference has words for. */
const everything: Schema = {
  type: 'object',
  description: `What \`sentence\` says of it. ${longName}`,
  required: ['id', 'a_name_that_is_very_long_and_breaks_nowhere_because_it_has_no_space_in_it_at_all'],
  properties: {
    id: orderId,
    a_name_that_is_very_long_and_breaks_nowhere_because_it_has_no_space_in_it_at_all: { type: 'string' },
    price_cents: { type: 'integer', minimum: 0, maximum: 99_999_999, description: 'Minor units: 4900 is 49.00.' },
    rate: { type: ['number', 'null'], minimum: 0, default: null },
    status: { type: 'string', enum: ['paid', 'refunded', 'authorized'] },
    kind: { const: 'email' },
    pattern: { type: 'string', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', minLength: 1, maxLength: 80 },
    picture: { type: 'string', contentEncoding: 'base64', maxLength: 204_800 },
    created_at: { type: 'string', format: 'date-time' },
    url: { type: 'string', format: 'uri', maxLength: 2_048 },
    headers: { type: 'object', additionalProperties: { type: 'string', maxLength: 200 } },
    any: {},
    flag: { anyOf: [{ type: 'integer', enum: [0, 1] }, { type: 'boolean' }] },
    parent: { anyOf: [ref('Everything'), { type: 'null' }] },
    items: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        required: ['label'],
        properties: {
          label: { type: 'string' },
          inner: {
            type: 'object',
            properties: { deeper: { type: 'array', items: { type: 'integer', multipleOf: 5 } } },
          },
        },
      },
    },
    action: {
      oneOf: [
        { type: 'object', properties: { type: { const: 'email' }, to: { type: 'string', enum: ['buyer', 'seller'] } } },
        { type: 'object', properties: { type: { const: 'post' }, url: { type: 'string', format: 'uri' } } },
      ],
    },
  },
};

const problem = (...codes: string[]) => ({
  description: '',
  content: { 'application/problem+json': { schema: { allOf: [{ properties: { code: { enum: codes } } }] } } },
});

const change: ApiOperation = {
  operationId: 'changeEverything',
  tags: ['Orders'],
  summary: `Change \`everything\` of an order, as far as it may be changed: ${longName}`,
  description: 'What holds for it.\n\nNeeds the scope `write`.',
  security: [{ apiKey: ['write', 'money'] }, { session: [] }],
  parameters: [
    { name: 'orderId', in: 'path', required: true, schema: orderId },
    { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } },
  ],
  requestBody: { required: true, content: { 'application/json': { schema: ref('Everything'), example: { id: 'x' } } } },
  responses: {
    200: {
      description: '',
      content: { 'application/json': { schema: ref('Everything'), example: { label: longName } } },
    },
    404: problem('order_not_found'),
    422: problem('validation_failed', 'idempotency_key_reused'),
  },
};

const list: ApiOperation = {
  operationId: 'listEverything',
  tags: ['Orders'],
  summary: 'List everything',
  deprecated: true,
  security: [],
  parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } }],
  responses: {
    200: {
      description: '',
      content: {
        'application/json': {
          schema: { type: 'object', properties: { data: { type: 'array', items: ref('Everything') } } },
        },
      },
    },
  },
};

const api: ApiDescription = {
  info: { version: '1.0.0' },
  tags: [{ name: 'Orders', description: 'Sales.' }],
  paths: {
    '/api/v1/everything': { get: list },
    '/api/v1/everything/with/a/path/that/is/long/{orderId}': { patch: change },
  },
  webhooks: { 'order.paid': { post: { ...change, operationId: 'on-order-paid', summary: 'An order is paid for' } } },
  components: { schemas: { Everything: everything } },
};

/** Nothing is described yet. */
const emptyApi: ApiDescription = { ...api, tags: [], paths: {}, webhooks: {} };

const tools = [
  { name: 'a_tool_with_a_name_that_is_long_enough_to_break', description: longName, operation: { scope: 'money' } },
  { name: 'find', description: 'Finds `operations`.', operation: {} },
];

const full = developerPages({ api, tools, requestsPerMinute: 600 });
const empty = developerPages({ api: emptyApi, tools: [], requestsPerMinute: 0 });

const statesOf = (pages: readonly DeveloperPage[], end: string): [string, () => DeveloperPage][] =>
  pages.map((page) => [`${page.path.slice(1).replaceAll('/', '-')}${end}`, () => page]);

/** Every page for developers, with every kind of field, and with nothing to describe. */
export const developerStates: Readonly<Record<string, () => DeveloperPage>> = Object.fromEntries([
  ...statesOf(full, ''),
  ...statesOf(empty, '-empty'),
]);
