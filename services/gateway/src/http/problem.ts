import { type DomainError, errorCodes, type FieldError } from '@app/contracts/errors';
import { excerpt } from './excerpt.rules.ts';

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
  const detail = excerpt(err.message, detailLengthMax);
  const documentWith = (errors: readonly FieldError[]) =>
    Buffer.from(
      JSON.stringify({
        type: `${baseUrl}/developers/errors#${code}`,
        title,
        status,
        detail,
        code,
        requestId,
        ...(errors.length === 0 ? {} : { errors }),
      }),
    );
  return { status, body: documentWith(shortened(err.errors)) };
}

// A problem is read by people, and what is wrong may quote what they sent: 50 errors of 100 + 300 characters and 2,000
// of the whole are 60 KB where JSON writes each in three bytes, and 20 KB as a rule.
const errorsMax = 50;
const fieldLengthMax = 100;
const messageLengthMax = 300;
const detailLengthMax = 2_000;

/** Field errors as they fit a refusal. */
export function shortened(errors: readonly FieldError[]): FieldError[] {
  return errors.slice(0, errorsMax).map(({ field, code, message }) => ({
    field: excerpt(field, fieldLengthMax),
    code: excerpt(code, fieldLengthMax),
    message: excerpt(message, messageLengthMax),
  }));
}
