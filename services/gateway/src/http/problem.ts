import { type DomainError, errorCodes } from '@app/contracts/errors';

export interface Problem {
  readonly status: number;
  readonly body: Buffer;
}

export const problemType = 'application/problem+json';

/** The code as callers see it: a few of ours share one. */
export function publicCode(code: DomainError['code']): string {
  const entry = errorCodes[code];
  return 'publicCode' in entry ? entry.publicCode : code;
}

/** An RFC 9457 problem document. `baseUrl` is this deployment's address without a slash at its end. */
export function problemOf(err: DomainError, baseUrl: string, requestId: string): Problem {
  const { status, title } = errorCodes[err.code];
  const code = publicCode(err.code);
  const document = {
    type: `${baseUrl}/developers/errors#${code}`,
    title,
    status,
    detail: err.message,
    code,
    requestId,
    ...(err.errors.length === 0 ? {} : { errors: err.errors }),
  };
  return { status, body: Buffer.from(JSON.stringify(document)) };
}
