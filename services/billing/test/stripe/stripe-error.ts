import type { StripeDecline } from './cards.ts';

interface ErrorBody extends Partial<StripeDecline> {
  readonly type: string;
  readonly message: string;
  readonly param?: string;
  readonly payment_intent?: unknown;
  readonly setup_intent?: unknown;
  readonly payment_method?: unknown;
}

/** A no of Stripe. */
export class StripeNo extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  /** Its work had begun: status and body are kept under the idempotency key. */
  readonly isKept: boolean;

  constructor(status: number, body: ErrorBody, isKept = true) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.isKept = isKept;
  }
}

export const invalid = (message: string, more: { code?: string; param?: string } = {}, isKept = false): StripeNo =>
  new StripeNo(400, { type: 'invalid_request_error', message, ...more }, isKept);

export const missing = (what: string, id: string, param: string): StripeNo =>
  new StripeNo(
    404,
    { type: 'invalid_request_error', code: 'resource_missing', message: `No such ${what}: '${id}'`, param },
    false,
  );

export const lockTimeout = (): StripeNo =>
  new StripeNo(
    429,
    { type: 'invalid_request_error', code: 'lock_timeout', message: 'This object cannot be accessed right now.' },
    false,
  );
