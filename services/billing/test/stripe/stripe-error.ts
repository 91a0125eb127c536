import type { StripeDecline } from './cards.ts';
import { requireSource } from './sources.ts';

interface ErrorBody extends Partial<StripeDecline> {
  readonly type: string;
  readonly message: string;
  readonly param?: string;
  readonly payment_intent?: unknown;
  readonly setup_intent?: unknown;
  readonly payment_method?: unknown;
}

/** A no of Stripe: one that a source has. */
export class StripeNo extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  /** Its work had begun: status and body are kept under the idempotency key. */
  readonly isKept: boolean;

  constructor(status: number, body: ErrorBody, isKept = true) {
    super(body.message);
    requireSource(body);
    this.status = status;
    this.body = body;
    this.isKept = isKept;
  }
}

/** By default not kept: a request that failed validation is not, docs.stripe.com/api/idempotent_requests. */
export const invalid = (message: string, more: { code?: string; param?: string } = {}, isKept = false): StripeNo =>
  new StripeNo(400, { type: 'invalid_request_error', message, ...more }, isKept);

const noSuch = (status: number, what: string, { id, param, isKept }: { id: string; param: string; isKept: boolean }) =>
  new StripeNo(
    status,
    { type: 'invalid_request_error', code: 'resource_missing', message: `No such ${what}: '${id}'`, param },
    isKept,
  );

/** What a path names is 404: recorded in github.com/stripe/stripe-cli/pull/1207. */
export const missing = (what: string, id: string, param: string): StripeNo =>
  noSuch(404, what, { id, param, isKept: false });

/**
 * What a body or a query names is 400: recorded with its status in github.com/MarcinusX/flutter_stripe_demo/issues/4, of `customer` in
 * github.com/redwoodjs/example-store-stripe/pull/168. Whether it is kept under its key the documentation leaves open ("once its work
 * has begun", docs.stripe.com/api/idempotent_requests): kept is what is harder on its sender.
 */
export const missingInBody = (what: string, id: string, param: string): StripeNo =>
  noSuch(400, what, { id, param, isKept: true });

/**
 * Of a method that was detached, or used without a customer: neither code nor parameter. The words: github.com/liberapay/liberapay.com/issues/2686;
 * that it has nothing else: woocommerce.com/document/subscriptions, "PaymentMethod detached or invalid".
 */
export const detachedMethod = (): StripeNo =>
  invalid(
    'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
    {},
    true,
  );

/** No code. Probed by github.com/cloudronin/seahaven at 2026-08-26.dahlia, also that confirming names the intent and a SetupIntent's creation none. */
export const foreignMethod = (method: string, customer: string, intent?: unknown): StripeNo =>
  new StripeNo(400, {
    type: 'invalid_request_error',
    message: `The PaymentMethod ${method} does not belong to the Customer you supplied ${customer}. Please use this PaymentMethod with the Customer that it belongs to instead.`,
    param: 'payment_method',
    ...(intent !== undefined && { payment_intent: intent }),
  });

/**
 * Of an account that may not charge: the intent was made, and is named. Recorded in github.com/Automattic/woocommerce-payments/issues/248; the words of
 * today in github.com/opencollective/opencollective/issues/5997.
 */
export const chargesDisabled = (intent: Readonly<Record<string, unknown>>): StripeNo =>
  new StripeNo(400, {
    type: 'invalid_request_error',
    message:
      'Your account cannot currently make live charges. The `requirements.disabled_reason` property on the account will provide information about why this account is currently disabled.',
    ...intent,
  });

/** docs.stripe.com/error-codes, lock_timeout. */
export const lockTimeout = (): StripeNo =>
  new StripeNo(
    429,
    { type: 'invalid_request_error', code: 'lock_timeout', message: 'This object cannot be accessed right now.' },
    false,
  );
