import { type ErrorCode, errorCodes, publicCode } from '@app/contracts/errors';
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Operation } from '../api/operation.ts';
import { problemType } from '../problems/problem-document.ts';
import { problemExample } from './examples.ts';
import { byStatus, errorsOf } from './operation-errors.ts';

/** What `problemOf` writes. */
export const problem = z
  .object({
    type: z.url().describe('Address of the page that explains the code.'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What is wrong this time, in a sentence.'),
    code: z.string().describe('A stable word; see `/developers/errors`.'),
    requestId: z.string().describe('The same as the `x-request-id` header.'),
    errors: z
      .array(z.object({ field: z.string(), code: z.string(), message: z.string() }))
      .optional()
      .describe('The fields at fault.'),
  })
  .meta({ id: 'Problem', description: 'An RFC 9457 problem document.', examples: [problemExample] });

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** On every response. */
export const commonHeaders = {
  'x-request-id': header('RequestId'),
  'ratelimit-policy': header('RateLimitPolicy'),
  ratelimit: header('RateLimit'),
  'ratelimit-limit': header('RateLimitLimit'),
  'ratelimit-remaining': header('RateLimitRemaining'),
  'ratelimit-reset': header('RateLimitReset'),
};

/** The error responses of an operation. Those that many operations share are components. */
export function errorResponses(operation: Operation): ZodOpenApiResponsesObject {
  const groups = byStatus(errorsOf(operation));
  return Object.fromEntries(
    groups.map(([status, codes]) => {
      const name = sharedName(status, codes);
      return [status, name === undefined ? errorResponse(status, codes) : { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** Error responses that hold no code of a single operation: by their status, and by the name of their component. */
const shared: Readonly<Record<number, Readonly<Record<string, readonly ErrorCode[]>>>> = {
  400: {
    MalformedRequest: ['malformed_request'],
    MalformedBody: ['malformed_request', 'malformed_json'],
    MalformedCommand: ['malformed_request', 'malformed_json', 'invalid_idempotency_key'],
  },
  401: { Unauthorized: ['unauthorized'], PortalSessionEnded: ['portal_session_ended'] },
  403: { NotAllowed: ['insufficient_scope', 'cross_site_request'], CrossSite: ['cross_site_request'] },
  406: { NotAcceptable: ['not_acceptable'] },
  409: { KeyInUse: ['idempotency_key_in_use'] },
  412: { VersionChanged: ['version_changed'] },
  413: { PayloadTooLarge: ['payload_too_large'] },
  415: { UnsupportedMediaType: ['unsupported_media_type'] },
  422: { Invalid: ['validation_failed'], InvalidCommand: ['validation_failed', 'idempotency_key_reused'] },
  429: { RateLimited: ['rate_limited'], RateLimitedByKey: ['rate_limited', 'idempotency_budget_used'] },
  500: { Internal: ['internal'] },
  503: { Unavailable: ['service_unavailable'], UnavailableOrUnknown: ['service_unavailable', 'outcome_unknown'] },
};

export function sharedResponses(): Record<string, ZodOpenApiResponseObject> {
  const responses = Object.entries(shared).flatMap(([status, byName]) =>
    Object.entries(byName).map(([name, codes]) => [name, errorResponse(Number(status), codes)]),
  );
  return Object.fromEntries(responses);
}

function sharedName(status: number, codes: readonly ErrorCode[]): string | undefined {
  const [name] =
    Object.entries(shared[status] ?? {}).find(
      ([, itsCodes]) => itsCodes.length === codes.length && itsCodes.every((code) => codes.includes(code)),
    ) ?? [];
  return name;
}

function errorResponse(status: number, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const lines = codes.map((code) => `\`${publicCode(code)}\`: ${errorCodes[code].title}.`);
  const narrowed = { properties: { code: { type: 'string', enum: codes.map(publicCode) } } } as const;
  return {
    description: lines.join('\n\n'),
    headers: {
      ...commonHeaders,
      ...(status === 401 ? { 'www-authenticate': header('WwwAuthenticate') } : {}),
      ...(status === 429 || status === 503 || codes.includes('idempotency_key_in_use')
        ? { 'retry-after': header('RetryAfter') }
        : {}),
    },
    content: { [problemType]: { schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] } } },
  };
}
