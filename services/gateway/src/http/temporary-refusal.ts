import { DomainError, type ErrorCode } from '@app/contracts/errors';

/** A refusal that does not last, and when it is worth coming again. */
export class TemporaryRefusal extends DomainError {
  readonly retryAfterSeconds: number;

  constructor(code: ErrorCode, detail: string, retryAfterSeconds: number) {
    super(code, detail);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
