import type { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { pageParamOf } from '../api/next-page.ts';
import { type Operation, scopesOf, takesIdempotencyKey, takesVersion } from '../api/operation.ts';
import { checkoutSecretHeader } from '../identity/checkout-secret.ts';
import { portalSessionHeader } from '../identity/portal-session.ts';
import { commonHeaders, type ErrorResponses, errorResponses, problem } from './error-responses.ts';
import { exampleOf } from './examples/all-examples.ts';
import { describeFields } from './field-words.ts';
import { mcpPath } from './mcp-path.ts';
import { plainSchema } from './plain-schema.ts';
import { shareRepeated } from './share-repeated.ts';
import { webhooks } from './webhooks.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

const description = `Checkout and funnels for solo sellers. Every request acts on the account that owns the key.

Send \`Authorization: Bearer <key>\`; keys are made at \`/api/v1/api-keys\`. Success is 200. Errors are RFC 9457 problem
documents with a stable \`code\`. Fields may be added to answers at any time; none is renamed, retyped or removed.`;

const tags: Record<string, string> = {
  Products: 'What the account sells.',
  Funnel: 'Order bumps, upsells and post-purchase emails of a product.',
  Discounts: 'Discount codes of a product.',
  Orders: 'Sales.',
  Customers: 'Who bought.',
  Payments: 'What was tried to move money, and through which processor.',
  Checkout: 'For the buyer’s page: without a key, from any origin.',
  Withdrawals: 'Buyers who withdraw from a contract by the shop’s page, and what becomes of it.',
  Subscriptions: 'What renews.',
  Portal: 'For the buyer’s own page: what they bought, with a session that a link by email opens, from any origin.',
  Affiliates: 'Affiliates, their commissions and payouts.',
  Metrics: 'Sales figures of a product.',
  Webhooks: 'Events to the seller’s own URL, and Recent activity.',
  Automations: 'Emails and POSTs that an event starts.',
  'Daily job': 'Renewals, retries, reminders and holds.',
  Settings: 'The account’s settings.',
  'API keys': 'Keys of the account.',
  'Log in': 'Accounts and browser sessions.',
  MCP: 'The same for AI models.',
};

/** The OpenAPI 3.1 description of these operations, as reached under `baseUrl`. */
export function openApiDocument(operations: readonly Operation[], baseUrl: string): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  const errors = errorResponses(operations, baseUrl);
  for (const operation of operations) {
    const method = operation.method.toLowerCase() as Lowercase<Operation['method']>;
    paths[operation.path] = { ...paths[operation.path], [method]: operationObject(operation, errors, baseUrl) };
  }
  const used = new Set([...operations.map(({ tag }) => tag), 'MCP']);
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Checkout and funnel API',
        version: '1.0.0',
        description,
        contact: { name: 'Developer pages', url: `${baseUrl}/developers` },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      tags: [...used].map((name) => ({ name, description: tags[name] ?? name })),
      paths: { ...paths, ...mcpPath },
      webhooks,
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'A key of the account; scopes are named after it.' },
          platformKey: { type: 'http', scheme: 'bearer', description: 'The deployment’s own key.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'fnl_session',
            description: 'A logged-in browser. The cookie is named `__Host-fnl_session` where PUBLIC_URL is https.',
          },
          checkoutSecret: {
            type: 'apiKey',
            in: 'header',
            name: checkoutSecretHeader,
            description: 'The secret of one checkout, from the answer that opened it.',
          },
          portalSession: {
            type: 'apiKey',
            in: 'header',
            name: portalSessionHeader,
            description: 'The secret of a buyer’s session, from the answer that opened it.',
          },
        },
        parameters: { IdempotencyKey: idempotencyKey, IfMatch: ifMatch, RequestId: requestId },
        headers,
        responses: errors.shared,
        schemas: { Problem: problem },
      },
    },
    { override: schemasOf(operations) },
  );
  describeFields(document);
  shareRepeated(document);
  return document;
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes repeating the request harmless: the same key and body get the first answer again for 30 days, without secrets. A refusal frees the key.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
} as const;

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `version` that the change was made from, in double quotes, as `ETag` has it. When there is a newer one, the answer is 412 and nothing is changed. Without it, or with `*`, the change is made to whatever version there is.',
  schema: { type: 'string', pattern: '^("[0-9]{1,10}"|\\*)$' },
} as const;

const requestId = {
  name: 'x-request-id',
  in: 'header',
  description: 'Your own id for the request; it comes back and stands in our logs. Left out, one is made.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
} as const;

const textHeader = (text: string) => ({ description: text, schema: { type: 'string' } }) as const;
const headers = {
  RequestId: textHeader('Id of the request, also in every error body.'),
  RateLimitPolicy: textHeader(
    'The limit: `"account";q=<requests>;w=<seconds>`, `"address"` for callers without a valid key, `"buyers"` for buyers’ pages. Absent where no limit is set.',
  ),
  RateLimit: textHeader('What is left: `"account";r=<requests>;t=<seconds until the window ends>`.'),
  RateLimitLimit: textHeader('Requests that the window allows.'),
  RateLimitRemaining: textHeader('Requests that are left of them.'),
  RateLimitReset: textHeader('Seconds until the window ends.'),
  RetryAfter: textHeader('Seconds to wait.'),
  WwwAuthenticate: textHeader(
    '`Bearer`; of a key that lacks a scope `Bearer error="insufficient_scope", scope="money"`.',
  ),
  Link: textHeader(
    'Where there is a next page, its address relative to this one: `</api/v1/orders?before=ord_…>; rel="next"`.',
  ),
  ContentDisposition: textHeader('`attachment`, and the name of the file.'),
  ETag: textHeader('The `version` of the resource, in double quotes: for `If-Match`.'),
  IdempotentReplayed: textHeader('`true` when this is the first answer again.'),
};

/** Plain schemas; `callOperation` refuses a change that names no field. */
function schemasOf(operations: readonly Operation[]): typeof plainSchema {
  const changes = new Set<unknown>(operations.filter(({ method }) => method === 'PATCH').map(({ body }) => body));
  return (context) => {
    plainSchema(context);
    if (changes.has(context.zodSchema)) context.jsonSchema.minProperties = 1;
  };
}

function operationObject(operation: Operation, errors: ErrorResponses, baseUrl: string): ZodOpenApiOperationObject {
  const { params, query, body } = operation;
  const replays = takesIdempotencyKey(operation, 'http');
  const example = exampleOf(operation, baseUrl);
  const scopes = scopesOf(operation);
  const needs =
    scopes.length === 0
      ? ''
      : `Needs the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`;
  const about = [operation.description ?? '', needs].filter((part) => part !== '').join('\n\n');
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(about === '' ? {} : { description: about }),
    security: securityOf(operation),
    parameters: [
      { $ref: '#/components/parameters/RequestId' },
      ...(replays ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(takesVersion(operation) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ],
    requestParams: { ...(params && { path: params }), ...(query && { query }) },
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: body, ...examplesOf(example.body) } },
      },
    }),
    responses: {
      200: {
        description: 'Done.',
        headers: {
          ...commonHeaders,
          ...(operation.mediaType
            ? { 'content-disposition': { $ref: '#/components/headers/ContentDisposition' } }
            : {}),
          ...(pageParamOf(operation) === null ? {} : { link: { $ref: '#/components/headers/Link' } }),
          ...(operation.hasVersion ? { etag: { $ref: '#/components/headers/ETag' } } : {}),
          ...(replays ? { 'idempotent-replayed': { $ref: '#/components/headers/IdempotentReplayed' } } : {}),
        },
        content: {
          [operation.mediaType ?? 'application/json']: {
            schema: operation.response as z.ZodType,
            ...examplesOf(example.response),
          },
        },
      },
      ...errors.of(operation),
    },
  };
}

function examplesOf(value: unknown) {
  return value === undefined ? {} : { examples: { one: { value } } };
}

function securityOf(operation: Operation): Record<string, string[]>[] {
  const scopes = scopesOf(operation);
  switch (operation.auth) {
    case 'public':
    case 'visitor':
      return [];
    case 'buyer':
      return [{ checkoutSecret: [] }];
    case 'portal':
      return [{ portalSession: [] }];
    case 'session':
      return [{ session: [] }];
    case 'platform':
      return [{ platformKey: [] }];
    case 'account':
      return [{ apiKey: scopes }, { session: [] }];
    case 'daily':
      return [{ apiKey: scopes }, { session: [] }, { platformKey: [] }];
  }
}
