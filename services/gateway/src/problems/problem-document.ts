import { type DomainError, errorCodes, type FieldError, publicCode } from '@app/contracts/errors';
import { excerpt } from './excerpt.rules.ts';
import { RetryLaterError } from './retry-later-error.ts';

export interface Problem {
  readonly status: number;
  readonly body: Buffer;
  /** After so many seconds another attempt makes sense; null where none does. */
  readonly retryAfterSeconds: number | null;
}

export const problemType = 'application/problem+json';

/** An RFC 9457 problem document. `baseUrl` is this deployment's address without a slash at its end. */
export function problemDocument(err: DomainError, baseUrl: string, requestId: string): Problem {
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
  const retryAfterSeconds = err instanceof RetryLaterError ? err.retryAfterSeconds : status === 503 ? 1 : null;
  return { status, body: documentWith(shortened(err.errors)), retryAfterSeconds };
}

// A problem document may quote what the caller sent, and needs a bound. 50 errors of 100 + 300 characters and a detail of
// 2,000 are 20 KB as a rule, and 60 KB where every character takes three bytes.
const errorsMax = 50;
const fieldLengthMax = 100;
const messageLengthMax = 300;
const detailLengthMax = 2_000;

/** Field errors, as many and as long as a problem document holds. */
export function shortened(errors: readonly FieldError[]): FieldError[] {
  return errors.slice(0, errorsMax).map(({ field, code, message }) => ({
    field: excerpt(field, fieldLengthMax),
    code: excerpt(code, fieldLengthMax),
    message: excerpt(message, messageLengthMax),
  }));
}
