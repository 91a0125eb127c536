import { type ErrorCode, errorCodes, publicCode } from '@app/contracts/errors';
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Operation } from '../api/operation.ts';
import { problemType } from '../problems/problem-document.ts';
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
  .meta({ id: 'Problem', description: 'An RFC 9457 problem document.' });

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

export interface ErrorResponses {
  /** Those that several operations share, by name. */
  readonly shared: Record<string, ZodOpenApiResponseObject>;
  /** An operation's, by status: references to the shared ones, and its own. */
  of(operation: Operation): ZodOpenApiResponsesObject;
}

/** The error responses of these operations, of a deployment at `baseUrl`. */
export function errorResponses(operations: readonly Operation[], baseUrl: string): ErrorResponses {
  const groupsOf = (operation: Operation) =>
    byStatus(errorsOf(operation)).map(([status, codes]) => ({ status, codes, name: nameOf(status, codes) }));
  const byName = Map.groupBy(operations.flatMap(groupsOf), ({ name }) => name);
  for (const [name, [first, ...others]] of byName) {
    const differs = others.some(({ codes }) => codes.join() !== first?.codes.join());
    if (differs) throw new Error(`Error responses with different codes are named ${name}.`);
  }
  const isShared = (name: string): boolean => (byName.get(name)?.length ?? 0) > 1;
  const shared = [...byName].flatMap(([name, [first]]): [string, ZodOpenApiResponseObject][] =>
    first !== undefined && isShared(name) ? [[name, errorResponse(first.status, first.codes, baseUrl)]] : [],
  );
  return {
    shared: Object.fromEntries(shared.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    of: (operation) =>
      Object.fromEntries(
        groupsOf(operation).map(({ status, codes, name }) => [
          status,
          isShared(name) ? { $ref: `#/components/responses/${name}` } : errorResponse(status, codes, baseUrl),
        ]),
      ),
  };
}

/** Names of those that hold no code of a single operation, by their status. */
const named: Readonly<Record<number, Readonly<Record<string, readonly ErrorCode[]>>>> = {
  400: {
    MalformedRequest: ['malformed_request'],
    MalformedBody: ['malformed_request', 'malformed_json'],
    MalformedCommand: ['malformed_request', 'malformed_json', 'invalid_idempotency_key'],
  },
  401: { WrongCredentials: ['invalid_credentials'] },
  403: {
    NotAllowed: ['insufficient_scope', 'cross_site_request'],
    CrossSite: ['cross_site_request'],
    UserRequired: ['password_required', 'cross_site_request'],
  },
  409: { KeyInUse: ['idempotency_key_in_use'] },
  422: { Invalid: ['validation_failed'], InvalidCommand: ['validation_failed', 'idempotency_key_reused'] },
  429: { RateLimited: ['rate_limited'], RateLimitedByKey: ['rate_limited', 'idempotency_budget_used'] },
  503: { Unavailable: ['service_unavailable'], UnavailableOrUnknown: ['service_unavailable', 'outcome_unknown'] },
};

/** Codes that stand beside those of the operation itself. */
const common: readonly ErrorCode[] = [
  ...['unauthorized', 'insufficient_scope', 'cross_site_request', 'validation_failed'],
  ...['idempotency_key_in_use', 'idempotency_key_reused'],
] as const;

/** Made of the operation's own codes, with `Command` where those of an Idempotency-Key stand beside them. */
function nameOf(status: number, codes: readonly ErrorCode[]): string {
  const isSame = (others: readonly ErrorCode[]) =>
    others.length === codes.length && others.every((code) => codes.includes(code));
  const [known] = Object.entries(named[status] ?? {}).find(([, its]) => isSame(its)) ?? [];
  if (known !== undefined) return known;
  const own = codes.filter((code) => !common.includes(code));
  const words = (own.length === 0 ? codes : own).map(pascalCase).join('Or');
  return codes.some((code) => code.startsWith('idempotency_key')) ? `${words}Command` : words;
}

const pascalCase = (code: string): string =>
  code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function errorResponse(status: number, codes: readonly ErrorCode[], baseUrl: string): ZodOpenApiResponseObject {
  const lines = codes.map((code) => `\`${publicCode(code)}\`: ${errorCodes[code].title}.`);
  const narrowed = { properties: { code: { type: 'string', enum: codes.map(publicCode) } } } as const;
  return {
    description: lines.join('\n\n'),
    headers: {
      ...commonHeaders,
      ...(status === 401 || codes.includes('insufficient_scope')
        ? { 'www-authenticate': header('WwwAuthenticate') }
        : {}),
      ...(status === 429 || status === 503 || codes.includes('idempotency_key_in_use')
        ? { 'retry-after': header('RetryAfter') }
        : {}),
    },
    content: {
      [problemType]: {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] },
        examples: { one: { value: problemExample(codes, baseUrl) } },
      },
    },
  };
}

/** What is wrong in the examples, where the title says too little. */
const details: Partial<Record<ErrorCode, string>> = {
  validation_failed: 'email must be an email address.',
  insufficient_scope: 'The API key needs the scope money: use a key that has it.',
  invalid_transition: 'A canceled subscription cannot be changed.',
  rate_limited: 'At most 600 requests a minute.',
  version_changed: 'It was changed since you read it: read it again, and make your change to that.',
};

/** Of the last code, which is the operation's own where it has one. */
function problemExample(codes: readonly ErrorCode[], baseUrl: string): z.input<typeof problem> {
  const code = codes.findLast((each) => !common.includes(each)) ?? (codes[0] as ErrorCode);
  const { status, title } = errorCodes[code];
  return {
    type: `${baseUrl}/developers/errors#${publicCode(code)}`,
    title,
    status,
    detail: details[code] ?? `${title}.`,
    code: publicCode(code),
    requestId: '01kahv7w3xe5m8q2r6t9y0b4cd',
    ...(code === 'validation_failed' && {
      errors: [{ field: 'email', code: 'invalid_format', message: 'must be an email address' }],
    }),
  };
}
