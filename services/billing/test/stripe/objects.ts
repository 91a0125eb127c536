import type { StripeCard } from './cards.ts';
import { filled } from './description.ts';

/** Objects of Stripe that the stand-in keeps, with the fields that it changes. The others are null or as for a plain card. */
export interface StripeObject {
  readonly id: string;
  readonly object: string;
  readonly created: number;
}
export interface Intent extends StripeObject {
  status: string;
  customer: string | null;
  payment_method: string | null;
  next_action: unknown;
  cancellation_reason: string | null;
  readonly client_secret: string;
  readonly metadata: Record<string, string>;
}
export interface PaymentIntent extends Intent {
  readonly amount: number;
  amount_capturable: number;
  amount_received: number;
  readonly currency: string;
  readonly capture_method: string;
  readonly setup_future_usage: string | null;
  canceled_at: number | null;
  last_payment_error: unknown;
  latest_charge: string | null;
}
export interface WebhookEndpoint extends StripeObject {
  url: string;
  enabled_events: string[];
  status: string;
  readonly api_version: string | null;
  readonly metadata: Record<string, string>;
}
export interface MethodDomain extends StripeObject {
  readonly domain_name: string;
  enabled: boolean;
  apple_pay: { status: string; status_details?: { error_message: string } };
}
export interface SetupIntent extends Intent {
  last_setup_error: unknown;
}
export interface PaymentMethod extends StripeObject {
  customer: string | null;
  readonly card: { readonly last4: string };
}
export interface Charge extends StripeObject {
  readonly amount: number;
  amount_captured: number;
  amount_refunded: number;
  captured: boolean;
  disputed: boolean;
  refunded: boolean;
  balance_transaction: string | null;
  readonly currency: string;
  readonly payment_intent: string;
}
export interface Refund extends StripeObject {
  readonly amount: number;
  readonly charge: string;
  readonly payment_intent: string;
  status: string;
  failure_reason?: string;
}

export interface StripeEvent extends StripeObject {
  readonly type: string;
  readonly data: { readonly object: StripeObject };
}
export interface Dispute extends StripeObject {
  readonly amount: number;
  readonly currency: string;
  readonly charge: string;
  readonly payment_intent: string;
  readonly reason: string;
  status: string;
  is_charge_refundable: boolean;
  /** Withdrawn and reinstated; kept in no list. */
  readonly balance_transactions: { readonly amount: number }[];
}

type Given = Pick<StripeObject, 'id' | 'created'> & Record<string, unknown>;

const common = { livemode: true, payment_method_types: ['card'], allowed_payment_method_types: ['card'] };

export const paymentIntent = (given: Given): PaymentIntent =>
  filled('paymentIntents_create_response', {
    object: 'payment_intent',
    ...common,
    amount_capturable: 0,
    amount_received: 0,
    confirmation_method: 'automatic',
    managed_payments: null,
    ...given,
  }) as unknown as PaymentIntent;

export const setupIntent = (given: Given): SetupIntent =>
  filled('paymentIntents_create_response_last_payment_error_setup_intent', {
    object: 'setup_intent',
    ...common,
    ...given,
  }) as unknown as SetupIntent;

const cardFacts = { brand: 'visa', country: 'US', exp_month: 12, exp_year: 2034, funding: 'credit' };

/** The wallet that gave a card; its own number ends otherwise. Source: `PaymentMethod.Card.Wallet` in the package. */
const walletOf = (wallet: string | undefined) =>
  wallet === undefined ? null : { type: wallet, dynamic_last4: '0000', [wallet]: {} };

export const paymentMethod = (given: Given, { last4, wallet }: StripeCard): PaymentMethod =>
  filled('paymentIntents_create_response_last_payment_error_payment_method', {
    object: 'payment_method',
    type: 'card',
    livemode: true,
    metadata: {},
    billing_details: filled('last_payment_error_payment_method_billing_details', {}),
    card: filled('last_payment_error_payment_method_card', {
      ...{ ...cardFacts, display_brand: 'visa', last4 },
      wallet: walletOf(wallet),
    }),
    ...given,
  }) as unknown as PaymentMethod;

export const charge = (
  given: Given,
  {
    wallet,
    ...card
  }: { readonly last4: string; readonly wallet: StripeCard['wallet']; readonly capture_before?: number },
): Charge =>
  filled('sepa_debit_generated_from_charge', {
    object: 'charge',
    amount_captured: 0,
    amount_refunded: 0,
    billing_details: filled('generated_from_charge_billing_details', {}),
    captured: false,
    disputed: false,
    livemode: true,
    paid: true,
    payment_method_details: {
      type: 'card',
      card: filled('charge_payment_method_details_card', { ...cardFacts, ...card, wallet: walletOf(wallet) }),
    },
    refunded: false,
    ...given,
  }) as unknown as Charge;

export const refund = (given: Given): Refund =>
  filled('charge_refunds_data', { object: 'refund', ...given }) as unknown as Refund;

export const event = (given: Given): StripeEvent =>
  ({ object: 'event', livemode: true, ...given }) as unknown as StripeEvent;

/** Evidence is wanted within a week. */
const evidenceS = 7 * 86_400;

export const dispute = (given: Given): Dispute =>
  filled('disputes_list_item', {
    object: 'dispute',
    balance_transactions: [],
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: filled('disputes_list_item_evidence_details', {
      due_by: Number(given.created) + evidenceS,
      enhanced_eligibility: {},
      has_evidence: false,
      submission_method: 'dashboard',
      past_due: false,
      submission_count: 0,
    }),
    is_charge_refundable: false,
    livemode: true,
    metadata: {},
    reason: 'fraudulent',
    status: 'needs_response',
    ...given,
  }) as unknown as Dispute;

/** `expires_at`: some hours later, docs.stripe.com/api/confirmation_tokens/object. */
export const confirmationToken = (given: Given): StripeObject =>
  filled('confirmationTokens_retrieve_response', {
    object: 'confirmation_token',
    expires_at: Number(given.created) + 12 * 3_600,
    livemode: false,
    use_stripe_sdk: true,
    ...given,
  }) as unknown as StripeObject;

export const customer = (given: Given): StripeObject =>
  filled('customers_create_response', {
    object: 'customer',
    balance: 0,
    invoice_settings: {},
    livemode: true,
    metadata: {},
    ...given,
  }) as unknown as StripeObject;

/** @param disabled why it may not charge, and what Stripe wants of its seller: docs.stripe.com/api/accounts/object, `requirements` */
export const stripeAccount = (
  id: string,
  disabled?: { readonly reason: string; readonly due: readonly string[] },
): unknown =>
  filled('account_retrieve_response', {
    id,
    object: 'account',
    charges_enabled: disabled === undefined,
    capabilities: { card_payments: disabled === undefined ? 'active' : 'inactive' },
    requirements: {
      alternatives: [],
      current_deadline: null,
      currently_due: [...(disabled?.due ?? [])],
      disabled_reason: disabled?.reason ?? null,
      errors: [],
      eventually_due: [...(disabled?.due ?? [])],
      past_due: [...(disabled?.due ?? [])],
      pending_verification: [],
    },
    details_submitted: true,
    payouts_enabled: true,
    type: 'standard',
    default_currency: 'usd',
    business_profile: filled('account_retrieve_response_business_profile', { name: `Shop of ${id}` }),
  });

export const balanceTransaction = (given: Given): StripeObject =>
  filled('disputes_list_item_balance_transactions', {
    object: 'balance_transaction',
    available_on: given.created,
    balance_type: 'payments',
    reporting_category: 'charge',
    status: 'pending',
    ...given,
  }) as unknown as StripeObject;

/** @param refusal Stripe's words where Apple does not take the domain; fields as `PaymentMethodDomain` in the package has them */
export const methodDomain = (given: Given, refusal: string | undefined): MethodDomain => {
  const active = { status: 'active' };
  const others = { amazon_pay: active, google_pay: active, klarna: active, link: active, paypal: active };
  return {
    ...{ object: 'payment_method_domain', enabled: true, livemode: true, ...others },
    apple_pay: applePayOf(refusal),
    ...given,
  } as unknown as MethodDomain;
};
export const applePayOf = (refusal: string | undefined): MethodDomain['apple_pay'] =>
  refusal === undefined ? { status: 'active' } : { status: 'inactive', status_details: { error_message: refusal } };

export const webhookEndpoint = (given: Given): WebhookEndpoint =>
  filled('webhookEndpoints_create_response', {
    object: 'webhook_endpoint',
    livemode: true,
    status: 'enabled',
    metadata: {},
    ...given,
  }) as unknown as WebhookEndpoint;
