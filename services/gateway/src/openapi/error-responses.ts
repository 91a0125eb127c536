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

/** Error responses that hold no code of a single operation, by the name of their component. */
const shared: Readonly<Record<string, readonly [status: number, codes: readonly ErrorCode[]]>> = {
  MalformedRequest: [400, ['malformed_request']],
  MalformedBody: [400, ['malformed_request', 'malformed_json']],
  MalformedCommand: [400, ['malformed_request', 'malformed_json', 'invalid_idempotency_key']],
  Unauthorized: [401, ['unauthorized']],
  PortalSessionEnded: [401, ['portal_session_ended']],
  NotAllowed: [403, ['insufficient_scope', 'cross_site_request']],
  CrossSite: [403, ['cross_site_request']],
  NotAcceptable: [406, ['not_acceptable']],
  KeyInUse: [409, ['idempotency_key_in_use']],
  VersionChanged: [412, ['version_changed']],
  PayloadTooLarge: [413, ['payload_too_large']],
  UnsupportedMediaType: [415, ['unsupported_media_type']],
  Invalid: [422, ['validation_failed']],
  InvalidCommand: [422, ['validation_failed', 'idempotency_key_reused']],
  RateLimited: [429, ['rate_limited']],
  Internal: [500, ['internal']],
  Unavailable: [503, ['service_unavailable']],
  UnavailableOrUnknown: [503, ['service_unavailable', 'outcome_unknown']],
};

export function sharedResponses(): Record<string, ZodOpenApiResponseObject> {
  return Object.fromEntries(
    Object.entries(shared).map(([name, [status, codes]]) => [name, errorResponse(status, codes)]),
  );
}

function sharedName(status: number, codes: readonly ErrorCode[]): string | undefined {
  return Object.keys(shared).find((name) => {
    const [itsStatus, itsCodes] = shared[name] ?? [0, []];
    return itsStatus === status && itsCodes.length === codes.length && itsCodes.every((code) => codes.includes(code));
  });
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
