import { DomainError, type ErrorCode, type FieldError } from '@app/contracts/errors';

/** An error that passes by itself, with the time after which a new attempt makes sense. */
export class RetryLaterError extends DomainError {
  readonly retryAfterSeconds: number;

  constructor(code: ErrorCode, detail: string, retryAfterSeconds: number, errors: readonly FieldError[] = []) {
    super(code, detail, errors);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
