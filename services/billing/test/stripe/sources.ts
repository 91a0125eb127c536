/** Where Stripe says what an endpoint answers; shapes are those of the types of the npm package stripe, 23.1.0. */
export const endpointSources: Readonly<Record<string, string>> = {
  'GET /v1/account': 'docs.stripe.com/api/accounts/retrieve',
  'POST /v1/customers': 'docs.stripe.com/api/customers/create',
  'GET /v1/customers/{customer}': 'docs.stripe.com/api/customers/retrieve',
  'DELETE /v1/customers/{customer}': 'docs.stripe.com/api/customers/delete',
  'POST /v1/payment_intents': 'docs.stripe.com/api/payment_intents/create',
  'GET /v1/payment_intents': 'docs.stripe.com/api/payment_intents/list',
  'GET /v1/payment_intents/{intent}': 'docs.stripe.com/api/payment_intents/retrieve',
  'POST /v1/payment_intents/{intent}/capture': 'docs.stripe.com/api/payment_intents/capture',
  'POST /v1/payment_intents/{intent}/cancel': 'docs.stripe.com/api/payment_intents/cancel',
  'POST /v1/setup_intents': 'docs.stripe.com/api/setup_intents/create',
  'GET /v1/setup_intents': 'docs.stripe.com/api/setup_intents/list',
  'GET /v1/setup_intents/{intent}': 'docs.stripe.com/api/setup_intents/retrieve',
  'POST /v1/setup_intents/{intent}/cancel': 'docs.stripe.com/api/setup_intents/cancel',
  'GET /v1/payment_methods/{payment_method}': 'docs.stripe.com/api/payment_methods/retrieve',
  'POST /v1/payment_methods/{payment_method}/detach': 'docs.stripe.com/api/payment_methods/detach',
  'POST /v1/test_helpers/confirmation_tokens': 'docs.stripe.com/api/confirmation_tokens/test_create',
  'POST /v1/refunds': 'docs.stripe.com/api/refunds/create',
  'GET /v1/refunds': 'docs.stripe.com/api/refunds/list',
  'GET /v1/refunds/{refund}': 'docs.stripe.com/api/refunds/retrieve',
  'GET /v1/disputes': 'docs.stripe.com/api/disputes/list',
  'GET /v1/disputes/{dispute}': 'docs.stripe.com/api/disputes/retrieve',
  'GET /v1/balance_transactions': 'docs.stripe.com/api/balance_transactions/list',
  'GET /v1/events': 'docs.stripe.com/api/events/list',
  'POST /v1/webhook_endpoints': 'docs.stripe.com/api/webhook_endpoints/create',
  'GET /v1/webhook_endpoints': 'docs.stripe.com/api/webhook_endpoints/list',
  'GET /v1/webhook_endpoints/{webhook_endpoint}': 'docs.stripe.com/api/webhook_endpoints/retrieve',
  'POST /v1/webhook_endpoints/{webhook_endpoint}': 'docs.stripe.com/api/webhook_endpoints/update',
  'DELETE /v1/webhook_endpoints/{webhook_endpoint}': 'docs.stripe.com/api/webhook_endpoints/delete',
  'POST /v1/payment_method_domains': 'docs.stripe.com/api/payment_method_domains/create',
  'GET /v1/payment_method_domains': 'docs.stripe.com/api/payment_method_domains/list',
  'POST /v1/payment_method_domains/{payment_method_domain}': 'docs.stripe.com/api/payment_method_domains/update',
  'POST /v1/payment_method_domains/{payment_method_domain}/validate':
    'docs.stripe.com/api/payment_method_domains/validate',
};

/** In the package: the type Stripe.PaymentIntent.LastPaymentError.Code. In words: docs.stripe.com/error-codes. */
const documentedCodes = new Set([
  'amount_too_large',
  'amount_too_small',
  'authentication_required',
  'card_declined',
  'charge_already_refunded',
  'charge_disputed',
  'charge_expired_for_capture',
  'charge_not_refundable',
  'email_invalid',
  'expired_card',
  'idempotency_key_in_use',
  'incorrect_cvc',
  'lock_timeout',
  'parameter_unknown',
  'payment_intent_authentication_failure',
  'payment_intent_unexpected_state',
  'rate_limit',
  'resource_missing',
  'setup_intent_authentication_failure',
  'setup_intent_unexpected_state',
  'url_invalid',
]);

/** Of errors that have no code, by how they begin, and of a code that the package does not name. */
const recorded: readonly (readonly [begins: RegExp, source: string])[] = [
  [/^more_permissions_required$/, 'github.com/PostHog/posthog, observed errors of StripeSource'],
  [/^The provided key '/, 'github.com/stripe/stripe-node/issues/2246'],
  [/^The provided PaymentMethod was previously used/, 'github.com/liberapay/liberapay.com/issues/2686'],
  [/^The PaymentMethod \S+ does not belong to/, 'github.com/cloudronin/seahaven'],
  [/^Invalid currency: /, 'github.com/lukec/stripe-perl/issues/156'],
  [/^The PaymentMethod provided \(/, 'github.com/Automattic/woocommerce-payments/pull/7026'],
  [/^Your account cannot currently make/, 'github.com/Automattic/woocommerce-payments/issues/248'],
  [/^The refund amount is greater than the unrefunded/, 'github.com/reactioncommerce/reaction/issues/3704'],
  // That it is refused; no thread has the words.
  [/^This PaymentIntent does not have a successful charge/, 'docs.stripe.com/refunds'],
  // Of a PaymentIntent there is a code too: github.com/woocommerce/woocommerce-gateway-stripe/issues/5300.
  [/^The client secret is of another intent/, 'docs.stripe.com/api/setup_intents/retrieve'],
  [/^The ConfirmationToken has been used/, 'docs.stripe.com/api/confirmation_tokens'],
  [/^Unrecognized request URL/, 'github.com/stripe/stripe-php/issues/968'],
  [/^Invalid API Key provided/, 'docs.stripe.com/keys'],
  [/^not the API version/, 'docs.stripe.com/api/versioning'],
  [/^limit must be between/, 'docs.stripe.com/api/pagination'],
  [/^You cannot expand more than/, 'docs.stripe.com/expand'],
  [/ is not a domain name\.$/, 'docs.stripe.com/payments/payment-methods/pmd-registration'],
  [/^Keys for idempotent requests/, 'docs.stripe.com/api/idempotent_requests'],
  [/^An unknown error occurred/, 'docs.stripe.com/error-low-level'],
];

/** @throws Error for an error that Stripe gives nowhere */
export function requireSource({ code, message }: { readonly code?: string; readonly message: string }): void {
  if (code !== undefined && documentedCodes.has(code)) return;
  if (recorded.some(([begins]) => begins.test(code ?? message))) return;
  throw new Error(`no source has the error of Stripe “${code ?? message}”: name it in sources.ts`);
}
