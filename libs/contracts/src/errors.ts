/**
 * Every error code of the product, once: its HTTP status and its title. A code never changes its meaning.
 * Services throw `DomainError` with a code; only the edge turns it into HTTP.
 */
export const errorCodes = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_request: { status: 400, title: 'The request is malformed' },
  invalid_idempotency_key: { status: 400, title: 'The Idempotency-Key header is malformed' },
  unauthorized: { status: 401, title: 'A valid API key or a session is required' },
  invalid_credentials: { status: 401, title: 'Email or password is wrong' },
  login_expired: { status: 401, title: 'The log-in was not finished in time' },
  portal_session_ended: { status: 401, title: 'The portal’s session has ended' },
  insufficient_scope: { status: 403, title: 'The API key lacks the required scope' },
  password_required: { status: 403, title: 'The person must confirm this' },
  cross_site_request: { status: 403, title: 'A browser may only act from this deployment’s own pages' },
  not_allowed_by_seller: { status: 403, title: 'The seller does not let buyers do this' },
  signup_closed: { status: 403, title: 'Sign-up is switched off here' },
  not_found: { status: 404, title: 'Not found' },
  product_not_found: { status: 404, title: 'No such product' },
  offer_not_found: { status: 404, title: 'No such offer on this product' },
  email_not_found: { status: 404, title: 'No such email on this product' },
  discount_not_found: { status: 404, title: 'No such discount' },
  order_not_found: { status: 404, title: 'No such order' },
  customer_not_found: { status: 404, title: 'No such customer' },
  payment_not_found: { status: 404, title: 'No such payment' },
  withdrawal_not_found: { status: 404, title: 'No such withdrawal' },
  checkout_not_found: { status: 404, title: 'No such checkout' },
  subscription_not_found: { status: 404, title: 'No such subscription' },
  daily_run_not_found: { status: 404, title: 'No such daily run' },
  affiliate_not_found: { status: 404, title: 'No such affiliate' },
  api_key_not_found: { status: 404, title: 'No such API key' },
  passkey_not_found: { status: 404, title: 'No such passkey' },
  session_not_found: { status: 404, title: 'No such session' },
  webhook_endpoint_not_found: { status: 404, title: 'No such webhook endpoint' },
  delivery_not_found: { status: 404, title: 'No such delivery' },
  recovery_not_found: { status: 404, title: 'No such recovery' },
  automation_not_found: { status: 404, title: 'No such automation' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  not_acceptable: { status: 406, title: 'The accepted type cannot be produced' },
  idempotency_key_in_use: { status: 409, title: 'A request with this Idempotency-Key is still running' },
  passkeys_unavailable: { status: 409, title: 'Browsers use no passkeys at this address' },
  email_unavailable: { status: 409, title: 'This deployment has no mail server' },
  invalid_transition: { status: 409, title: 'The current state does not allow this change' },
  card_declined: { status: 422, title: 'The card was not saved' },
  no_payment_processor: { status: 409, title: 'The account has chosen no payment processor' },
  nothing_due: { status: 409, title: 'No commission is due' },
  no_longer_for_sale: { status: 409, title: 'The product is no longer for sale' },
  price_changed: { status: 409, title: 'The price has changed since it was shown' },
  amount_changed: { status: 409, title: 'The amount has changed since it was shown' },
  already_bought: { status: 409, title: 'The buyer has bought this already' },
  test_mode_changed: { status: 409, title: 'The shop’s test mode was switched since the checkout was opened' },
  already_refunded: { status: 409, title: 'The payment was refunded already' },
  payment_disputed: { status: 409, title: 'The buyer’s bank disputes the payment' },
  refund_failed: { status: 409, title: 'The payment processor refused the refund' },
  slug_taken: { status: 409, title: 'Another product has this slug' },
  handle_taken: { status: 409, title: 'Another account has this handle' },
  body_expired: { status: 409, title: 'The body is no longer kept' },
  email_taken: { status: 409, title: 'An account with this email exists' },
  code_taken: { status: 409, title: 'This code exists already' },
  position_taken: { status: 409, title: 'Another email has this position' },
  version_changed: { status: 412, title: 'The resource was changed since it was read' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  validation_failed: { status: 422, title: 'Some fields are invalid' },
  idempotency_key_reused: { status: 422, title: 'This Idempotency-Key was used for another request' },
  unknown_product: { status: 422, title: 'No such product', publicCode: 'product_not_found' },
  product_not_live: { status: 422, title: 'The product is not for sale' },
  limit_reached: { status: 422, title: 'The limit is reached' },
  buyer_not_found: { status: 422, title: 'No such buyer' },
  bump_not_found: { status: 422, title: 'No such order bump on this product' },
  discount_invalid: { status: 422, title: 'The discount code cannot be used' },
  total_too_large: { status: 422, title: 'The total is larger than a payment may be' },
  webhook_url_refused: { status: 422, title: 'Webhooks cannot be sent to this address' },
  rate_limited: { status: 429, title: 'Too many requests' },
  idempotency_budget_used: { status: 429, title: 'Too many answers are kept under Idempotency-Keys' },
  internal: { status: 500, title: 'The platform failed' },
  service_unavailable: { status: 503, title: 'Part of the service is down; try again' },
  outcome_unknown: { status: 503, title: 'The answer was lost; the request may have taken effect' },
} as const satisfies Record<string, { status: number; title: string; publicCode?: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** The code in the API: several of our codes may share one. */
export function publicCode(code: ErrorCode): string {
  const entry = errorCodes[code];
  return 'publicCode' in entry ? entry.publicCode : code;
}

export interface FieldError {
  /** Path of the field in the body, e.g. `items.0.label`; empty for the body as a whole. */
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** An error that the caller can act on: a code of the registry, a sentence, and the fields at fault. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];

  constructor(code: ErrorCode, detail: string, errors: readonly FieldError[] = []) {
    super(detail);
    this.code = code;
    this.errors = errors;
  }
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}
