/**
 * A typed client of the checkout and funnel API, version 1.0.0. Generated from its operations: do not change it here.
 * It needs no other file and no package, and runs where there are `fetch` and `crypto`: Node.js 20, Deno, Bun, workers, browsers.
 */

/** What a client of this API is given. */
export interface ClientOptions {
  /** Address of the deployment; the one that served this file unless given. */
  readonly baseUrl?: string | undefined;
  /** An API key. Calls of buyers need none. */
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** How many times a request that failed for now is sent again; 3 unless given. */
  readonly retries?: number | undefined;
}

/** What one call may be given. */
export interface CallOptions {
  /** Your own id for a POST: repeated with it, also by another process, it has one effect. Made for each call unless given. */
  readonly idempotencyKey?: string | undefined;
  /** The `version` that a change was made from: when there is a newer one, nothing is changed (`version_changed`). */
  readonly ifVersion?: number | undefined;
  /** The secret of a checkout, for calls of its buyer. */
  readonly checkoutSecret?: string | undefined;
  /** The secret of a buyer's session of the portal. */
  readonly portalSession?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A field that a refusal names. */
export interface FieldFault {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** A refusal: a problem document (RFC 9457). Rely on `code`; new ones may come. */
export class ProblemError<Code extends string = string> extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: Code;
  readonly title: string;
  /** What is wrong this time, for people. */
  readonly detail: string;
  /** By which the deployment's logs have it. */
  readonly requestId: string;
  readonly errors: readonly FieldFault[];
  /** After so many seconds another attempt makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: Partial<ProblemError<Code>>, retryAfterSeconds: number | undefined) {
    super(problem.detail ?? `The server answered ${status}.`);
    this.status = status;
    this.code = problem.code ?? ('' as Code);
    this.title = problem.title ?? '';
    this.detail = problem.detail ?? '';
    this.requestId = problem.requestId ?? '';
    this.errors = problem.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface Route {
  readonly method: string;
  /** As in the description: `/api/v1/orders/{orderId}`. */
  readonly path: string;
  /** Whether it takes an Idempotency-Key. */
  readonly isKeyed?: boolean;
  /** Whether it answers a text, and no JSON. */
  readonly isText?: boolean;
}

export interface CallInput {
  readonly query?: object | undefined;
  readonly body?: unknown;
}

const longestWaitSeconds = 60;

async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

async function problemOf(response: Response): Promise<ProblemError> {
  const text = await response.text();
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  let problem: Partial<ProblemError> = { detail: text.slice(0, 2000) };
  try {
    problem = JSON.parse(text);
  } catch {
    // A proxy in between answers in its own form.
  }
  return new ProblemError(response.status, problem, Number.isFinite(after) ? after : undefined);
}

/** Whether the same request may succeed later. @param isRepeatable whether it has one effect however often it arrives */
function mayRetry({ status, code }: ProblemError, isRepeatable: boolean): boolean {
  if (status === 429 || code === 'service_unavailable' || code === 'idempotency_key_in_use') return true;
  return isRepeatable && status >= 500;
}

interface Fault {
  readonly error: unknown;
  readonly mayRetry: boolean;
  readonly retryAfterSeconds: number | undefined;
}

/** Sends requests; what each operation takes and answers is below. */
export class BaseClient {
  readonly #baseUrl: string;
  readonly #key: string | undefined;
  readonly #fetch: typeof fetch;
  readonly #retries: number;

  constructor(options: ClientOptions & { readonly baseUrl: string }) {
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#key = options.key;
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
    this.#retries = options.retries ?? 3;
  }

  /**
   * One call. What fails for now is sent again, under the same Idempotency-Key, after the time that the answer names.
   * @throws ProblemError for a refusal; TypeError where the deployment is not reached
   */
  protected async call<Result>(route: Route, input: CallInput & object, options: CallOptions = {}): Promise<Result> {
    const { ifVersion, idempotencyKey = globalThis.crypto.randomUUID(), signal } = options;
    const isRepeatable = (route.method !== 'POST' || route.isKeyed === true) && ifVersion === undefined;
    const body = input.body === undefined ? null : JSON.stringify(input.body);
    const headers = this.#headersOf(route, { ...options, idempotencyKey }, body !== null);
    const url = this.#urlOf(route, input);
    const request = { method: route.method, headers, body, ...(signal && { signal }) };
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#send<Result>(route, url, request, isRepeatable);
      if ('result' in outcome) return outcome.result;
      const seconds = outcome.retryAfterSeconds ?? 0.25 * 2 ** attempt;
      if (attempt >= this.#retries || !outcome.mayRetry || seconds > longestWaitSeconds) throw outcome.error;
      await pause(seconds, signal);
    }
  }

  /** One attempt: an answer of success that came whole, or what went wrong. */
  async #send<Result>(
    { isText }: Route,
    url: string,
    request: RequestInit,
    isRepeatable: boolean,
  ): Promise<{ readonly result: Result } | Fault> {
    try {
      const response = await this.#fetch(url, request);
      if (response.ok) return { result: (await (isText ? response.text() : response.json())) as Result };
      const error = await problemOf(response);
      return { error, mayRetry: mayRetry(error, isRepeatable), retryAfterSeconds: error.retryAfterSeconds };
    } catch (error) {
      return { error, mayRetry: isRepeatable && request.signal?.aborted !== true, retryAfterSeconds: undefined };
    }
  }

  #headersOf(route: Route, options: CallOptions, hasBody: boolean): Record<string, string> {
    return {
      accept: route.isText ? 'text/csv' : 'application/json',
      ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(route.isKeyed && options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
      ...(options.ifVersion !== undefined && { 'if-match': `"${options.ifVersion}"` }),
      ...(options.checkoutSecret !== undefined && { 'x-checkout-secret': options.checkoutSecret }),
      ...(options.portalSession !== undefined && { 'x-portal-session': options.portalSession }),
    };
  }

  #urlOf({ path }: Route, input: CallInput & object): string {
    const params = new Map<string, unknown>(Object.entries(input));
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params.get(name))));
    const query = Object.entries(input.query ?? {}).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)]));
    return `${this.#baseUrl}${filled}${search.size === 0 ? '' : `?${search}`}`;
  }

  /** Every entry of a list, a page at a time. @param cursorOf where the next page begins; undefined at the end */
  protected async *each<Item, Page extends { readonly data: readonly Item[] }>(
    read: (cursor: string | undefined) => Promise<Page>,
    cursorOf: (page: Page) => string | null | undefined,
  ): AsyncGenerator<Item, void, undefined> {
    for (let cursor: string | undefined; ; ) {
      const page = await read(cursor);
      yield* page.data;
      const next = cursorOf(page);
      if (next === undefined || next === null) return;
      cursor = next;
    }
  }
}

/** The id of a page's last entry, where more follow. */
export function lastId(page: {
  readonly data: readonly { readonly id: string }[];
  readonly has_more?: boolean | undefined;
}): string | undefined {
  return page.has_more ? page.data.at(-1)?.id : undefined;
}

/** Why a delivery is not believed. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly reason: 'missing_header' | 'wrong_time' | 'wrong_signature';

  constructor(reason: SignatureError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old or how early a delivery may be; 300 unless given. */
  readonly toleranceSeconds?: number | undefined;
  readonly nowMs?: number | undefined;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  const text = typeof value === 'object' && value !== null ? value.join(' ') : value;
  if (text) return text;
  throw new SignatureError('missing_header', `The delivery has no header ${name}.`);
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** Whether one of the signatures is that of the secret (Standard Webhooks). The comparison takes the same time for all. */
async function isSigned(
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = bytesOf(secret.replace(/^whsec_/, ''));
  const key = await globalThis.crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  for (const signature of signatures) {
    if (!/^v1,[A-Za-z0-9+/]{43}=$/.test(signature)) continue;
    if (await globalThis.crypto.subtle.verify('HMAC', key, bytesOf(signature.slice(3)), signed)) return true;
  }
  return false;
}

/**
 * The text of a delivery, once its signature and its time are right.
 * @param body as it came, before any JSON parser
 * @throws SignatureError
 */
export async function verifiedText(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions = {},
): Promise<{ readonly id: string; readonly isTest: boolean; readonly text: string }> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new SignatureError('wrong_time', 'The delivery was not signed within the last minutes.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const secret of [secrets].flat()) {
    if (!(await isSigned(secret, signed, signatures))) continue;
    const test = headers instanceof Headers ? headers.get('x-service-test') : headers['x-service-test'];
    return { id, isTest: test === '1', text };
  }
  throw new SignatureError('wrong_signature', 'No signature of the delivery is that of the secret.');
}

/** The codes that this version answers. */
export type ErrorCode =
  | "affiliate_not_found"
  | "already_bought"
  | "already_refunded"
  | "amount_changed"
  | "api_key_not_found"
  | "automation_not_found"
  | "body_expired"
  | "bump_not_found"
  | "buyer_not_found"
  | "card_declined"
  | "checkout_not_found"
  | "code_taken"
  | "cross_site_request"
  | "customer_not_found"
  | "daily_run_not_found"
  | "delivery_not_found"
  | "discount_invalid"
  | "discount_not_found"
  | "email_not_found"
  | "email_taken"
  | "email_unavailable"
  | "handle_taken"
  | "idempotency_budget_used"
  | "idempotency_key_in_use"
  | "idempotency_key_reused"
  | "insufficient_scope"
  | "internal"
  | "invalid_credentials"
  | "invalid_idempotency_key"
  | "invalid_transition"
  | "limit_reached"
  | "login_expired"
  | "malformed_json"
  | "malformed_request"
  | "no_longer_for_sale"
  | "no_payment_processor"
  | "not_acceptable"
  | "not_allowed_by_seller"
  | "not_found"
  | "nothing_due"
  | "offer_not_found"
  | "order_not_found"
  | "outcome_unknown"
  | "passkeys_unavailable"
  | "password_required"
  | "payload_too_large"
  | "payment_disputed"
  | "payment_not_found"
  | "portal_session_ended"
  | "position_taken"
  | "price_changed"
  | "product_not_found"
  | "product_not_live"
  | "rate_limited"
  | "recovery_not_found"
  | "refund_failed"
  | "service_unavailable"
  | "signup_closed"
  | "slug_taken"
  | "subscription_not_found"
  | "test_mode_changed"
  | "total_too_large"
  | "unauthorized"
  | "unsupported_media_type"
  | "validation_failed"
  | "version_changed"
  | "webhook_endpoint_not_found"
  | "webhook_url_refused"
  | "withdrawal_not_found";

/** Whether an error is a refusal, with this code where one is given. */
export function isProblem<Code extends ErrorCode>(err: unknown, code?: Code): err is ProblemError<Code> {
  return err instanceof ProblemError && (code === undefined || err.code === code);
}

export interface ProductCreate {
  name: string;
  slug: string;
  /** Minor units: 4900 is 49.00. */
  priceCents: number;
  /** Defaults to the account’s default currency. */
  currency?: string | undefined;
  pricingType: "onetime" | "subscription";
  /** Required for subscriptions, absent otherwise. */
  billingInterval?: "month" | "year" | null | undefined;
  /** `draft` unless said otherwise. */
  status?: "draft" | "live" | undefined;
  /** Where buyers find what they bought. */
  accessUrl?: string | null | undefined;
  /** Plain text for the product’s page. */
  description?: string | null | undefined;
  /** `false`: the page of the shop does not show it. Whoever has its link buys it all the same. `true` unless said. */
  listed?: boolean | undefined;
}

export interface ProductUpdate {
  name?: string | undefined;
  slug?: string | undefined;
  /** Minor units: 4900 is 49.00. */
  priceCents?: number | undefined;
  /** Changes while the product is a draft: what was sold relies on it. Amounts stay the numbers that they are. */
  currency?: string | undefined;
  /** Changes while the product is a draft: what was sold relies on it. */
  pricingType?: "onetime" | "subscription" | undefined;
  /** Changes while the product is a draft: what was sold relies on it. */
  billingInterval?: "month" | "year" | null | undefined;
  status?: "draft" | "live" | "archived" | undefined;
  accessUrl?: string | null | undefined;
  /** Plain text for the product’s page. */
  description?: string | null | undefined;
  /** `false`: the page of the shop does not show it. Whoever has its link buys it all the same. `true` unless said. */
  listed?: boolean | undefined;
}

export interface ImagePut {
  /** A PNG, JPEG or WebP as base64, at most 150 KB and 8192 pixels on either side. Its bytes say which it is. */
  data: string;
}

export interface OfferCreate {
  headline: string;
  /** Minor units: 4900 is 49.00. */
  priceCents: number;
  active?: 0 | 1 | boolean | undefined;
  /** Where buyers find it. An order keeps it as it was at the sale. */
  accessUrl?: string | null | undefined;
  /** Plain text under the headline, of a few lines. */
  description?: string | null | undefined;
  /** An earlier price that you asked, above `priceCents`. Buyers see it struck through; it changes nothing of what is charged. In the EU it is the lowest of the 30 days before the reduction. Minor units: 4900 is 49.00. */
  compareAtCents?: number | null | undefined;
}

export interface OfferUpdate {
  headline?: string | undefined;
  /** Minor units: 4900 is 49.00. */
  priceCents?: number | undefined;
  active?: 0 | 1 | boolean | undefined;
  /** Where buyers find it. An order keeps it as it was at the sale. */
  accessUrl?: string | null | undefined;
  /** Plain text under the headline, of a few lines. */
  description?: string | null | undefined;
  /** An earlier price that you asked, above `priceCents`. Buyers see it struck through; it changes nothing of what is charged. In the EU it is the lowest of the 30 days before the reduction. Minor units: 4900 is 49.00. */
  compareAtCents?: number | null | undefined;
}

export interface FunnelEmailCreate {
  position: number;
  sendDay: number;
  subject: string;
  body: string;
}

export interface FunnelEmailUpdate {
  position?: number | undefined;
  sendDay?: number | undefined;
  subject?: string | undefined;
  body?: string | undefined;
}

export interface DiscountCreate {
  code: string;
  percentOff?: number | undefined;
  /** Minor units: 4900 is 49.00. */
  amountOffCents?: number | undefined;
  /** In the future. */
  expiresAt?: string | null | undefined;
  maxUses?: number | null | undefined;
}

export interface DiscountUpdate {
  percentOff?: number | undefined;
  /** Minor units: 4900 is 49.00. */
  amountOffCents?: number | undefined;
  /** In the future. */
  expiresAt?: string | null | undefined;
  maxUses?: number | null | undefined;
}

export interface OrderCreate {
  productSlug: string;
  email: string;
  name?: string | undefined;
  bumpIds?: string[] | undefined;
  /** Credits this affiliate with the sale. */
  affiliateCode?: string | undefined;
  discountCode?: string | undefined;
  /** ISO 3166 alpha-2 code. */
  country?: string | undefined;
  utm_source?: string | null | undefined;
  utm_medium?: string | null | undefined;
  utm_campaign?: string | null | undefined;
  utm_term?: string | null | undefined;
  utm_content?: string | null | undefined;
  /** Processor token that renewals may be charged to. */
  paymentMethod?: string | undefined;
  /** A test order: full event stream, in no list and no metric. */
  test?: boolean | undefined;
}

export interface ReceiptResend {
  /** Where it goes instead of the order’s address, as where that had a typo. */
  email?: string | undefined;
}

export interface RefundCreate {
  /** Gives back the renewals of its subscription too. */
  renewals?: boolean | undefined;
  /** The sum of `refundCents` that the preview showed: if another amount would go back, nothing does. Minor units: 4900 is 49.00. */
  expectedCents?: number | undefined;
}

export interface PaymentRefundCreate {
  /** The whole rest of the payment unless given. Minor units: 4900 is 49.00. */
  amountCents?: number | undefined;
}

export interface PaymentProcessorPut {
  /** `none` takes no new live payments; what is open goes on. */
  processor: "simulated" | "stripe" | "none";
  /** Of the simulated processor, which takes any text. Left out, a stored one stays. */
  secretKey?: string | undefined;
  /** Of Stripe, for live payments. Left out, stored ones stay. */
  live?: StripeKeyPair | undefined;
  /** Of Stripe, for rehearsals. Left out, stored ones stay. */
  test?: StripeKeyPair | undefined;
}

export interface StripeKeyPair {
  /** A secret or a restricted key. */
  secretKey: string;
  publishableKey: string;
  /** The signing secret of an endpoint that you made at Stripe, where the platform could not. Left out, a stored one stays. `null`: the platform makes the endpoint again; delete yours at Stripe. */
  webhookSecret?: string | null | undefined;
}

export interface CheckoutVisit {
  /** The seller’s handle. */
  handle: string;
  /** The product’s slug. */
  slug: string;
}

export interface CheckoutOpen {
  /** The seller’s handle. */
  handle: string;
  /** The product’s slug. */
  slug: string;
  email?: string | undefined;
  name?: string | undefined;
  country?: string | undefined;
  bumpIds?: string[] | undefined;
  discountCode?: string | undefined;
  affiliateCode?: string | undefined;
  utm_source?: string | null | undefined;
  utm_medium?: string | null | undefined;
  utm_campaign?: string | null | undefined;
  utm_term?: string | null | undefined;
  utm_content?: string | null | undefined;
}

export interface CheckoutRestore {
  /** Of the link in a reminder: on your own page what follows `#restore=`, otherwise the part of the path after `/c/restore/`, up to the first dot. */
  token: string;
}

export interface CheckoutUpdate {
  email?: string | undefined;
  name?: string | undefined;
  country?: string | undefined;
  bumpIds?: string[] | undefined;
  discountCode?: string | null | undefined;
  /** Who sent the buyer last; it takes the place of an earlier one. */
  affiliateCode?: string | null | undefined;
  utm_source?: string | null | undefined;
  utm_medium?: string | null | undefined;
  utm_campaign?: string | null | undefined;
  utm_term?: string | null | undefined;
  utm_content?: string | null | undefined;
}

export interface CheckoutPay {
  /** The processor’s token for the buyer’s card. */
  paymentMethod: string;
  /** Where the bank sends the buyer back to, when it wants a confirmation on a page of its own: an address under this deployment’s own, or under the seller’s `checkoutUrl`. */
  returnUrl?: string | undefined;
  /** `true`: your page runs Stripe’s script, which shows the bank over your page. Otherwise the bank’s page is at `action.url`, and what Stripe confirms by its script alone is declined. */
  confirmsByScript?: boolean | undefined;
  /** The total on the buyer’s page. Another total is answered with `price_changed`, and nothing is charged. Minor units: 4900 is 49.00. */
  totalCents?: number | undefined;
  /** The `quote` of the checkout on the buyer’s page. Other lines, another total or another renewal are answered with `price_changed`, and nothing is charged. */
  quote?: string | undefined;
  /** The buyer ticked “I want access at once, before the days to withdraw are over. I know that I lose my right to withdraw once I have it.” Required where `getSeller` says `immediateAccessConsent`. The order keeps the sentence. */
  immediateAccess?: true | undefined;
  /** `true`: the buyer wants it once more, after `already_bought`. */
  confirmRepeat?: boolean | undefined;
}

export interface CheckoutUpsell {
  accept: boolean;
}

export interface WithdrawalRequest {
  /** Of who withdraws. */
  name: string;
  /** The order’s number, or what was bought. */
  bought: string;
  /** Where the acknowledgement goes. */
  email: string;
  handle: string;
}

export type WithdrawalClose = {
  status: "accepted";
  /** The order that it is about, where another or none was found. */
  orderId?: string | undefined;
} | {
  status: "declined";
  /** Why, in words for the buyer, who gets them by email. */
  answer: string;
};

export interface SubscriptionCancellation {
  /** `now` unless given. At `period_end` one that is not `active`, or whose period is over, ends now too. */
  at?: "now" | "period_end" | undefined;
}

export interface SubscriptionPaymentMethod {
  /** The processor’s token for the buyer’s new card. */
  paymentMethod: string;
}

export interface PortalLinkRequest {
  /** The seller’s handle. */
  handle: string;
  email: string;
}

export interface PortalOpen {
  /** The last part of the link’s address. */
  token: string;
}

export interface PortalSubscriptionCancel {
  at: "now" | "period_end";
}

export interface PortalPaymentMethodPut {
  /** The processor’s token for the new card. */
  paymentMethod: string;
  /** As of `payCheckout`. */
  confirmsByScript?: boolean | undefined;
}

export interface PortalLinkCreate {
  email: string;
  /** A subscription of this buyer: the link then leads to its card alone. */
  subscriptionId?: string | undefined;
}

export interface AffiliateCreate {
  code: string;
  name: string;
  email: string;
  commissionPercent?: number | undefined;
  /** A fixed amount for each sale, in minor units of its currency; never more than the sale’s total. 4900 is 49.00. */
  commissionCents?: number | undefined;
  renewalMonths?: number | undefined;
}

export interface AffiliateUpdate {
  name?: string | undefined;
  email?: string | undefined;
  commissionPercent?: number | undefined;
  /** A fixed amount for each sale, in minor units of its currency; never more than the sale’s total. 4900 is 49.00. */
  commissionCents?: number | undefined;
  renewalMonths?: number | undefined;
}

export interface PayoutCreate {
  /** Needed when commissions are due in more than one currency. */
  currency?: string | undefined;
  /** The amount that you were shown: if another one would be paid, nothing is recorded. Minor units: 4900 is 49.00. */
  expectedCents?: number | undefined;
}

export interface WebhookEndpointPut {
  /** Without a part after #. */
  url: string;
  /** Null: every event. */
  events?: ("order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested")[] | null | undefined;
  description?: string | undefined;
  /** Sent along. */
  headers?: Record<string, string> | undefined;
  active?: boolean | undefined;
  /** What becomes of what is held; `orders` drops all but `order.paid`, `order.refunded` and `upsell.accepted`. */
  held?: "send" | "orders" | "discard" | undefined;
}

export interface WebhookEndpointCreate {
  /** Without a part after #. */
  url: string;
  /** Null: every event. */
  events?: ("order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested")[] | null | undefined;
  description?: string | undefined;
  /** Sent along. */
  headers?: Record<string, string> | undefined;
  active?: boolean | undefined;
  /** What becomes of what is held; `orders` drops all but `order.paid`, `order.refunded` and `upsell.accepted`. */
  held?: "send" | "orders" | "discard" | undefined;
}

export interface WebhookEndpointUpdate {
  /** Without a part after #. */
  url?: string | undefined;
  /** Null: every event. */
  events?: ("order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested")[] | null | undefined;
  description?: string | undefined;
  /** Sent along. */
  headers?: Record<string, string> | undefined;
  active?: boolean | undefined;
  /** What becomes of what is held; `orders` drops all but `order.paid`, `order.refunded` and `upsell.accepted`. */
  held?: "send" | "orders" | "discard" | undefined;
}

export interface WebhookSecretRotate {
  /** How long deliveries carry the signature of the previous secret too; 24 unless said. */
  overlapHours?: number | undefined;
}

export interface WebhookSecretReveal {
  password: string;
}

export interface WebhookTest {
  event: "order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested";
}

export interface WebhookRecover {
  /** Events that happened from then on, by the `sentAt` of their payloads. At most 30 days ago: bodies are kept no longer. */
  since: string;
  /** Events that happened until then, included. Now, unless given. */
  until?: string | undefined;
  /** `failed`: what was given up or canceled, what is held because nothing reached the endpoint, and what waits for its next attempt. `all`: everything, also what was delivered, filtered or held, and events that are older than the endpoint. Both send only events that the endpoint’s filter takes now. */
  which: "failed" | "all";
}

export interface AutomationCreate {
  name: string;
  event: "order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested";
  /** Only for events that have a product. Null: every product. */
  productId?: string | null | undefined;
  action: {
    type: "email";
    to: "buyer" | "seller";
    /** Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out. */
    subject: string;
    /** Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out. */
    body: string;
  } | {
    type: "post";
    /** Without a part after #. */
    url: string;
  };
  active?: boolean | undefined;
}

export interface AutomationUpdate {
  name?: string | undefined;
  /** Only for events that have a product. Null: every product. */
  productId?: string | null | undefined;
  action?: {
    type: "email";
    to: "buyer" | "seller";
    /** Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out. */
    subject: string;
    /** Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out. */
    body: string;
  } | {
    type: "post";
    /** Without a part after #. */
    url: string;
  } | undefined;
  active?: boolean | undefined;
}

export interface AutomationPreview {
  event: "order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested" | "endpoint.off" | "processor.key_refused";
  action: {
    type: "email";
    to: "buyer" | "seller";
    /** Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out. */
    subject: string;
    /** Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out. */
    body: string;
  };
}

export interface DailyRunStart {
  /** Charges all that is due, also beyond the limit of charges. */
  force?: boolean | undefined;
  /** You have looked up the payments that the payment processor shows and the platform does not know: charging goes on. Each account confirms for itself. */
  confirmUnmatchedPayments?: boolean | undefined;
  /** How long the result is waited for; 285 unless given. The run goes on after that. */
  waitSeconds?: number | undefined;
}

export interface RehearsalAdvance {
  days: number;
}

export interface SettingsUpdate {
  handle?: string | undefined;
  businessName?: string | undefined;
  /** Another than the account’s own gets an email first, and is `supportEmailPending` until it has confirmed. */
  supportEmail?: string | undefined;
  defaultCurrency?: string | undefined;
  testMode?: boolean | undefined;
  holdDecisionMinutes?: number | undefined;
  nudgeAfterMinutes?: number | undefined;
  commissionHoldDays?: number | undefined;
  cancellationNotices?: boolean | undefined;
  dailyChargeLimit?: number | undefined;
  checkoutUrl?: string | null | undefined;
  accentColor?: string | null | undefined;
  termsUrl?: string | null | undefined;
  refundPolicyUrl?: string | null | undefined;
  portalCancel?: boolean | undefined;
  portalPause?: boolean | undefined;
  withdrawalDays?: number | undefined;
  immediateAccessConsent?: boolean | undefined;
  statementSuffix?: string | null | undefined;
}

export interface SupportEmailConfirmation {
  /** The end of the link. */
  token: string;
}

export interface ApiKeyCreate {
  name: string;
  scopes?: ("read" | "write" | "money")[] | undefined;
  expiresAt?: string | null | undefined;
}

export interface ApiKeyRotate {
  /** How long the old key still works; 24 unless said. */
  overlapHours?: number | undefined;
}

export interface SignUp {
  email: string;
  /** At least 10 characters. The commonest passwords and the account’s own email address are refused. */
  password: string;
  name: string;
}

export interface Login {
  email: string;
  password: string;
}

export interface LoginLink {
  /** The end of the link. */
  token: string;
}

export type Confirm = {
  /** Of the user who is logged in. */
  password: string;
} | {
  /** Of the authenticator app, six digits, or a backup code. Each works once. */
  code: string;
} | {
  passkey: PasskeyAssertion;
};

export interface PasskeyAssertion {
  id: string;
  rawId: string;
  type: "public-key";
  authenticatorAttachment?: string | null | undefined;
  clientExtensionResults?: {
  } | undefined;
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null | undefined;
  };
}

export interface PasswordChange {
  /** The current one. */
  password: string;
  /** At least 10 characters. The commonest passwords and the account’s own email address are refused. */
  newPassword: string;
  /** Revokes every API key of the account too: for when others may know them. */
  revokeKeys?: boolean | undefined;
}

export type LoginFactor = {
  /** Of the authenticator app, six digits, or a backup code. Each works once. */
  code: string;
} | {
  passkey: PasskeyAssertion;
};

export interface PasskeyCreate {
  name: string;
  credential: PasskeyAttestation;
}

export interface PasskeyAttestation {
  id: string;
  rawId: string;
  type: "public-key";
  authenticatorAttachment?: string | null | undefined;
  clientExtensionResults?: {
  } | undefined;
  response: {
    clientDataJSON: string;
    attestationObject: string;
    transports?: string[] | undefined;
  };
}

export interface PasskeyRename {
  name: string;
}

export interface OneTimeCodesActivate {
  code: string;
}

export interface LetterRead {
  /** The end of the link. */
  token: string;
}

export interface EmailVerification {
  /** The end of the link. */
  token: string;
  /** Of the account that the link is of. Left out where this browser has a session of its user. */
  password?: string | undefined;
}

export interface EmailChange {
  email: string;
  /** The current one, in place of `confirm` before. */
  password?: string | undefined;
}

export interface EmailConfirmation {
  /** The end of the link. */
  token: string;
  /** Of the account that the link is of. Left out where this browser has a session of its user. */
  password?: string | undefined;
}

export interface PasswordResetRequest {
  email: string;
}

export interface PasswordReset {
  /** The end of the link. */
  token: string;
  /** At least 10 characters. The commonest passwords and the account’s own email address are refused. */
  password: string;
  /** Revokes every API key of the account too: for when others may know them. */
  revokeKeys?: boolean | undefined;
}

/** A JSON-RPC 2.0 message of the Model Context Protocol. */
export interface McpMessage {
  jsonrpc: "2.0";
  /** Absent on notifications; null in the refusal of a message whose id could not be read. */
  id?: string | number | null | undefined;
  method?: string | undefined;
  params?: {
  } | undefined;
}

export interface OrderPaidPayload {
  event: "order.paid";
  orderId: string;
  product: string;
  productId: string;
  email: string;
  name: string;
  firstName: string;
  country: string;
  countryCode: string;
  /** Minor units: 4900 is 49.00. */
  totalCents: number;
  total: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  affiliate: string;
  accessUrl: string;
  supportEmail: string;
  sentAt: string;
  /** What was bought, in the order in which it is listed. Amounts add up to what was paid; a discount’s is below 0. */
  items: {
    /** Of the product, the bump, the upsell or the code; empty where it was not kept. */
    id: string;
    kind: "main" | "bump" | "upsell" | "discount" | "downsell";
    label: string;
    /** Minor units: 4900 is 49.00. */
    amountCents: number;
    /** Where the buyer finds it, as it was at the sale; empty where it has no link. */
    accessUrl: string;
  }[];
  /** Of the card that was charged; empty where none was, or it is not known. */
  lastFour: string;
  /** `apple_pay` or `google_pay`; empty for a card that was typed. */
  wallet: string;
  /** The sentence by which the buyer gave up the right to withdraw for immediate access; empty where none was asked. */
  immediateAccess: string;
}

export interface OrderRefundedPayload {
  event: "order.refunded";
  orderId: string;
  product: string;
  email: string;
  /** Minor units: 4900 is 49.00. */
  totalCents: number;
  total: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  sentAt: string;
}

export interface OrderReopenedPayload {
  event: "order.reopened";
  orderId: string;
  product: string;
  email: string;
  /** Minor units: 4900 is 49.00. */
  totalCents: number;
  total: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** Why the refund failed, in the payment processor’s words. */
  reason: string;
  sentAt: string;
}

export interface OrderExpiredPayload {
  event: "order.expired";
  orderId: string;
  product: string;
  email: string;
  /** Minor units: 4900 is 49.00. */
  totalCents: number;
  total: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** `released`: by you, here or at the payment processor. `expired`: the hold ended, and the card was declined. */
  reason: "released" | "expired";
  sentAt: string;
}

export interface PaymentRefundedPayload {
  event: "payment.refunded";
  orderId: string;
  product: string;
  email: string;
  paymentId: string;
  /** Of a renewal; empty for the order’s own payments. */
  subscriptionId: string;
  /** What went back. Minor units: 4900 is 49.00. */
  amountCents: number;
  amount: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  sentAt: string;
  /** What has gone back by then of the order’s own payments together; of a renewal, of its payment. Below `paidCents` it is a part. Minor units: 4900 is 49.00. */
  refundedTotalCents: number;
  refundedTotal: string;
  /** What was paid for it. Minor units: 4900 is 49.00. */
  paidCents: number;
  paid: string;
}

export interface DisputeOpenedPayload {
  event: "dispute.opened";
  orderId: string;
  product: string;
  productId: string;
  email: string;
  /** The payment processor’s. */
  disputeId: string;
  paymentId: string;
  /** Of a renewal; empty for the order’s own payments. */
  subscriptionId: string;
  /** Minor units: 4900 is 49.00. */
  amountCents: number;
  amount: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** The bank’s, as the payment processor names it: `fraudulent`, `product_not_received`, … */
  reason: string;
  /** The last moment for evidence; empty where none is wanted. */
  evidenceDueBy: string;
  sentAt: string;
}

export interface DisputeClosedPayload {
  event: "dispute.closed";
  orderId: string;
  product: string;
  productId: string;
  email: string;
  /** The payment processor’s. */
  disputeId: string;
  paymentId: string;
  /** Of a renewal; empty for the order’s own payments. */
  subscriptionId: string;
  /** Minor units: 4900 is 49.00. */
  amountCents: number;
  amount: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** The bank’s, as the payment processor names it: `fraudulent`, `product_not_received`, … */
  reason: string;
  /** The last moment for evidence; empty where none is wanted. */
  evidenceDueBy: string;
  /** `won`, `lost`, `prevented` or `warning_closed`; `lost` alone gives the buyer the money. */
  outcome: string;
  sentAt: string;
}

export interface UpsellAcceptedPayload {
  event: "upsell.accepted";
  orderId: string;
  upsell: string;
  /** Minor units: 4900 is 49.00. */
  amountCents: number;
  amount: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  email: string;
  sentAt: string;
  /** What was bought, in the order in which it is listed. Amounts add up to what was paid; a discount’s is below 0. */
  items: {
    /** Of the product, the bump, the upsell or the code; empty where it was not kept. */
    id: string;
    kind: "main" | "bump" | "upsell" | "discount" | "downsell";
    label: string;
    /** Minor units: 4900 is 49.00. */
    amountCents: number;
    /** Where the buyer finds it, as it was at the sale; empty where it has no link. */
    accessUrl: string;
  }[];
}

export interface SubscriptionRebilledPayload {
  event: "subscription.rebilled";
  subscriptionId: string;
  product: string;
  email: string;
  /** Minor units: 4900 is 49.00. */
  amountCents: number;
  amount: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** Of the period that was paid. */
  periodStart: string;
  periodEnd: string;
  sentAt: string;
  /** Of the order that began the subscription. */
  orderId: string;
  /** Of the card that was charged; empty where none was, or it is not known. */
  lastFour: string;
  /** `apple_pay` or `google_pay`; empty for a card that was typed. */
  wallet: string;
}

export interface SubscriptionPaymentFailedPayload {
  event: "subscription.payment_failed";
  subscriptionId: string;
  product: string;
  email: string;
  /** Minor units: 4900 is 49.00. */
  amountCents: number;
  amount: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** The number of the failed attempt. */
  attempt: number;
  /** Days until the next attempt: 3; 1 when the card was replaced before its decline was known, because the next daily run tries the new one; 0 when none follows: after `attempt` 4, which cancels, and while the subscription is paused, whatever the `attempt`. */
  nextTryDays: number;
  sentAt: string;
  /** Why, as far as a buyer is told: `insufficient_funds`, `expired_card`, `authentication_required` (the bank wants a confirmation), `ask_bank`, `try_again_later` (it was not the card), …; else `card_declined`. */
  reason: string;
}

export interface SubscriptionCanceledPayload {
  event: "subscription.canceled";
  subscriptionId: string;
  product: string;
  email: string;
  /** What it is worth a month: a yearly price ÷ 12. Minor units: 4900 is 49.00. */
  mrrCents: number;
  sentAt: string;
}

export interface SubscriptionPausedPayload {
  event: "subscription.paused";
  subscriptionId: string;
  product: string;
  email: string;
  /** What it is worth a month: a yearly price ÷ 12. Minor units: 4900 is 49.00. */
  mrrCents: number;
  sentAt: string;
}

export interface SubscriptionResumedPayload {
  event: "subscription.resumed";
  subscriptionId: string;
  product: string;
  email: string;
  /** What it is worth a month: a yearly price ÷ 12. Minor units: 4900 is 49.00. */
  mrrCents: number;
  sentAt: string;
}

export interface AffiliatePaidPayload {
  event: "affiliate.paid";
  affiliate: string;
  name: string;
  email: string;
  /** Minor units: 4900 is 49.00. */
  amountCents: number;
  amount: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  commissionCount: number;
  payoutId: string;
  sentAt: string;
}

export interface WithdrawalRequestedPayload {
  event: "withdrawal.requested";
  withdrawalId: string;
  /** Of the order that was found for it; empty where none was. */
  orderId: string;
  product: string;
  productId: string;
  /** As whoever withdrew typed it, and so are the next two. */
  name: string;
  email: string;
  bought: string;
  statement: string;
  /** Whether it came after the days that the shop gives. */
  late: boolean;
  sentAt: string;
}

export interface FunnelEmailSyncPayload {
  event: "funnel.email.sync";
  productId: string;
  productSlug: string;
  product: string;
  position: number;
  sendDay: number;
  subject: string;
  body: string;
  sentAt: string;
}

export interface Product {
  id: string;
  name: string;
  slug: string;
  /** Minor units: 4900 is 49.00. */
  price_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  pricing_type: "onetime" | "subscription";
  billing_interval: "month" | "year" | null;
  status: "draft" | "live" | "archived";
  access_url: string | null;
  description: string | null;
  /** The picture on the product’s page; see `putProductImage`. */
  image_url: string | null;
  /** Whether the page of the shop shows it while it is live. */
  listed: boolean;
  /** The product’s hosted page. It sells while the product is live. */
  checkout_url: string;
  created_at: string;
  updated_at: string;
  /** Counts the changes by its update, which takes it as `If-Match`. */
  version: number;
}

export interface Image {
  /** The image’s public address. It has the content’s hash, so it never shows another image. */
  url: string;
  contentType: "image/png" | "image/jpeg" | "image/webp";
  /** In pixels. */
  width: number;
  /** In pixels. */
  height: number;
  bytes: number;
}

export interface Ok {
  ok: true;
}

export interface Funnel {
  bumps: Offer[];
  upsells: Offer[];
  downsells: Offer[];
  emails: FunnelEmail[];
}

export interface Offer {
  id: string;
  headline: string;
  /** Minor units: 4900 is 49.00. */
  price_cents: number;
  active: 0 | 1;
  access_url: string | null;
  description: string | null;
  /** An earlier, higher price: struck through beside the price. It changes nothing of what is charged. Minor units: 4900 is 49.00. */
  compare_at_cents: number | null;
  /** Its picture; see `putBumpImage` and `putUpsellImage`. */
  image_url: string | null;
  /** Counts the changes by its update, which takes it as `If-Match`. */
  version: number;
}

export interface FunnelEmail {
  id: string;
  position: number;
  send_day: number;
  subject: string;
  body: string;
  /** Counts the changes by its update, which takes it as `If-Match`. */
  version: number;
}

export interface EmailPushResult {
  ok: true;
  sent: number;
}

export interface Order {
  id: string;
  product_id: string;
  customer_email: string;
  customer_name: string;
  /** Minor units: 4900 is 49.00. */
  total_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  status: "paid" | "refunded" | "authorized";
  /** What went back of the order itself by refunds and lost disputes; a part of it, or a dispute, leaves the order `paid`. Minor units: 4900 is 49.00. */
  refunded_cents: number;
  /** Of its payments and its renewals’: `lost` where none is open. */
  dispute: "open" | "lost" | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_term: string | null;
  utm_content: string | null;
  created_at: string;
  items: {
    kind: "main" | "bump" | "upsell" | "discount" | "downsell";
    label: string;
    /** Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** Of the product, the bump, the upsell or the code. Null where it was not kept, as for bumps of orders before 0.3. */
    id: string | null;
    /** Where the buyer finds it, as it was at the sale; null where it had no access link, and where it was not kept. */
    access_url: string | null;
  }[];
  country: string | null;
  affiliate_code: string | null;
  test: boolean;
  /** The sentence that the buyer ticked on the checkout, to have access at once and give up the right to withdraw; null where none was asked. */
  immediate_access: string | null;
}

export interface OrderCreated {
  ok: true;
  orderId: string;
  /** Minor units: 4900 is 49.00. */
  totalCents: number;
}

export interface UnfinishedCheckout {
  id: string;
  /** `open`: touched within `nudgeAfterMinutes`. `stalled`: not touched since. `reminded`: an email about it went to its buyer. `expired`: not paid within 30 days, or the hold was lost. */
  status: "open" | "stalled" | "reminded" | "expired";
  product_id: string;
  customer_email: string;
  customer_name: string;
  country: string | null;
  discount_code: string | null;
  affiliate_code: string | null;
  /** Why the last attempt to pay was declined, where one was. */
  reason: "card_declined" | "try_again_later" | "incorrect_cvc" | "expired_card" | "insufficient_funds" | "amount_too_small" | "ask_bank" | null;
  created_at: string;
  /** When its buyer opened it, changed it or tried to pay last. */
  last_active_at: string;
  reminded_at: string | null;
}

export interface OrderWithPayments {
  id: string;
  product_id: string;
  customer_email: string;
  customer_name: string;
  /** Minor units: 4900 is 49.00. */
  total_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** `expired`: its hold was released or lost, and nothing was charged; it is in no list. */
  status: "paid" | "refunded" | "authorized" | "expired";
  /** What went back of the order itself by refunds and lost disputes; a part of it, or a dispute, leaves the order `paid`. Minor units: 4900 is 49.00. */
  refunded_cents: number;
  /** Of its payments and its renewals’: `lost` where none is open. */
  dispute: "open" | "lost" | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_term: string | null;
  utm_content: string | null;
  created_at: string;
  items: {
    kind: "main" | "bump" | "upsell" | "discount" | "downsell";
    label: string;
    /** Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** Of the product, the bump, the upsell or the code. Null where it was not kept, as for bumps of orders before 0.3. */
    id: string | null;
    /** Where the buyer finds it, as it was at the sale; null where it had no access link, and where it was not kept. */
    access_url: string | null;
  }[];
  country: string | null;
  affiliate_code: string | null;
  test: boolean;
  /** The sentence that the buyer ticked on the checkout, to have access at once and give up the right to withdraw; null where none was asked. */
  immediate_access: string | null;
  /** Oldest first; empty for an order that was only recorded. Of more than 100 the oldest declines are left out. */
  payments: Payment[];
  /** Disputes of its payments and of its renewals’, oldest first; null where there are none. */
  disputes: Dispute[] | null;
  /** What the payment processor kept of its payments and for disputes of them, as the daily job found it in the processor’s list. */
  fees: Fee[];
}

export interface Payment {
  id: string;
  order_id: string;
  step: "main" | "capture" | "upsell" | "recharge" | "refund" | "release" | "reversal" | "renewal" | "card";
  try_no: number;
  /** Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  status: "created" | "sent" | "succeeded" | "declined" | "requires_action" | "unknown";
  /** The processor’s code for a decline. */
  reason: string | null;
  /** What happened, in plain words. */
  explanation: string;
  /** What happens next; null when nothing does. */
  next: string | null;
  processor: string;
  processor_reference: string | null;
  product_name: string;
  customer_email: string;
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  test: boolean;
  created_at: string;
  finished_at: string | null;
}

export interface Dispute {
  /** The payment processor’s. */
  id: string;
  /** Of the order, or of a renewal of its subscription. */
  payment_id: string;
  /** Of those that begin with `warning` no money was taken. */
  status: "needs_response" | "under_review" | "won" | "lost" | "prevented" | "warning_needs_response" | "warning_under_review" | "warning_closed";
  /** The bank’s, as the payment processor names it: `fraudulent`, `product_not_received`, … */
  reason: string;
  /** What is disputed, which may be a part of the payment. Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** The last moment for evidence, which is given at the processor. */
  evidence_due_by: string | null;
  opened_at: string;
  closed_at: string | null;
  /** Null while it is open. `lost` counts as money given back. */
  outcome: "won" | "lost" | "prevented" | "warning_closed" | null;
}

export interface Fee {
  kind: "charge" | "dispute";
  payment_id: string;
  /** Minor units of `currency`; a fee that came back is 0. 4900 is 49.00. */
  amount_cents: number;
  /** The one in which the processor pays the seller out. */
  currency: string;
  /** When the payment was taken, or the dispute was opened. */
  incurred_at: string;
}

export interface OrderRelease {
  ok: true;
  orderId: string;
  status: "released" | "processing";
  /** What was done, in plain words. */
  detail: string;
}

export interface WebhookDelivery {
  id: string;
  event: string;
  /** The `webhook-id` that the receiver sees. */
  event_id: string;
  order_id: string | null;
  email: string | null;
  /** Of the endpoint, or of the automation. */
  endpoint_id: string;
  /** Null when no URL is connected. Of an email, `mailto:` and the recipient of the last attempt; null before the first. When the endpoint or the automation was removed, that of the last attempt. */
  url: string | null;
  status: "pending" | "sending" | "delivered" | "held" | "failed" | "canceled" | "filtered";
  /** Why it has this status, in one line: why nothing was sent, when nothing was. */
  reason: string;
  attempt_count: number;
  created_at: string;
  finished_at: string | null;
  /** Null when no further attempt follows, and once it is due: it is queued. */
  next_attempt_at: string | null;
  test: boolean;
}

export interface RefundPreview {
  orderId: string;
  /** False for an order whose card is only held, or that ended without a charge, while a payment without an outcome keeps the refund back, and while a payment of the order is disputed. */
  possible: boolean;
  /** Empty for an order that was only recorded: no money moves for it. */
  charges: {
    paymentId: string;
    renewal: boolean;
    /** What it took. Minor units: 4900 is 49.00. */
    amountCents: number;
    /** What went back of it before, by refunds and lost disputes. Minor units: 4900 is 49.00. */
    refundedCents: number;
    /** What would go back now. Minor units: 4900 is 49.00. */
    refundCents: number;
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
  }[];
  /** The one that would end. */
  subscription: {
    id: string;
    status: string;
  } | null;
  commissions: {
    affiliateCode: string;
    renewal: boolean;
    /** What would be voided, or taken back in the next payout. Minor units: 4900 is 49.00. */
    amountCents: number;
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
  }[];
  emails: {
    name: string;
    to: "buyer" | "seller";
  }[];
  webhooks: {
    event: string;
    count: number;
  }[];
}

export interface Refund {
  ok: true;
  orderId: string;
  status: "refunded" | "processing";
  /** What the platform gave back; 0 for an order that it did not charge. Minor units: 4900 is 49.00. */
  refundedCents: number;
  /** What was done, in plain words. */
  detail: string;
  /** Every payment of the order and its renewals of which money went back. */
  payments?: {
    paymentId: string;
    /** Whether it was for a renewal of the subscription that the order began. */
    renewal: boolean;
    /** What went back of it. Minor units: 4900 is 49.00. */
    amountCents: number;
  }[] | undefined;
  /** Only while it is so: a charge for a renewal of its subscription was sent to the payment processor before the refund, and its outcome is not known yet: it may take the money. A refund that is `processing` goes on when it has ended; beside `refunded` (an order of the seller’s own code) nothing waits for it, and its payment is refunded by itself. */
  renewalUnderWay?: true | undefined;
}

export interface Customer {
  /** Made of the account and the mailbox: it never changes, and says nothing of the address. */
  id: string;
  /** As the buyer typed it at the latest order. */
  email: string;
  /** Of the latest order that has one; empty where none has. */
  name: string;
  /** Orders that are paid or refunded, or whose card is held. */
  orders: number;
  /** One sum for each currency: what was paid for orders and for the renewals that the platform charged, less what went back. A held card counts nothing. */
  spent: {
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    /** Minor units: 4900 is 49.00. */
    amount_cents: number;
  }[];
  /** Subscriptions whose status is `active`. */
  active_subscriptions: number;
  first_purchase_at: string;
  /** Of the latest order; a renewal is none. */
  last_purchase_at: string;
}

export interface PaymentRefund {
  ok: true;
  paymentId: string;
  orderId: string;
  status: "refunded" | "processing";
  /** What this request gave back; 0 when nothing was left, or while it is `processing`. Minor units: 4900 is 49.00. */
  amountCents: number;
  /** All that has gone back of this payment. Minor units: 4900 is 49.00. */
  refundedCents: number;
  /** What was done, in plain words. */
  detail: string;
}

export interface PaymentProcessor {
  /** `none`: the account takes no live payments until it chooses one. */
  processor: "simulated" | "stripe" | "none";
  secrets: string[];
  /** Null while nothing was chosen. */
  updated_at: string | null;
  /** Counts the changes by its update, which takes it as `If-Match`. */
  version: number;
  /** The Stripe accounts that new payments go to, once `stripe` was chosen; null before. */
  stripe: {
    /** For live payments. */
    live: StripeKeys | null;
    /** For rehearsals, which are simulated without it. */
    test: StripeKeys | null;
  } | null;
}

export interface StripeKeys {
  /** The Stripe account that the keys are of. */
  account: string;
  /** Null also where a restricted key may not read it. */
  account_name: string | null;
  /** What the buyer’s page needs to take a card. */
  publishable_key: string;
  /** When this pair was stored. */
  stored_at: string;
  /** The default currency that the Stripe account is paid out in: its smallest charges are in it. Null also where a restricted key may not read it. */
  settlement_currency: string | null;
  /** What a restricted key may not do and would have to, as “Disputes: read”. A key without what renewals need is not stored (422). */
  missing_permissions: string[];
  /** Whether Stripe takes payments for the account, as read when the keys were stored, daily, and when Stripe says that it changed. Null where a restricted key may not read it, and for rehearsals. */
  charges_enabled: boolean | null;
  /** Why not, in Stripe’s words. */
  disabled_reason: string | null;
  /** What Stripe wants of the seller now, in Stripe’s words, as `company.tax_id`. */
  requirements_due: string[];
  /** When that was read. */
  account_checked_at: string | null;
  /** The endpoint at Stripe whose events make outcomes known sooner. `active`: the platform made it. `by_hand`: you did, and stored its signing secret. `pending`: it is being made. `not_permitted`: the key may not; give it the permission “Webhook Endpoints: write” and store it again. `no_public_url`: Stripe does not reach this deployment. `refused`: Stripe refuses the endpoint. */
  webhooks: "active" | "by_hand" | "pending" | "not_permitted" | "no_public_url" | "refused";
  /** Endpoints that the platform made, as `we_… (acct_…)`, and may not delete any more: delete them at Stripe. */
  left_endpoints: string[];
  last_event_at: string | null;
  /** Where Apple Pay and Google Pay are shown: at this deployment’s domain, and at that of `checkoutUrl`. */
  wallets?: {
    /** `registered`: the platform has registered the domains at Stripe. `pending`: it is about to. `not_permitted`: the key may not; give it the permission “Payment Method Domains: write” and store it again. `no_public_url`: no page of this deployment has a public https address. */
    status: "registered" | "pending" | "not_permitted" | "no_public_url";
    domains: {
      domain: string;
      apple_pay: "active" | "inactive";
      google_pay: "active" | "inactive";
      /** Stripe’s words where one is not shown. */
      detail: string | null;
    }[];
  } | undefined;
}

export interface Seller {
  /** Stands for the seller in names of cookies: another handle leaves it as it is. */
  key: string;
  /** The current one; an earlier one still leads here. */
  handle: string;
  name: string;
  supportEmail: string;
  logoUrl: string | null;
  /** `#rrggbb`; null is the pages’ own. */
  accentColor: string | null;
  termsUrl: string | null;
  refundPolicyUrl: string | null;
  /** Buyers may cancel their subscriptions in the portal. */
  portalCancel: boolean;
  /** For so many days buyers may withdraw from a purchase; 0 where the shop takes no withdrawals. */
  withdrawalDays: number;
  /** Whether `payCheckout` takes `immediateAccess` alone: the buyer agrees to lose the right to withdraw. */
  immediateAccessConsent: boolean;
}

export interface ShownProduct {
  id: string;
  name: string;
  /** Minor units: 4900 is 49.00. */
  priceCents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  pricingType: "onetime" | "subscription";
  billingInterval: "month" | "year" | null;
  imageUrl: string | null;
  /** The page that sells it. */
  checkoutUrl: string;
}

export interface CheckoutOffer {
  product: {
    id: string;
    name: string;
    slug: string;
    description: string | null;
    pricingType: "onetime" | "subscription";
    billingInterval: "month" | "year" | null;
    /** Minor units: 4900 is 49.00. */
    priceCents: number;
    imageUrl: string | null;
    /** The page’s current address. */
    checkoutUrl: string;
  };
  bumps: {
    id: string;
    headline: string;
    description: string | null;
    /** Minor units: 4900 is 49.00. */
    priceCents: number;
    /** An earlier, higher price, which is shown struck through. Minor units: 4900 is 49.00. */
    compareAtCents: number | null;
    imageUrl: string | null;
    chosen: boolean;
  }[];
  hasDiscountCodes: boolean;
  /** The code that was given. `refusal` says why it takes nothing off; null when it does. */
  discount: {
    code: string;
    refusal: "unknown" | "expired" | "used_up" | "frees_subscription" | "too_many_attempts" | null;
    /** Only with `too_many_attempts`: in so many seconds codes are looked at again. */
    retryAfterSeconds?: number | undefined;
  } | null;
  lines: {
    kind: "main" | "bump" | "upsell" | "discount" | "downsell";
    label: string;
    /** Minor units: 4900 is 49.00. */
    amountCents: number;
  }[];
  /** Minor units: 4900 is 49.00. */
  totalCents: number;
  /** Stands for the lines, the total and the renewal as shown here, as a checkout’s `quote` does. */
  quote: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  /** The card is kept for later charges (renewals, an upsell): the page says so, and Stripe’s element is made with `setupFutureUsage: "off_session"`. */
  savesCard: boolean;
  seller: Seller;
  /** Whose card fields the page shows, in the mode of the purchase. `none`: the seller takes no payments yet. */
  processor: "simulated" | "stripe" | "none";
  /** With which Stripe’s script makes a confirmation token, the `paymentMethod`; null unless `stripe`. */
  publishableKey: string | null;
  /** The shop is in test mode: no card is charged. */
  test: boolean;
  /** The code that was given, as its affiliate has it; null where none was given or no affiliate has it. */
  affiliateCode: string | null;
}

export interface CheckoutOpened {
  id: string;
  status: "open" | "processing" | "requires_action" | "authorized" | "paid" | "refunded" | "expired";
  product: {
    name: string;
    slug: string;
    pricingType: "onetime" | "subscription";
    billingInterval: "month" | "year" | null;
  };
  seller: {
    name: string;
    supportEmail: string;
  };
  /** Order bumps on offer. */
  bumps: {
    id: string;
    headline: string;
    description: string | null;
    /** Minor units: 4900 is 49.00. */
    priceCents: number;
    /** An earlier, higher price, which is shown struck through. Minor units: 4900 is 49.00. */
    compareAtCents: number | null;
    imageUrl: string | null;
    chosen: boolean;
  }[];
  lines: {
    kind: "main" | "bump" | "upsell" | "discount" | "downsell";
    label: string;
    /** Minor units: 4900 is 49.00. */
    amountCents: number;
    /** Where the buyer finds it; null until paid, and where there is no such address. */
    accessUrl: string | null;
  }[];
  /** Minor units: 4900 is 49.00. */
  totalCents: number;
  /** Stands for the lines, the total and the renewal as shown here. Send it with pay: nothing else is charged. */
  quote: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  email: string | null;
  name: string | null;
  country: string | null;
  discountCode: string | null;
  /** Set once the card is held or charged. */
  orderId: string | null;
  /** Set once the card is held. */
  upsell: {
    id: string;
    headline: string;
    description: string | null;
    /** Minor units: 4900 is 49.00. */
    amountCents: number;
    status: "offered" | "accepted" | "declined" | "card_declined" | "not_decided";
    /** Until when the buyer may decide; the order is paid without the upsell then. Null once it is decided. */
    expiresAt: string | null;
    /** An earlier, higher price, which is shown struck through. Minor units: 4900 is 49.00. */
    compareAtCents: number | null;
    imageUrl: string | null;
  } | null;
  action: {
    url: string;
  } | null;
  /** Why the last attempt to pay was declined; null once the order was changed since. */
  reason: "card_declined" | "try_again_later" | "incorrect_cvc" | "expired_card" | "insufficient_funds" | "amount_too_small" | "ask_bank" | null;
  /** Where the buyer finds the product; null until paid. That of a bump or an upsell is at its line. */
  accessUrl: string | null;
  /** When the order was paid; null until then. */
  paidAt: string | null;
  /** Of the card that is held or was charged; null before, and where nothing was charged. */
  lastFour: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  /** Whose card fields the page shows, in the mode of the checkout. `none`: the seller takes no payments yet. Null once no card is requested, and while it is not known: read it again then. */
  processor: "simulated" | "stripe" | "none" | null;
  /** With which Stripe’s script makes a confirmation token, the `paymentMethod`; null unless `stripe`. */
  publishableKey: string | null;
  /** The card is kept for later charges (renewals, an upsell): the page says so, and Stripe’s element is made with `setupFutureUsage: "off_session"`. */
  savesCard: boolean;
  test: boolean;
  createdAt: string;
  /** Sent as `x-checkout-secret` with every later call. Keep it in the buyer’s browser and put it in no link: whoever has it reads and decides what the buyer does. */
  secret?: string | undefined;
  /** In place of the secret, when a repetition under the same Idempotency-Key gets the first answer again. */
  secret_notice?: string | undefined;
}

export interface Checkout {
  id: string;
  status: "open" | "processing" | "requires_action" | "authorized" | "paid" | "refunded" | "expired";
  product: {
    name: string;
    slug: string;
    pricingType: "onetime" | "subscription";
    billingInterval: "month" | "year" | null;
  };
  seller: {
    name: string;
    supportEmail: string;
  };
  /** Order bumps on offer. */
  bumps: {
    id: string;
    headline: string;
    description: string | null;
    /** Minor units: 4900 is 49.00. */
    priceCents: number;
    /** An earlier, higher price, which is shown struck through. Minor units: 4900 is 49.00. */
    compareAtCents: number | null;
    imageUrl: string | null;
    chosen: boolean;
  }[];
  lines: {
    kind: "main" | "bump" | "upsell" | "discount" | "downsell";
    label: string;
    /** Minor units: 4900 is 49.00. */
    amountCents: number;
    /** Where the buyer finds it; null until paid, and where there is no such address. */
    accessUrl: string | null;
  }[];
  /** Minor units: 4900 is 49.00. */
  totalCents: number;
  /** Stands for the lines, the total and the renewal as shown here. Send it with pay: nothing else is charged. */
  quote: string;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  email: string | null;
  name: string | null;
  country: string | null;
  discountCode: string | null;
  /** Set once the card is held or charged. */
  orderId: string | null;
  /** Set once the card is held. */
  upsell: {
    id: string;
    headline: string;
    description: string | null;
    /** Minor units: 4900 is 49.00. */
    amountCents: number;
    status: "offered" | "accepted" | "declined" | "card_declined" | "not_decided";
    /** Until when the buyer may decide; the order is paid without the upsell then. Null once it is decided. */
    expiresAt: string | null;
    /** An earlier, higher price, which is shown struck through. Minor units: 4900 is 49.00. */
    compareAtCents: number | null;
    imageUrl: string | null;
  } | null;
  action: {
    url: string;
  } | null;
  /** Why the last attempt to pay was declined; null once the order was changed since. */
  reason: "card_declined" | "try_again_later" | "incorrect_cvc" | "expired_card" | "insufficient_funds" | "amount_too_small" | "ask_bank" | null;
  /** Where the buyer finds the product; null until paid. That of a bump or an upsell is at its line. */
  accessUrl: string | null;
  /** When the order was paid; null until then. */
  paidAt: string | null;
  /** Of the card that is held or was charged; null before, and where nothing was charged. */
  lastFour: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  /** Whose card fields the page shows, in the mode of the checkout. `none`: the seller takes no payments yet. Null once no card is requested, and while it is not known: read it again then. */
  processor: "simulated" | "stripe" | "none" | null;
  /** With which Stripe’s script makes a confirmation token, the `paymentMethod`; null unless `stripe`. */
  publishableKey: string | null;
  /** The card is kept for later charges (renewals, an upsell): the page says so, and Stripe’s element is made with `setupFutureUsage: "off_session"`. */
  savesCard: boolean;
  test: boolean;
  createdAt: string;
}

export interface CheckoutOutcome {
  status: "paid" | "authorized" | "declined" | "requires_action" | "processing" | "refunded" | "expired";
  orderId?: string | undefined;
  /** What is charged or held; with the upsell once that is charged. Minor units: 4900 is 49.00. */
  totalCents: number;
  upsell?: {
    id: string;
    headline: string;
    description: string | null;
    /** Minor units: 4900 is 49.00. */
    amountCents: number;
    status: "offered" | "accepted" | "declined" | "card_declined" | "not_decided";
    /** Until when the buyer may decide; the order is paid without the upsell then. Null once it is decided. */
    expiresAt: string | null;
  } | undefined;
  action?: {
    url: string;
  } | undefined;
  /** Of `continue`, with `requires_action` and without `action`: run `stripe.handleNextAction({ clientSecret })`, then `continue`. */
  clientSecret?: string | undefined;
  /** With `requires_action`: pay may be called with another card, which gives the confirmation up. */
  anotherCard?: true | undefined;
  reason?: "card_declined" | "try_again_later" | "incorrect_cvc" | "expired_card" | "insufficient_funds" | "amount_too_small" | "ask_bank" | undefined;
}

export interface OptOut {
  /** The seller’s name, for the page. */
  businessName: string;
  /** Whether the seller’s reminders to this buyer have ended. */
  optedOut: boolean;
}

export interface WithdrawalDraft {
  /** Of who withdraws. */
  name: string;
  /** The order’s number, or what was bought. */
  bought: string;
  /** Where the acknowledgement goes. */
  email: string;
  seller: string;
  /** The words that are declared by confirming. */
  statement: string;
}

export interface WithdrawalReceipt {
  /** Of who withdraws. */
  name: string;
  /** The order’s number, or what was bought. */
  bought: string;
  /** Where the acknowledgement goes. */
  email: string;
  seller: string;
  /** The words that are declared by confirming. */
  statement: string;
  /** When the confirmation was received. Nothing is decided by it. */
  receivedAt: string;
}

export interface Withdrawal {
  id: string;
  status: "requested" | "accepted" | "declined";
  name: string;
  /** What was typed: the order’s number, or what was bought. */
  bought: string;
  /** What was typed; it may be another than the order’s. */
  email: string;
  statement: string;
  /** Whether it came after `withdrawalDays`; null while no order is known. It is taken all the same. */
  late: boolean | null;
  /** Why it was declined. */
  answer: string | null;
  /** What was found for it; null where nothing was. */
  order: {
    id: string;
    product_name: string;
    customer_email: string;
    /** Minor units: 4900 is 49.00. */
    total_cents: number;
    /** Minor units: 4900 is 49.00. */
    refunded_cents: number;
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    status: "paid" | "refunded" | "authorized" | "expired";
    /** The sentence by which the buyer gave up the right to withdraw on the checkout; null where none was asked. */
    immediate_access: string | null;
    created_at: string;
  } | null;
  test: boolean;
  requested_at: string;
  closed_at: string | null;
}

export interface Subscription {
  id: string;
  order_id: string;
  product_id: string;
  product_name: string;
  customer_email: string;
  /** What each renewal costs: the price of the product at the sale, without bumps and discount. Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  billing_interval: "month" | "year";
  status: "active" | "past_due" | "paused" | "canceled";
  collection: "automatic" | "external";
  started_at: string;
  /** Of an `external` one the end of the period that it is in now, or was in when it was paused or canceled: the seller collects its periods, so each counts as paid. */
  current_period_end: string;
  canceled_at: string | null;
  paused_at: string | null;
  /** Who paused it: a buyer does not resume what the seller has paused. Null: it is not paused. */
  paused_by: "seller" | "buyer" | null;
  /** When it is canceled for the end of its period: that end. The next daily run from then on ends it; until then it is `active`. */
  cancel_at: string | null;
  /** When the next daily run charges it; after a decline the beginning of the third UTC day. Null when it has a `cancel_at`, or is paused, canceled or `external`. */
  next_charge_at: string | null;
  /** Failed attempts of the current renewal; the fourth cancels. */
  failed_tries: number;
  /** Of the card that renewals are charged to, where known. */
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  test: boolean;
}

export interface SubscriptionWithHistory {
  id: string;
  order_id: string;
  product_id: string;
  product_name: string;
  customer_email: string;
  /** What each renewal costs: the price of the product at the sale, without bumps and discount. Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  billing_interval: "month" | "year";
  status: "active" | "past_due" | "paused" | "canceled";
  collection: "automatic" | "external";
  started_at: string;
  /** Of an `external` one the end of the period that it is in now, or was in when it was paused or canceled: the seller collects its periods, so each counts as paid. */
  current_period_end: string;
  canceled_at: string | null;
  paused_at: string | null;
  /** Who paused it: a buyer does not resume what the seller has paused. Null: it is not paused. */
  paused_by: "seller" | "buyer" | null;
  /** When it is canceled for the end of its period: that end. The next daily run from then on ends it; until then it is `active`. */
  cancel_at: string | null;
  /** When the next daily run charges it; after a decline the beginning of the third UTC day. Null when it has a `cancel_at`, or is paused, canceled or `external`. */
  next_charge_at: string | null;
  /** Failed attempts of the current renewal; the fourth cancels. */
  failed_tries: number;
  /** Of the card that renewals are charged to, where known. */
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  test: boolean;
  periods: {
    period: number;
    starts_at: string;
    ends_at: string;
    /** Minor units: 4900 is 49.00. */
    amount_cents: number;
    status: "paid" | "processing" | "failed";
    paid_at: string | null;
  }[];
  /** Every attempt to charge a renewal, newest first. */
  payments: Payment[];
  /** The newest card that was given, while it is not saved; for an hour after it was declined. */
  card_change: {
    status: "requires_action" | "processing" | "declined";
    /** Where the buyer confirms the card at the bank. */
    url: string | null;
  } | null;
}

export interface ChangedSubscription {
  id: string;
  order_id: string;
  product_id: string;
  product_name: string;
  customer_email: string;
  /** What each renewal costs: the price of the product at the sale, without bumps and discount. Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  billing_interval: "month" | "year";
  status: "active" | "past_due" | "paused" | "canceled";
  collection: "automatic" | "external";
  started_at: string;
  /** Of an `external` one the end of the period that it is in now, or was in when it was paused or canceled: the seller collects its periods, so each counts as paid. */
  current_period_end: string;
  canceled_at: string | null;
  paused_at: string | null;
  /** Who paused it: a buyer does not resume what the seller has paused. Null: it is not paused. */
  paused_by: "seller" | "buyer" | null;
  /** When it is canceled for the end of its period: that end. The next daily run from then on ends it; until then it is `active`. */
  cancel_at: string | null;
  /** When the next daily run charges it; after a decline the beginning of the third UTC day. Null when it has a `cancel_at`, or is paused, canceled or `external`. */
  next_charge_at: string | null;
  /** Failed attempts of the current renewal; the fourth cancels. */
  failed_tries: number;
  /** Of the card that renewals are charged to, where known. */
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  test: boolean;
  /** A charge for a renewal was sent to the payment processor before this took effect, and its outcome is not known yet: it may take the money, and is recorded as it ends. `false`: none was. */
  renewal_under_way: boolean;
}

export interface SubscriptionWithNewCard {
  id: string;
  order_id: string;
  product_id: string;
  product_name: string;
  customer_email: string;
  /** What each renewal costs: the price of the product at the sale, without bumps and discount. Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  billing_interval: "month" | "year";
  status: "active" | "past_due" | "paused" | "canceled";
  collection: "automatic" | "external";
  started_at: string;
  /** Of an `external` one the end of the period that it is in now, or was in when it was paused or canceled: the seller collects its periods, so each counts as paid. */
  current_period_end: string;
  canceled_at: string | null;
  paused_at: string | null;
  /** Who paused it: a buyer does not resume what the seller has paused. Null: it is not paused. */
  paused_by: "seller" | "buyer" | null;
  /** When it is canceled for the end of its period: that end. The next daily run from then on ends it; until then it is `active`. */
  cancel_at: string | null;
  /** When the next daily run charges it; after a decline the beginning of the third UTC day. Null when it has a `cancel_at`, or is paused, canceled or `external`. */
  next_charge_at: string | null;
  /** Failed attempts of the current renewal; the fourth cancels. */
  failed_tries: number;
  /** Of the card that renewals are charged to, where known. */
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  test: boolean;
  /** A charge for a renewal was sent to the payment processor before this took effect, and its outcome is not known yet: it may take the money, and is recorded as it ends. `false`: none was. */
  renewal_under_way: boolean;
  payment_method: {
    /** `requires_action`: saved once the buyer confirms it at `url`, within a day. `processing`: the payment processor has not answered yet. */
    status: "saved" | "requires_action" | "processing";
    url: string | null;
  };
}

export type PortalOpened = {
  status: "opened";
  /** Sent as `x-portal-session` with every later call. */
  secret: string;
  handle: string;
  email: string;
  subscriptionId: string | null;
  expiresAt: string;
} | {
  status: "expired";
  handle: string;
  email: string;
};

export interface PortalOrder {
  id: string;
  product_name: string;
  /** Minor units: 4900 is 49.00. */
  total_cents: number;
  /** Minor units: 4900 is 49.00. */
  refunded_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  status: "paid" | "refunded" | "authorized";
  created_at: string;
  test: boolean;
}

export interface PortalOrderWithReceipt {
  id: string;
  product_name: string;
  /** Minor units: 4900 is 49.00. */
  total_cents: number;
  /** Minor units: 4900 is 49.00. */
  refunded_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  status: "paid" | "refunded" | "authorized";
  created_at: string;
  test: boolean;
  customer_email: string;
  customer_name: string;
  items: {
    kind: "main" | "bump" | "upsell" | "discount" | "downsell";
    label: string;
    /** Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** Where the buyer finds it, as it was at the sale; empty where it has none, and unless the order is `paid`. */
    access_url: string;
  }[];
  /** Where the buyer finds what was bought; empty where the product has none, and unless the order is `paid`. */
  access_url: string;
  /** Of the card that was charged; null where none was, or it is not known. */
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  /** The sentence by which the buyer gave up the right to withdraw for immediate access; null where none was asked. */
  immediate_access: string | null;
  /** What went back of the order itself, oldest first. */
  refunds: {
    /** Minor units: 4900 is 49.00. */
    amount_cents: number;
    refunded_at: string;
  }[];
  seller: {
    name: string;
    support_email: string;
  };
}

export interface PortalSubscription {
  id: string;
  order_id: string;
  product_name: string;
  /** Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  billing_interval: "month" | "year";
  status: "active" | "past_due" | "paused" | "canceled";
  /** `external`: the seller collects it, and no card is stored. */
  collection: "automatic" | "external";
  started_at: string;
  current_period_end: string;
  /** When it ends, where it was canceled at the period’s end. */
  cancel_at: string | null;
  canceled_at: string | null;
  next_charge_at: string | null;
  /** Why the last attempt to charge failed; null unless `past_due`. `confirmation_required`: the bank wants the buyer to confirm; the same card, given once more, is confirmed and charged. */
  failed_reason: "card_declined" | "try_again_later" | "incorrect_cvc" | "expired_card" | "insufficient_funds" | "amount_too_small" | "ask_bank" | "confirmation_required" | null;
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  /** Whether the seller lets buyers cancel it, and it can be canceled now. */
  may_cancel: boolean;
  /** Whether the seller lets buyers pause it, and it can be paused now. */
  may_pause: boolean;
  /** Whether the seller lets buyers pause it, and the buyer has paused it. */
  may_resume: boolean;
  test: boolean;
}

export interface PortalSubscriptionWithHistory {
  id: string;
  order_id: string;
  product_name: string;
  /** Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  billing_interval: "month" | "year";
  status: "active" | "past_due" | "paused" | "canceled";
  /** `external`: the seller collects it, and no card is stored. */
  collection: "automatic" | "external";
  started_at: string;
  current_period_end: string;
  /** When it ends, where it was canceled at the period’s end. */
  cancel_at: string | null;
  canceled_at: string | null;
  next_charge_at: string | null;
  /** Why the last attempt to charge failed; null unless `past_due`. `confirmation_required`: the bank wants the buyer to confirm; the same card, given once more, is confirmed and charged. */
  failed_reason: "card_declined" | "try_again_later" | "incorrect_cvc" | "expired_card" | "insufficient_funds" | "amount_too_small" | "ask_bank" | "confirmation_required" | null;
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  /** Whether the seller lets buyers cancel it, and it can be canceled now. */
  may_cancel: boolean;
  /** Whether the seller lets buyers pause it, and it can be paused now. */
  may_pause: boolean;
  /** Whether the seller lets buyers pause it, and the buyer has paused it. */
  may_resume: boolean;
  test: boolean;
  seller: {
    name: string;
    support_email: string;
  };
  /** Whose card fields the page shows, in the mode of the purchase. `none`: the seller takes no payments yet. */
  processor: "simulated" | "stripe" | "none";
  /** With which Stripe’s script makes a confirmation token, the `paymentMethod`; null unless `stripe`. */
  publishable_key: string | null;
  /** The newest card that was given, while it is not saved; for an hour after it was declined. */
  card_change: {
    status: "requires_action" | "processing" | "declined";
    /** Where the buyer confirms the card at the bank. */
    url: string | null;
  } | null;
  /** A renewal was charged on the card page, and waits for an hour until the buyer confirms it at the bank: `continuePortalPaymentMethod` says where. */
  awaits_confirmation: boolean;
  /** Renewals, newest first; 100 at most. */
  charges: {
    /** Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** Minor units: 4900 is 49.00. */
    refunded_cents: number;
    status: "paid" | "declined" | "processing";
    last_four: string | null;
    /** The wallet that gave the card; null for a card that was typed. */
    wallet?: "apple_pay" | "google_pay" | null | undefined;
    charged_at: string;
  }[];
}

export interface ChangedPortalSubscription {
  id: string;
  order_id: string;
  product_name: string;
  /** Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  billing_interval: "month" | "year";
  status: "active" | "past_due" | "paused" | "canceled";
  /** `external`: the seller collects it, and no card is stored. */
  collection: "automatic" | "external";
  started_at: string;
  current_period_end: string;
  /** When it ends, where it was canceled at the period’s end. */
  cancel_at: string | null;
  canceled_at: string | null;
  next_charge_at: string | null;
  /** Why the last attempt to charge failed; null unless `past_due`. `confirmation_required`: the bank wants the buyer to confirm; the same card, given once more, is confirmed and charged. */
  failed_reason: "card_declined" | "try_again_later" | "incorrect_cvc" | "expired_card" | "insufficient_funds" | "amount_too_small" | "ask_bank" | "confirmation_required" | null;
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  /** Whether the seller lets buyers cancel it, and it can be canceled now. */
  may_cancel: boolean;
  /** Whether the seller lets buyers pause it, and it can be paused now. */
  may_pause: boolean;
  /** Whether the seller lets buyers pause it, and the buyer has paused it. */
  may_resume: boolean;
  test: boolean;
  /** A renewal was sent to the payment processor before this took effect: it may still be charged. */
  renewal_under_way: boolean;
}

export interface PortalSubscriptionWithNewCard {
  id: string;
  order_id: string;
  product_name: string;
  /** Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  billing_interval: "month" | "year";
  status: "active" | "past_due" | "paused" | "canceled";
  /** `external`: the seller collects it, and no card is stored. */
  collection: "automatic" | "external";
  started_at: string;
  current_period_end: string;
  /** When it ends, where it was canceled at the period’s end. */
  cancel_at: string | null;
  canceled_at: string | null;
  next_charge_at: string | null;
  /** Why the last attempt to charge failed; null unless `past_due`. `confirmation_required`: the bank wants the buyer to confirm; the same card, given once more, is confirmed and charged. */
  failed_reason: "card_declined" | "try_again_later" | "incorrect_cvc" | "expired_card" | "insufficient_funds" | "amount_too_small" | "ask_bank" | "confirmation_required" | null;
  last_four: string | null;
  /** The wallet that gave the card; null for a card that was typed. */
  wallet?: "apple_pay" | "google_pay" | null | undefined;
  /** Whether the seller lets buyers cancel it, and it can be canceled now. */
  may_cancel: boolean;
  /** Whether the seller lets buyers pause it, and it can be paused now. */
  may_pause: boolean;
  /** Whether the seller lets buyers pause it, and the buyer has paused it. */
  may_resume: boolean;
  test: boolean;
  /** A renewal was sent to the payment processor before this took effect: it may still be charged. */
  renewal_under_way: boolean;
  payment_method: {
    status: "saved" | "requires_action" | "processing";
    /** Where the buyer confirms the card at the bank, with `requires_action`. */
    url: string | null;
    /** Of `continue`, with `requires_action` and without `url`: run `stripe.handleNextAction({ clientSecret })`, then `continue`. */
    client_secret?: string | undefined;
  };
  /** Of `continue`: the past-due payment was charged to the saved card, and the bank wants the buyer to confirm it. Null while none waits. */
  renewal_confirmation: {
    /** Where the buyer confirms the charge at the bank. */
    url: string | null;
    /** Without `url`: as that of `payment_method`. */
    client_secret?: string | undefined;
  } | null;
}

export interface PortalLinkCreated {
  /** Opens the buyer’s purchases without a password: shown once, and stored as a hash. */
  url?: string | undefined;
  expires_at: string;
  /** In place of the secret, when a repetition under the same Idempotency-Key gets the first answer again. */
  secret_notice?: string | undefined;
}

export interface AffiliateWithBalances {
  id: string;
  code: string;
  name: string;
  email: string;
  commission_percent: number | null;
  /** Minor units: 4900 is 49.00. */
  commission_cents: number | null;
  renewal_months: number;
  created_at: string;
  /** One for each currency in which there was a commission. */
  balances: {
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    /** Commissions whose hold is not over. Minor units: 4900 is 49.00. */
    pending_cents: number;
    /** What a payout would pay now. Minor units: 4900 is 49.00. */
    due_cents: number;
    /** Minor units: 4900 is 49.00. */
    paid_cents: number;
  }[];
}

export interface Affiliate {
  id: string;
  code: string;
  name: string;
  email: string;
  commission_percent: number | null;
  /** Minor units: 4900 is 49.00. */
  commission_cents: number | null;
  renewal_months: number;
  created_at: string;
}

export interface Commission {
  id: string;
  order_id: string;
  /** Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  status: "pending" | "due" | "paid" | "voided";
  created_at: string;
  /** A clawback is a negative entry: the sale was refunded after its commission was paid. */
  kind: "sale" | "renewal" | "clawback";
  due_at: string | null;
  payout_id: string | null;
}

export interface Payout {
  id: string;
  affiliate_code: string;
  /** Minor units: 4900 is 49.00. */
  amount_cents: number;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency: string;
  commission_count: number;
  created_at: string;
}

export interface Overview {
  /** The first day of the span, UTC. */
  from: string;
  /** The last day of the span, UTC. */
  to: string;
  /** The span of as many days before. */
  previous: {
    from: string;
    to: string;
  };
  by: "day" | "month";
  /** Every currency in which the account ever sold, by its code. */
  currencies: {
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    current: {
      /** Minor units: 4900 is 49.00. */
      revenueCents: number;
      orders: number;
      refunds: number;
      /** Minor units: 4900 is 49.00. */
      refundedCents: number;
      /** At the end. Minor units: 4900 is 49.00. */
      mrrCents: number;
      /** At the end. */
      activeSubscriptions: number;
      /** `revenueCents` less `refundedCents`. Fees of the payment processor are not subtracted. Minor units: 4900 is 49.00. */
      netRevenueCents?: number | undefined;
      /** The average total of an order. Minor units: 4900 is 49.00. */
      aovCents?: number | undefined;
      /** From 0 to 1: orders with a bump, of all orders. */
      bumpTakeRate?: number | undefined;
      /** From 0 to 1: orders with an upsell, of those that were shown one. */
      upsellTakeRate?: number | undefined;
    };
    previous: {
      /** Minor units: 4900 is 49.00. */
      revenueCents: number;
      orders: number;
      refunds: number;
      /** Minor units: 4900 is 49.00. */
      refundedCents: number;
      /** At the end. Minor units: 4900 is 49.00. */
      mrrCents: number;
      /** At the end. */
      activeSubscriptions: number;
      /** `revenueCents` less `refundedCents`. Fees of the payment processor are not subtracted. Minor units: 4900 is 49.00. */
      netRevenueCents?: number | undefined;
      /** The average total of an order. Minor units: 4900 is 49.00. */
      aovCents?: number | undefined;
      /** From 0 to 1: orders with a bump, of all orders. */
      bumpTakeRate?: number | undefined;
      /** From 0 to 1: orders with an upsell, of those that were shown one. */
      upsellTakeRate?: number | undefined;
    };
    /** Every day or month of the span. */
    series: {
      /** The day as `YYYY-MM-DD`, or the month as `YYYY-MM`. */
      date: string;
      /** Minor units: 4900 is 49.00. */
      revenueCents: number;
      orders: number;
      refunds: number;
      /** Minor units: 4900 is 49.00. */
      refundedCents: number;
      /** At the end. Minor units: 4900 is 49.00. */
      mrrCents: number;
      /** At the end. */
      activeSubscriptions: number;
    }[];
  }[];
  /** Views and conversion of all products: a visit has no currency. */
  visits: {
    current: {
      views: number;
      conversionRate: number;
      /** Orders from the checkout, of which the conversion is made; those recorded by API have no view. */
      checkoutOrders?: number | undefined;
    };
    previous: {
      views: number;
      conversionRate: number;
      /** Orders from the checkout, of which the conversion is made; those recorded by API have no view. */
      checkoutOrders?: number | undefined;
    };
    series: {
      /** The day as `YYYY-MM-DD`, or the month as `YYYY-MM`. */
      date: string;
      views: number;
      conversionRate: number;
      /** Orders from the checkout, of which the conversion is made; those recorded by API have no view. */
      checkoutOrders?: number | undefined;
    }[];
  };
  /** Those with the most revenue of their currency in the span first. The rest is in the sums above too. */
  products: {
    id: string;
    name: string;
    /** Null until the event with it is here. */
    pricingType: "onetime" | "subscription" | null;
    /** Null until the first sale. */
    currency: string | null;
    /** Minor units: 4900 is 49.00. */
    revenueCents: number;
    orders: number;
    refunds: number;
    /** Minor units: 4900 is 49.00. */
    refundedCents: number;
    /** At the end. Minor units: 4900 is 49.00. */
    mrrCents: number;
    /** At the end. */
    activeSubscriptions: number;
    /** `revenueCents` less `refundedCents`. Fees of the payment processor are not subtracted. Minor units: 4900 is 49.00. */
    netRevenueCents?: number | undefined;
    /** The average total of an order. Minor units: 4900 is 49.00. */
    aovCents?: number | undefined;
    /** From 0 to 1: orders with a bump, of all orders. */
    bumpTakeRate?: number | undefined;
    /** From 0 to 1: orders with an upsell, of those that were shown one. */
    upsellTakeRate?: number | undefined;
    views: number;
    conversionRate: number;
    /** Orders from the checkout, of which the conversion is made; those recorded by API have no view. */
    checkoutOrders?: number | undefined;
  }[];
  /** Of all products, those that `limit` left out among them. */
  productCount: number;
}

export interface Retention {
  /** Every month of the span, the earliest first. A month in which none was started has zeros. */
  data: {
    /** In which they were started, as `YYYY-MM`, UTC. */
    month: string;
    /** How many were started. */
    started: number;
    /** How many of them are active at the end of that month, at the end of the month after it, and so on. The last is of the current month: those active now. */
    active: number[];
  }[];
}

export interface FeeSums {
  from: string;
  to: string;
  /** Only where there are fees. Fees in another currency than the payments’ cannot be taken from these. */
  data: {
    /** The currency of the payments. */
    currency: string;
    /** The currency of the fees. */
    fee_currency: string;
    /** Fees of payments. Minor units: 4900 is 49.00. */
    charges_cents: number;
    /** Fees of disputes. Minor units: 4900 is 49.00. */
    disputes_cents: number;
  }[];
}

export interface Metrics {
  product: {
    id: string;
    name: string;
    pricingType: "onetime" | "subscription";
    /** Of all amounts, as a lower-case ISO 4217 code; null until the first sale or renewal. */
    currency: string | null;
  };
  summary: {
    /** Of orders and renewals; refunds are not subtracted. Minor units: 4900 is 49.00. */
    revenueCents: number;
    /** Without renewals. */
    orders: number;
    /** The average total of an order. Minor units: 4900 is 49.00. */
    aovCents: number;
    /** From 0 to 1: orders with a bump, of all orders. */
    bumpTakeRate: number;
    /** From 0 to 1: orders with an upsell, of those that were shown one. */
    upsellTakeRate: number;
    /** Without those past due, paused or canceled. */
    activeSubscriptions: number;
    /** What active subscriptions bring in a month. Minor units: 4900 is 49.00. */
    mrrCents: number;
    /** Orders from which money went back, once each. */
    refunds: number;
    /** All that went back. Minor units: 4900 is 49.00. */
    refundedCents: number;
    /** From 0 to 1: refunds, of all orders. */
    refundRate: number;
    /** Visitors of the checkout, each once a UTC day. */
    views: number;
    /** From 0 to 1: orders from the checkout, of its visitors. */
    conversionRate: number;
    /** Buyers, by their email. */
    customers: number;
  };
  revenueByMonth: {
    /** `YYYY-MM`, UTC. */
    month: string;
    /** Minor units: 4900 is 49.00. */
    value: number;
  }[];
  /** Of subscriptions, at the end of each month. */
  mrrByMonth: {
    /** `YYYY-MM`, UTC. */
    month: string;
    /** Minor units where it is an amount; a rate is from 0 to 1. */
    value: number;
  }[];
  /** Of subscriptions: the share that ended in the month. */
  churnByMonth: {
    /** `YYYY-MM`, UTC. */
    month: string;
    /** Minor units where it is an amount; a rate is from 0 to 1. */
    value: number;
  }[];
}

export interface MetricSeries {
  metric: "revenueCents" | "orders" | "aovCents" | "bumpTakeRate" | "upsellTakeRate" | "activeSubscriptions" | "mrrCents" | "refunds" | "refundedCents" | "refundRate" | "views" | "conversionRate" | "customers" | "churn";
  /** Of all amounts, as a lower-case ISO 4217 code; null until the first sale or renewal. */
  currency: string | null;
  formula: string;
  /** Of the formula: it grows when a definition changes. */
  version: number;
  /** Every month of the span, the earliest first. */
  data: {
    /** `YYYY-MM`, UTC. */
    month: string;
    /** Minor units where it is an amount; a rate is from 0 to 1. */
    value: number;
  }[];
}

export interface MetricExplanation {
  metric: "revenueCents" | "orders" | "aovCents" | "bumpTakeRate" | "upsellTakeRate" | "activeSubscriptions" | "mrrCents" | "refunds" | "refundedCents" | "refundRate" | "views" | "conversionRate" | "customers" | "churn";
  /** Of all amounts, as a lower-case ISO 4217 code; null until the first sale or renewal. */
  currency: string | null;
  month: string | null;
  value: number;
  formula: string;
  /** Of the formula: it grows when a definition changes. */
  version: number;
  parts: Record<string, number>;
  data: {
    id: string;
    /** What happened, such as `order_paid` or `subscription_rebilled`. */
    kind: string;
    /** The order or subscription, with the number of the refund or period after a slash; empty for a visit. */
    subject: string;
    occurred_at: string;
    /** Of its amounts; null for a visit. */
    currency: string | null;
    /** What it adds to each part. */
    values: Record<string, number>;
  }[];
  /** Send it as `after` for the next page; null on the last one. */
  next: string | null;
}

export interface WebhookEndpoint {
  id: string;
  /** `primary` is the one URL of `/api/v1/webhook-endpoint`; further ones are `additional`. */
  role: "primary" | "additional";
  url: string;
  description: string;
  /** Null: every event. */
  events: ("order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested")[] | null;
  /** Names of its own headers. Values are not shown. */
  headers: string[];
  active: boolean;
  /** Why and when it was switched off; null while it is active. `gone`: it answered 410. `failing`: nothing was delivered for five days. */
  switched_off: {
    reason: "seller" | "gone" | "failing";
    at: string;
  } | null;
  /** Since when every attempt has failed; null when the last one did not. */
  failing_since: string | null;
  /** Deliveries that wait, because the endpoint is off, they are older than its URL, or their attempts ended while nothing reached it. Test sends are not counted, and are canceled when the others are sent. */
  held: {
    /** At most 10,000. */
    count: number;
    /** Whether there are more than `count`. */
    more: boolean;
    oldest_at: string | null;
  };
  /** The recovery that is running for it. */
  recovery_id: string | null;
  /** Until then deliveries carry two signatures: of the new and of the previous secret. */
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
  /** Signing secret; only in the answer that made the endpoint or the secret. */
  secret?: string | undefined;
  /** In place of the secret, when a repetition under the same Idempotency-Key gets the first answer again. */
  secret_notice?: string | undefined;
}

export interface WebhookSecret {
  secret: string;
  previous_secret: string | null;
}

export interface WebhookSelfTest {
  ok: boolean;
  /** In the order in which they were sent: good, bad_signature, stale, doubled. */
  results: {
    copy: "good" | "bad_signature" | "stale" | "doubled";
    expected: "accept" | "refuse";
    status_code: number | null;
    error: string | null;
    duration_ms: number;
    /** Whether the receiver did what it should. To refuse a copy proves nothing while the good one is refused, too. */
    ok: boolean;
    explanation: string;
  }[];
  summary: string;
}

export interface ActivityEntry {
  id: string;
  kind: "webhook_attempt" | "automation_attempt" | "notice";
  created_at: string;
  summary: string;
  /** Event name of the delivery. */
  event: string | null;
  /** The `webhook-id` the receiver saw. */
  event_id: string | null;
  delivery_id: string | null;
  endpoint_id: string | null;
  order_id: string | null;
  url: string | null;
  attempt: number | null;
  status: "delivered" | "failed" | "notice";
  status_code: number | null;
  duration_ms: number | null;
  /** The first 200 characters of the answer to an attempt that failed; the delivery has more. */
  response_excerpt: string | null;
  error: string | null;
  diagnosis: Diagnosis | null;
  /** Null when no further attempt follows. */
  next_attempt_at: string | null;
  test: boolean;
  /** Of the event: its buyer, or the affiliate who was paid. */
  email?: string | null | undefined;
  /** Name of the product that the event is about; null after 30 days. */
  product?: string | null | undefined;
  /** What the event is over, in minor units; null after 30 days. 4900 is 49.00. */
  amount_cents?: number | null | undefined;
  /** Lower-case ISO 4217 code, such as `usd`. */
  currency?: string | null | undefined;
}

export interface Diagnosis {
  /** Stable, such as `moved`, `login_page`, `firewall`, `certificate_chain`, `dns`, `timeout_connect`, `timeout_answer`. */
  code: string;
  explanation: string;
  advice: string;
}

export interface WebhookDeliveryDetail {
  id: string;
  event: string;
  /** The `webhook-id` that the receiver sees. */
  event_id: string;
  order_id: string | null;
  email: string | null;
  /** Of the endpoint, or of the automation. */
  endpoint_id: string;
  /** Null when no URL is connected. Of an email, `mailto:` and the recipient of the last attempt; null before the first. When the endpoint or the automation was removed, that of the last attempt. */
  url: string | null;
  status: "pending" | "sending" | "delivered" | "held" | "failed" | "canceled" | "filtered";
  /** Why it has this status, in one line: why nothing was sent, when nothing was. */
  reason: string;
  attempt_count: number;
  created_at: string;
  finished_at: string | null;
  /** Null when no further attempt follows, and once it is due: it is queued. */
  next_attempt_at: string | null;
  test: boolean;
  /** Newest first, at most 100. */
  attempts: WebhookAttempt[];
  /** Null after 30 days. */
  payload: Record<string, unknown> | null;
}

export interface WebhookAttempt {
  id: string;
  number: number;
  created_at: string;
  /** `mailto:` and the recipient for emails; null when the recipient is not known. */
  url: string | null;
  status_code: number | null;
  /** The whole exchange. */
  duration_ms: number;
  error: string | null;
  /** Null when no further attempt follows. */
  next_attempt_at: string | null;
  /** Null when nothing was looked up: the connection was open already, or the URL has an IP address. */
  dns_ms: number | null;
  /** Null when the connection was open already, or it did not come so far. */
  connect_ms: number | null;
  /** Null without TLS. */
  tls_ms: number | null;
  /** From the request to the first byte of the answer. */
  first_byte_ms: number | null;
  /** Null when nothing is wrong. A delivered attempt may have one too. */
  diagnosis: Diagnosis | null;
  /** The first 8 KB of the answer; null after 30 days. */
  response: string | null;
}

export interface LoggedEvent {
  /** The `webhook-id` of its deliveries. */
  id: string;
  /** Counts the account’s events without gaps, from 1. */
  sequence: number;
  event: "order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested";
  occurred_at: string;
  test: boolean;
  /** What webhooks carry; null after 30 days. */
  payload: Record<string, unknown> | null;
}

export interface WebhookRecovery {
  id: string;
  endpoint_id: string;
  /** `held`: deliveries that were held are sent, but for test sends and what the endpoint’s filter does not take by then; with `which: failed` those that nothing could deliver before the endpoint’s first success. */
  kind: "recover" | "held";
  which: "failed" | "all" | "orders";
  since: string | null;
  until: string;
  status: "running" | "done" | "canceled";
  /** Deliveries that it concerns. Null until they are counted. */
  total: number | null;
  /** Of these, handed to the sender so far. */
  queued: number;
  delivered: number;
  /** Given up again. */
  failed: number;
  /** How many it enqueues a second, at most. Fewer while the receiver is slow, and hardly any while it fails. */
  per_second: number;
  created_at: string;
  finished_at: string | null;
}

export interface Automation {
  id: string;
  name: string;
  /** Null for automations that the seller made. */
  built_in: "receipt" | "sale_notice" | "renewal_receipt" | "refund_notice" | "partial_refund_notice" | "hold_end_notice" | "payment_failed_notice" | "renewal_failed_notice" | "cancellation_notice" | "dispute_notice" | "dispute_end_notice" | "endpoint_off_notice" | "key_refused_notice" | null;
  active: boolean;
  /** Why and when it was switched off; null while it is active. `gone`: its URL answered 410. `failing`: nothing was delivered for five days. `seller`: by you. Null also of a `renewal_receipt` and a `partial_refund_notice` that were never on, in accounts that are older than these. */
  switched_off: {
    reason: "seller" | "gone" | "failing";
    at: string;
  } | null;
  /** False while its emails go nowhere, because this deployment has neither a mail server (`SMTP_URL`) nor a folder for files (`EMAIL_DIR`), or `AUTOMATION_EMAILS` is off. */
  available: boolean;
  /** Of a built-in one also `endpoint.off` and `processor.key_refused`, which are no webhooks. */
  event: string;
  /** Null: of every product. */
  product_id: string | null;
  action: {
    type: "email";
    to: "buyer" | "seller";
    /** Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out. */
    subject: string;
    /** Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out. */
    body: string;
  } | {
    type: "post";
    /** Without a part after #. */
    url: string;
  };
  /** Until then POSTs carry two signatures: of the new and of the previous secret. */
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
  /** Signing secret of a POST; only in the answer that made the automation or the secret. */
  secret?: string | undefined;
  /** In place of the secret, when a repetition under the same Idempotency-Key gets the first answer again. */
  secret_notice?: string | undefined;
}

export interface AutomationPreviewed {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface DailyResult {
  ok: boolean;
  rebills: {
    charged: number;
    /** Minor units: 4900 is 49.00. */
    chargedCents: number;
    retried: number;
    canceled: number;
  };
  recovery: {
    sent: number;
    recovered: number;
  };
  /** Holds that this run settled, without those of rehearsals and those that a look-up ended. */
  holdsSettled: number;
  /** What `chargedCents` is made of: a sum for each currency. */
  chargedByCurrency: Record<string, number>;
  /** Renewals that are due and wait until it is known how an earlier payment for them ended, or that their order’s refund or an open dispute keeps out. */
  blocked: number;
  /** Charges that are due and wait for the next run, because more is due than the limit of charges. */
  waiting: number;
  problems: {
    code: "charge_limit" | "account_failed" | "no_payment_processor" | "new_cards_needed" | "key_refused" | "reminders_failed" | "orphans_found" | "books_not_compared" | "outcome_unknown" | "orders_differ" | "orders_not_compared" | "charging_stopped" | "charges_disabled";
    detail: string;
  }[];
  /** Renewals that were declined, those tried again among them; left out where none was. */
  declined?: number | undefined;
}

export interface DailyRun {
  id: string;
  /** `interrupted`: its process died or closed, so it has no result; the next run does what it left. */
  status: "running" | "finished" | "interrupted";
  started_at: string;
  finished_at: string | null;
  result: DailyResult | null;
  progress: {
    done: number;
    left: number;
    per_second: number;
  } | null;
  books: {
    compared_from: string;
    compared_until: string;
    /** Charges that stand on both sides. */
    charges: number;
    refunds: number;
    /** Holds that stand on both sides. */
    holds: number;
    /** Disputes that the processor opened in this time, of charges that stand on both sides. */
    disputes: number;
    /** 100 at most; `orphan_count` counts all. */
    orphans: {
      side: "processor" | "platform";
      kind: "charge" | "refund" | "hold";
      /** The processor’s reference, or our payment’s id. */
      id: string;
      /** Minor units: 4900 is 49.00. */
      amount_cents: number;
      /** Lower-case ISO 4217 code, such as `usd`. */
      currency: string;
      /** What to do. */
      detail: string;
    }[];
    orphan_count: number;
    /** What the processor kept of the charges and disputes of this time, by the currency in which it pays out. */
    fees?: {
      /** Lower-case ISO 4217 code, such as `usd`. */
      currency: string;
      /** Minor units: 4900 is 49.00. */
      amount_cents: number;
    }[] | undefined;
  } | null;
}

export interface DailyRunPreview {
  at: string;
  totals: {
    renewals: {
      count: number;
      amounts: {
        /** Lower-case ISO 4217 code, such as `usd`. */
        currency: string;
        /** Minor units: 4900 is 49.00. */
        cents: number;
      }[];
    };
    retries: {
      count: number;
      amounts: {
        /** Lower-case ISO 4217 code, such as `usd`. */
        currency: string;
        /** Minor units: 4900 is 49.00. */
        cents: number;
      }[];
    };
    /** Subscriptions that were canceled for the end of their period. */
    cancellations: number;
    settlements: {
      count: number;
      amounts: {
        /** Lower-case ISO 4217 code, such as `usd`. */
        currency: string;
        /** Minor units: 4900 is 49.00. */
        cents: number;
      }[];
    };
    look_ups: number;
    /** What look-ups charge at most: a capture or upsell that the processor never got is sent again, a renewal also charged anew; an accepted upsell follows its capture. What it got is not charged twice, and a payment of the buyer’s own is never sent again. */
    look_up_amounts: {
      /** Lower-case ISO 4217 code, such as `usd`. */
      currency: string;
      /** Minor units: 4900 is 49.00. */
      cents: number;
    }[];
    reminders: number;
  };
  charge_limit: {
    /** More is due than the run would charge: it charges up to the limit, and names no other charge. */
    exceeded: boolean;
    /** So many charges in a currency a run makes in any case. */
    always_allowed_count: number;
    currencies: {
      /** Lower-case ISO 4217 code, such as `usd`. */
      currency: string;
      /** Charges that are due and that no forced run has begun. */
      due_count: number;
      /** Minor units: 4900 is 49.00. */
      due_cents: number;
      /** The larger of the largest run of late and what fell due of late. Minor units: 4900 is 49.00. */
      normal_cents: number;
      /** Null: no limit. The setting `dailyChargeLimit` is 0, or no more than `always_allowed_count` are due. Minor units: 4900 is 49.00. */
      limit_cents: number | null;
      exceeded: boolean;
      /** Charges that would wait for the next run. */
      waiting_count: number;
      /** Minor units: 4900 is 49.00. */
      waiting_cents: number;
    }[];
  };
  /** Of the platform, and unknown to it: no run charges before you confirm them. */
  unmatched_payments: number;
  data: {
    kind: "renewal" | "retry" | "cancellation" | "settlement" | "look_up" | "reminder";
    /** Of the subscription, the order, the payment or the checkout. */
    id: string;
    customer_email: string;
    product_name: string;
    /** What would be charged or captured, with an accepted upsell; of a look-up what it charges if the processor never got the payment, 0 for a payment of the buyer’s own; 0 for a cancellation and a reminder. Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    due_at: string;
    /** The number of the attempt, for a renewal and a retry. */
    attempt: number | null;
  }[];
  /** Send it as `after` for the next page. */
  next: string | null;
}

export interface Rehearsal {
  /** What time it is for rehearsals. */
  now: string;
  /** How far that is ahead of the clock. */
  days_ahead: number;
}

export interface RehearsalResult {
  /** False where another request has replaced this one, or the payment processor refused the API key. */
  ok: boolean;
  /** The rehearsal’s time. */
  now: string;
  days: number;
  rebills: {
    charged: number;
    /** Minor units: 4900 is 49.00. */
    chargedCents: number;
    retried: number;
    canceled: number;
  };
  /** What `chargedCents` is made of: a sum for each currency. */
  chargedByCurrency: Record<string, number>;
}

export interface Settings {
  handle: string;
  businessName: string;
  supportEmail: string;
  /** Whether emails may be sent to `supportEmail`. Before, buyers’ answers go there, and what is for you goes to `email`. */
  supportEmailVerified: boolean;
  /** The address that the account’s user logs in with; see `changeEmail`. */
  email: string;
  /** Until it is, the account sends no emails: see `requestVerification`. */
  emailVerified: boolean;
  defaultCurrency: string;
  testMode: boolean;
  holdDecisionMinutes: number;
  nudgeAfterMinutes: number;
  commissionHoldDays: number;
  cancellationNotices: boolean;
  /** A daily run charges up to so many times what is normal, and 100 charges of a currency in any case; the rest waits for the next run. 0 is no limit. */
  dailyChargeLimit: number;
  /** The page that reminders lead to: the seller’s own checkout page; null is the hosted one. */
  checkoutUrl: string | null;
  /** The colour of buttons on the hosted pages; null is the pages’ own. */
  accentColor: string | null;
  /** The seller’s terms, linked on the hosted pages. */
  termsUrl: string | null;
  /** The seller’s refund policy, linked on the hosted pages. */
  refundPolicyUrl: string | null;
  /** Whether buyers may cancel their subscriptions in the portal. */
  portalCancel: boolean;
  /** Whether buyers may pause and resume their subscriptions in the portal. */
  portalPause: boolean;
  /** For so many days after a purchase consumers may withdraw from it; the shop’s pages and receipts link to the page that takes withdrawals. 0: it has no such page, for sellers whom the law of the EU does not bind. */
  withdrawalDays: number;
  /** Whether buyers tick on the checkout that they want access at once, and know that they lose the right to withdraw by it. */
  immediateAccessConsent: boolean;
  /** Stands on the statements of buyers’ cards after the name that Stripe has of the business, for payments of Stripe; null: the name alone. */
  statementSuffix: string | null;
  /** The address given for `supportEmail` that has not confirmed yet: nothing uses it. It gets its email once the account’s own address is verified. See `requestSupportEmailVerification`. */
  supportEmailPending: string | null;
  /** The logo on the hosted pages; see `putLogo`. */
  logoUrl: string | null;
  /** Counts the changes by its update, which takes it as `If-Match`. */
  version: number;
}

export interface ApiKey {
  id: string;
  name: string;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  last_four: string;
  scopes: ("read" | "write" | "money")[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface ApiKeyCreated {
  id: string;
  name: string;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  last_four: string;
  scopes: ("read" | "write" | "money")[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  /** The key itself; only in the first answer. */
  key?: string | undefined;
  /** In place of the secret, when a repetition under the same Idempotency-Key gets the first answer again. */
  secret_notice?: string | undefined;
}

export interface AuditEntry {
  id: string;
  kind: "log_in" | "api_key" | "settings" | "processor" | "webhook" | "automation" | "refund" | "withdrawal" | "payout" | "export" | "daily_job" | "portal_link";
  /** The id of the operation, as in this document; `recover` and `create` of the operator’s command. */
  operation: string;
  /** What it was done to or what it made: an id, or the code of an affiliate; null where there is none. */
  object_id: string | null;
  /** `unknown`: it was begun, and the platform was stopped before its outcome was written down. */
  outcome: "done" | "refused" | "unknown";
  /** Why it was refused: the `code` of the answer. */
  code: string | null;
  /** Refusals of one kind in an hour are one entry, and so is what goes beyond 2,000 a day. */
  count: number;
  actor: {
    kind: "session" | "key" | "link" | "anonymous" | "operator";
    /** Of the session or the API key. */
    id: string | null;
    /** The user’s address or the key’s name at that time. */
    name: string | null;
  };
  /** The IP address, of IPv6 the /64 network; of several the latest. */
  address: string | null;
  /** The program, as it named itself. */
  user_agent: string | null;
  created_at: string;
  /** Of several, when the latest was. */
  last_at: string;
}

export interface SignedUp {
  ok: true;
  accountId: string;
}

export type LoggedIn = SignedUp | FactorDue;

export interface FactorDue {
  ok: false;
  factorDue: true;
  /** What the user can give here; `passkey` under a host name alone. */
  methods: ("passkey" | "code" | "backup_code")[];
}

export interface Me {
  accountId: string;
  email: string;
  emailVerified: boolean;
  name: string;
  handle: string;
  /** Whether the deployment is a copy of another one: then it only reads, until its operator makes it the original. */
  isCopy: boolean;
  /** Where emails are files, as this deployment has no mail server (`SMTP_URL`): a folder of the computer that it runs on. Null where they are sent. */
  emailFolder?: string | null | undefined;
}

export interface Confirmed {
  ok: true;
  confirmedUntil: string;
}

export interface Session {
  id: string;
  /** Whether it is the session of this request. */
  current: boolean;
  /** The IP address that opened it, of IPv6 the /64 network; null when it is not known. */
  address: string | null;
  /** The program that opened it, as it named itself. */
  user_agent: string | null;
  /** What it was opened with beside the password or link; null for nothing. */
  factor: "passkey" | "code" | "backup_code" | null;
  created_at: string;
  /** At most a minute late. */
  last_used_at: string | null;
  expires_at: string;
}

export interface PasskeyChallenge {
  challenge: string;
  rpId: string;
  /** Milliseconds. */
  timeout: number;
  userVerification: "required";
}

export interface Factors {
  /** Whether codes of an authenticator app are in use. */
  codes: boolean;
  backupCodesLeft: number;
  passkeys: Passkey[];
  /** Whether browsers use passkeys at this address: not at an IP address. */
  passkeysOffered: boolean;
}

export interface Passkey {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
}

export interface PasskeyOptions {
  challenge: string;
}

export interface PasskeyCreated {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
  /** Ten codes that work once each, in place of a passkey or code; only in the first answer. */
  backupCodes?: string[] | undefined;
  /** In place of the secret, when a repetition under the same Idempotency-Key gets the first answer again. */
  secret_notice?: string | undefined;
}

export interface OneTimeCodesSecret {
  /** In base32, to be typed into an authenticator app. */
  secret?: string | undefined;
  /** The same for a QR code. */
  uri: string;
  secret_notice?: string | undefined;
}

export interface BackupCodes {
  ok: true;
  /** Ten codes that work once each, in place of a passkey or code; only in the first answer. */
  backupCodes?: string[] | undefined;
  /** In place of the secret, when a repetition under the same Idempotency-Key gets the first answer again. */
  secret_notice?: string | undefined;
}

export interface Letter {
  purpose: "verification" | "email_change" | "support_email";
  /** The address that it went to. */
  email: string;
  account: {
    name: string;
    created_at: string;
  };
  /** Whether the password of the account is needed: this browser has no session of its user. */
  password_due: boolean;
  /** What was set up before the address was verified; null for an account that has a verified one. */
  set_up: {
    api_keys: number;
    /** Null while it cannot be read. */
    webhook_hosts: string[] | null;
    /** Of its own making; null while it cannot be read. */
    automations: number | null;
    /** Null while it cannot be read. */
    payment_processor: "simulated" | "stripe" | "none" | null;
  } | null;
}

/** An RFC 9457 problem document. */
export interface Problem {
  /** Address of the page that explains the code. */
  type: string;
  title: string;
  status: number;
  /** What is wrong this time, in a sentence. */
  detail: string;
  /** A stable word; see `/developers/errors`. */
  code: string;
  /** The same as the `x-request-id` header. */
  requestId: string;
  /** The fields at fault. */
  errors?: {
    field: string;
    code: string;
    message: string;
  }[] | undefined;
}

/** Every operation that a key, a buyer or anyone may call. Path parameters stand in the input, beside `query` and `body`. */
export class Client extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super({ ...options, baseUrl: options.baseUrl ?? "http://127.0.0.1:3000" });
  }

  /** List every product on the account: http://127.0.0.1:3000/developers/reference/products#listProducts */
  listProducts(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only those with this status. */
      status?: "draft" | "live" | "archived" | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Product[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/products' }, input, options);
  }
  /** Each entry of `listProducts`, page by page. */
  iterateProducts(input: Parameters<Client['listProducts']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Product, void, undefined> {
    return this.each<Product, Awaited<ReturnType<Client['listProducts']>>>(
      (cursor) => this.listProducts({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Make a product: http://127.0.0.1:3000/developers/reference/products#createProduct */
  createProduct(input: { body: ProductCreate }, options: CallOptions = {}): Promise<Product> {
    return this.call({ method: 'POST', path: '/api/v1/products', isKeyed: true }, input, options);
  }

  /** Read one product: http://127.0.0.1:3000/developers/reference/products#getProduct */
  getProduct(input: { productId: string }, options: CallOptions = {}): Promise<Product> {
    return this.call({ method: 'GET', path: '/api/v1/products/{productId}' }, input, options);
  }

  /** Change a product, publish it or archive it: http://127.0.0.1:3000/developers/reference/products#updateProduct */
  updateProduct(input: { productId: string; body: ProductUpdate }, options: CallOptions = {}): Promise<Product> {
    return this.call({ method: 'PATCH', path: '/api/v1/products/{productId}' }, input, options);
  }

  /** Set the picture on a product’s page: http://127.0.0.1:3000/developers/reference/products#putProductImage */
  putProductImage(input: { productId: string; body: ImagePut }, options: CallOptions = {}): Promise<Image> {
    return this.call({ method: 'PUT', path: '/api/v1/products/{productId}/image' }, input, options);
  }

  /** Delete the picture on a product’s page: http://127.0.0.1:3000/developers/reference/products#deleteProductImage */
  deleteProductImage(input: { productId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/products/{productId}/image' }, input, options);
  }

  /** Set the logo of the hosted pages: http://127.0.0.1:3000/developers/reference/settings#putLogo */
  putLogo(input: { body: ImagePut }, options: CallOptions = {}): Promise<Image> {
    return this.call({ method: 'PUT', path: '/api/v1/settings/logo' }, input, options);
  }

  /** Delete the logo of the hosted pages: http://127.0.0.1:3000/developers/reference/settings#deleteLogo */
  deleteLogo(options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/settings/logo' }, {}, options);
  }

  /** Read a product’s bumps, upsells, downsells and post-purchase emails: http://127.0.0.1:3000/developers/reference/funnel#getFunnel */
  getFunnel(input: { productId: string }, options: CallOptions = {}): Promise<Funnel> {
    return this.call({ method: 'GET', path: '/api/products/{productId}/funnel' }, input, options);
  }

  /** Add an order bump: http://127.0.0.1:3000/developers/reference/funnel#createBump */
  createBump(input: { productId: string; body: OfferCreate }, options: CallOptions = {}): Promise<Offer> {
    return this.call({ method: 'POST', path: '/api/v1/products/{productId}/bumps', isKeyed: true }, input, options);
  }

  /** Read an order bump: http://127.0.0.1:3000/developers/reference/funnel#getBump */
  getBump(input: { productId: string; offerId: string }, options: CallOptions = {}): Promise<Offer> {
    return this.call({ method: 'GET', path: '/api/v1/products/{productId}/bumps/{offerId}' }, input, options);
  }

  /** Change an order bump: http://127.0.0.1:3000/developers/reference/funnel#updateBump */
  updateBump(input: { productId: string; offerId: string; body: OfferUpdate }, options: CallOptions = {}): Promise<Offer> {
    return this.call({ method: 'PATCH', path: '/api/v1/products/{productId}/bumps/{offerId}' }, input, options);
  }

  /** Remove an order bump: http://127.0.0.1:3000/developers/reference/funnel#deleteBump */
  deleteBump(input: { productId: string; offerId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/products/{productId}/bumps/{offerId}' }, input, options);
  }

  /** Set the picture of an order bump: http://127.0.0.1:3000/developers/reference/funnel#putBumpImage */
  putBumpImage(input: { productId: string; offerId: string; body: ImagePut }, options: CallOptions = {}): Promise<Image> {
    return this.call({ method: 'PUT', path: '/api/v1/products/{productId}/bumps/{offerId}/image' }, input, options);
  }

  /** Delete the picture of an order bump: http://127.0.0.1:3000/developers/reference/funnel#deleteBumpImage */
  deleteBumpImage(input: { productId: string; offerId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/products/{productId}/bumps/{offerId}/image' }, input, options);
  }

  /** Add an upsell: http://127.0.0.1:3000/developers/reference/funnel#createUpsell */
  createUpsell(input: { productId: string; body: OfferCreate }, options: CallOptions = {}): Promise<Offer> {
    return this.call({ method: 'POST', path: '/api/v1/products/{productId}/upsells', isKeyed: true }, input, options);
  }

  /** Read an upsell: http://127.0.0.1:3000/developers/reference/funnel#getUpsell */
  getUpsell(input: { productId: string; offerId: string }, options: CallOptions = {}): Promise<Offer> {
    return this.call({ method: 'GET', path: '/api/v1/products/{productId}/upsells/{offerId}' }, input, options);
  }

  /** Change an upsell: http://127.0.0.1:3000/developers/reference/funnel#updateUpsell */
  updateUpsell(input: { productId: string; offerId: string; body: OfferUpdate }, options: CallOptions = {}): Promise<Offer> {
    return this.call({ method: 'PATCH', path: '/api/v1/products/{productId}/upsells/{offerId}' }, input, options);
  }

  /** Remove an upsell: http://127.0.0.1:3000/developers/reference/funnel#deleteUpsell */
  deleteUpsell(input: { productId: string; offerId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/products/{productId}/upsells/{offerId}' }, input, options);
  }

  /** Set the picture of an upsell: http://127.0.0.1:3000/developers/reference/funnel#putUpsellImage */
  putUpsellImage(input: { productId: string; offerId: string; body: ImagePut }, options: CallOptions = {}): Promise<Image> {
    return this.call({ method: 'PUT', path: '/api/v1/products/{productId}/upsells/{offerId}/image' }, input, options);
  }

  /** Delete the picture of an upsell: http://127.0.0.1:3000/developers/reference/funnel#deleteUpsellImage */
  deleteUpsellImage(input: { productId: string; offerId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/products/{productId}/upsells/{offerId}/image' }, input, options);
  }

  /** Add a post-purchase email: http://127.0.0.1:3000/developers/reference/funnel#createFunnelEmail */
  createFunnelEmail(input: { productId: string; body: FunnelEmailCreate }, options: CallOptions = {}): Promise<FunnelEmail> {
    return this.call({ method: 'POST', path: '/api/v1/products/{productId}/emails', isKeyed: true }, input, options);
  }

  /** Change a post-purchase email: http://127.0.0.1:3000/developers/reference/funnel#updateFunnelEmail */
  updateFunnelEmail(input: { productId: string; emailId: string; body: FunnelEmailUpdate }, options: CallOptions = {}): Promise<FunnelEmail> {
    return this.call({ method: 'PATCH', path: '/api/v1/products/{productId}/emails/{emailId}' }, input, options);
  }

  /** Remove a post-purchase email: http://127.0.0.1:3000/developers/reference/funnel#deleteFunnelEmail */
  deleteFunnelEmail(input: { productId: string; emailId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/products/{productId}/emails/{emailId}' }, input, options);
  }

  /** Send the post-purchase emails to the receiving tool: http://127.0.0.1:3000/developers/reference/funnel#pushFunnelEmails */
  pushFunnelEmails(input: { productId: string }, options: CallOptions = {}): Promise<EmailPushResult> {
    return this.call({ method: 'POST', path: '/api/v1/products/{productId}/emails/push', isKeyed: true }, input, options);
  }

  /** List a product’s discount codes, newest first: http://127.0.0.1:3000/developers/reference/discounts#listDiscounts */
  listDiscounts(input: { productId: string; query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined }, options: CallOptions = {}): Promise<{
    data: {
      id: string;
      code: string;
      percent_off: number | null;
      /** Minor units: 4900 is 49.00. */
      amount_off_cents: number | null;
      expires_at: string | null;
      max_uses: number | null;
      created_at: string;
      /** Counts the changes by its update, which takes it as `If-Match`. */
      version: number;
      /** Orders that used it and open checkouts that pay with it; no rehearsals. Null while that is not known. */
      uses: number | null;
    }[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/products/{productId}/discounts' }, input, options);
  }
  /** Each entry of `listDiscounts`, page by page. */
  iterateDiscounts(input: Parameters<Client['listDiscounts']>[0], options: CallOptions = {}): AsyncGenerator<{
    id: string;
    code: string;
    percent_off: number | null;
    /** Minor units: 4900 is 49.00. */
    amount_off_cents: number | null;
    expires_at: string | null;
    max_uses: number | null;
    created_at: string;
    /** Counts the changes by its update, which takes it as `If-Match`. */
    version: number;
    /** Orders that used it and open checkouts that pay with it; no rehearsals. Null while that is not known. */
    uses: number | null;
  }, void, undefined> {
    return this.each<{
    id: string;
    code: string;
    percent_off: number | null;
    /** Minor units: 4900 is 49.00. */
    amount_off_cents: number | null;
    expires_at: string | null;
    max_uses: number | null;
    created_at: string;
    /** Counts the changes by its update, which takes it as `If-Match`. */
    version: number;
    /** Orders that used it and open checkouts that pay with it; no rehearsals. Null while that is not known. */
    uses: number | null;
  }, Awaited<ReturnType<Client['listDiscounts']>>>(
      (cursor) => this.listDiscounts({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Add a discount code: http://127.0.0.1:3000/developers/reference/discounts#createDiscount */
  createDiscount(input: { productId: string; body: DiscountCreate }, options: CallOptions = {}): Promise<{
    id: string;
    code: string;
    percent_off: number | null;
    /** Minor units: 4900 is 49.00. */
    amount_off_cents: number | null;
    expires_at: string | null;
    max_uses: number | null;
    created_at: string;
    /** Counts the changes by its update, which takes it as `If-Match`. */
    version: number;
    /** Orders that used it and open checkouts that pay with it; no rehearsals. Null while that is not known. */
    uses: number | null;
  }> {
    return this.call({ method: 'POST', path: '/api/v1/products/{productId}/discounts', isKeyed: true }, input, options);
  }

  /** Read one discount code: http://127.0.0.1:3000/developers/reference/discounts#getDiscount */
  getDiscount(input: { productId: string; discountId: string }, options: CallOptions = {}): Promise<{
    id: string;
    code: string;
    percent_off: number | null;
    /** Minor units: 4900 is 49.00. */
    amount_off_cents: number | null;
    expires_at: string | null;
    max_uses: number | null;
    created_at: string;
    /** Counts the changes by its update, which takes it as `If-Match`. */
    version: number;
    /** Orders that used it and open checkouts that pay with it; no rehearsals. Null while that is not known. */
    uses: number | null;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/products/{productId}/discounts/{discountId}' }, input, options);
  }

  /** Change a discount code: http://127.0.0.1:3000/developers/reference/discounts#updateDiscount */
  updateDiscount(input: { productId: string; discountId: string; body: DiscountUpdate }, options: CallOptions = {}): Promise<{
    id: string;
    code: string;
    percent_off: number | null;
    /** Minor units: 4900 is 49.00. */
    amount_off_cents: number | null;
    expires_at: string | null;
    max_uses: number | null;
    created_at: string;
    /** Counts the changes by its update, which takes it as `If-Match`. */
    version: number;
    /** Orders that used it and open checkouts that pay with it; no rehearsals. Null while that is not known. */
    uses: number | null;
  }> {
    return this.call({ method: 'PATCH', path: '/api/v1/products/{productId}/discounts/{discountId}' }, input, options);
  }

  /** Remove a discount code: http://127.0.0.1:3000/developers/reference/discounts#deleteDiscount */
  deleteDiscount(input: { productId: string; discountId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/products/{productId}/discounts/{discountId}' }, input, options);
  }

  /** List the latest 100 orders, newest first: http://127.0.0.1:3000/developers/reference/orders#listOrders */
  listOrders(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** The buyer’s email address, the order’s id or its number, which is the last eight characters of the id, or how the buyer’s name begins; in upper or lower case. */
      q?: string | undefined;
      /** Only those with this status. */
      status?: "paid" | "refunded" | "authorized" | undefined;
      /** Only those of this product. */
      productId?: string | undefined;
      /** From this time on, which is included. */
      from?: string | undefined;
      /** Before this time, which is not included. */
      to?: string | undefined;
      /** Only those whose `dispute` is this. */
      dispute?: "open" | "lost" | undefined;
      /** As the buyer came with it, in upper or lower case. */
      affiliateCode?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Order[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/orders' }, input, options);
  }
  /** Each entry of `listOrders`, page by page. */
  iterateOrders(input: Parameters<Client['listOrders']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Order, void, undefined> {
    return this.each<Order, Awaited<ReturnType<Client['listOrders']>>>(
      (cursor) => this.listOrders({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Record an order from the seller’s own code: http://127.0.0.1:3000/developers/reference/orders#createOrder */
  createOrder(input: { body: OrderCreate }, options: CallOptions = {}): Promise<OrderCreated> {
    return this.call({ method: 'POST', path: '/api/v1/orders', isKeyed: true }, input, options);
  }

  /** List test orders, newest first: http://127.0.0.1:3000/developers/reference/orders#listTestOrders */
  listTestOrders(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** The buyer’s email address, the order’s id or its number, which is the last eight characters of the id, or how the buyer’s name begins; in upper or lower case. */
      q?: string | undefined;
      /** Only those with this status. */
      status?: "paid" | "refunded" | "authorized" | undefined;
      /** Only those of this product. */
      productId?: string | undefined;
      /** From this time on, which is included. */
      from?: string | undefined;
      /** Before this time, which is not included. */
      to?: string | undefined;
      /** Only those whose `dispute` is this. */
      dispute?: "open" | "lost" | undefined;
      /** As the buyer came with it, in upper or lower case. */
      affiliateCode?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Order[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/test-orders' }, input, options);
  }
  /** Each entry of `listTestOrders`, page by page. */
  iterateTestOrders(input: Parameters<Client['listTestOrders']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Order, void, undefined> {
    return this.each<Order, Awaited<ReturnType<Client['listTestOrders']>>>(
      (cursor) => this.listTestOrders({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** List checkouts that were not paid, newest first: http://127.0.0.1:3000/developers/reference/orders#listCheckouts */
  listCheckouts(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only those with this status. */
      status?: "open" | "stalled" | "reminded" | "expired" | undefined;
      /** Only those of this product. */
      productId?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: UnfinishedCheckout[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/checkouts' }, input, options);
  }
  /** Each entry of `listCheckouts`, page by page. */
  iterateCheckouts(input: Parameters<Client['listCheckouts']>[0] = {}, options: CallOptions = {}): AsyncGenerator<UnfinishedCheckout, void, undefined> {
    return this.each<UnfinishedCheckout, Awaited<ReturnType<Client['listCheckouts']>>>(
      (cursor) => this.listCheckouts({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read one order and its payments: http://127.0.0.1:3000/developers/reference/orders#getOrder */
  getOrder(input: { orderId: string }, options: CallOptions = {}): Promise<OrderWithPayments> {
    return this.call({ method: 'GET', path: '/api/v1/orders/{orderId}' }, input, options);
  }

  /** Release the hold of an order, which ends it without a charge: http://127.0.0.1:3000/developers/reference/orders#releaseOrder */
  releaseOrder(input: { orderId: string }, options: CallOptions = {}): Promise<OrderRelease> {
    return this.call({ method: 'POST', path: '/api/v1/orders/{orderId}/release', isKeyed: true }, input, options);
  }

  /** Send the receipt of an order again: http://127.0.0.1:3000/developers/reference/orders#resendReceipt */
  resendReceipt(input: { orderId: string; body?: ReceiptResend | undefined }, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.call({ method: 'POST', path: '/api/v1/orders/{orderId}/receipt', isKeyed: true }, input, options);
  }

  /** See what a refund of the order would do: http://127.0.0.1:3000/developers/reference/orders#previewRefund */
  previewRefund(input: { orderId: string; query?: {
      /** Whether the renewals of its subscription go back too. */
      renewals?: boolean | undefined;
    } | undefined }, options: CallOptions = {}): Promise<RefundPreview> {
    return this.call({ method: 'GET', path: '/api/v1/orders/{orderId}/refund/preview' }, input, options);
  }

  /** Refund a paid order, whole: http://127.0.0.1:3000/developers/reference/orders#refundOrder */
  refundOrder(input: { orderId: string; body?: RefundCreate | undefined }, options: CallOptions = {}): Promise<Refund> {
    return this.call({ method: 'POST', path: '/api/v1/orders/{orderId}/refund', isKeyed: true }, input, options);
  }

  /** List customers, newest first: http://127.0.0.1:3000/developers/reference/customers#listCustomers */
  listCustomers(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** The buyer’s email address, the customer’s id, or how a name on an order begins; in upper or lower case. */
      q?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Customer[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/customers' }, input, options);
  }
  /** Each entry of `listCustomers`, page by page. */
  iterateCustomers(input: Parameters<Client['listCustomers']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Customer, void, undefined> {
    return this.each<Customer, Awaited<ReturnType<Client['listCustomers']>>>(
      (cursor) => this.listCustomers({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read one customer: http://127.0.0.1:3000/developers/reference/customers#getCustomer */
  getCustomer(input: { customerId: string }, options: CallOptions = {}): Promise<Customer> {
    return this.call({ method: 'GET', path: '/api/v1/customers/{customerId}' }, input, options);
  }

  /** Download orders as CSV: http://127.0.0.1:3000/developers/reference/orders#exportOrders */
  exportOrders(input: { query?: {
      /** The buyer’s email address, the order’s id or its number, which is the last eight characters of the id, or how the buyer’s name begins; in upper or lower case. */
      q?: string | undefined;
      /** Only those with this status. */
      status?: "paid" | "refunded" | "authorized" | undefined;
      /** Only those of this product. */
      productId?: string | undefined;
      /** From this time on, which is included. */
      from?: string | undefined;
      /** Before this time, which is not included. */
      to?: string | undefined;
      /** Only those whose `dispute` is this. */
      dispute?: "open" | "lost" | undefined;
      /** As the buyer came with it, in upper or lower case. */
      affiliateCode?: string | undefined;
      /** Of all times in the file, as the IANA database names it. UTC unless given. */
      timeZone?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<string> {
    return this.call({ method: 'GET', path: '/api/v1/orders/export', isText: true }, input, options);
  }

  /** Download subscriptions as CSV: http://127.0.0.1:3000/developers/reference/subscriptions#exportSubscriptions */
  exportSubscriptions(input: { query?: {
      /** Only those with this status. */
      status?: "active" | "past_due" | "paused" | "canceled" | undefined;
      /** Only those that the platform charges, or that are charged elsewhere. */
      collection?: "automatic" | "external" | undefined;
      /** Only those of this product. */
      productId?: string | undefined;
      /** Only those of the buyer with this address, in upper or lower case. */
      email?: string | undefined;
      /** `true`: only those of rehearsals. */
      test?: "true" | "false" | undefined;
      /** Of all times in the file, as the IANA database names it. UTC unless given. */
      timeZone?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<string> {
    return this.call({ method: 'GET', path: '/api/v1/subscriptions/export', isText: true }, input, options);
  }

  /** Download an affiliate’s statement as CSV: http://127.0.0.1:3000/developers/reference/affiliates#exportStatement */
  exportStatement(input: { code: string; query?: {
      /** Of all times in the file, as the IANA database names it. UTC unless given. */
      timeZone?: string | undefined;
    } | undefined }, options: CallOptions = {}): Promise<string> {
    return this.call({ method: 'GET', path: '/api/v1/affiliates/{code}/statement/export', isText: true }, input, options);
  }

  /** List every attempt to move money, newest first: http://127.0.0.1:3000/developers/reference/payments#listPayments */
  listPayments(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only those of this order. */
      orderId?: string | undefined;
      /** Only those of the buyer with this address, in upper or lower case. */
      email?: string | undefined;
      /** Only those with this status. */
      status?: "created" | "sent" | "succeeded" | "declined" | "requires_action" | "unknown" | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Payment[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/payments' }, input, options);
  }
  /** Each entry of `listPayments`, page by page. */
  iteratePayments(input: Parameters<Client['listPayments']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Payment, void, undefined> {
    return this.each<Payment, Awaited<ReturnType<Client['listPayments']>>>(
      (cursor) => this.listPayments({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read one attempt to move money: http://127.0.0.1:3000/developers/reference/payments#getPayment */
  getPayment(input: { paymentId: string }, options: CallOptions = {}): Promise<Payment> {
    return this.call({ method: 'GET', path: '/api/v1/payments/{paymentId}' }, input, options);
  }

  /** Refund one payment, whole or in part: http://127.0.0.1:3000/developers/reference/payments#refundPayment */
  refundPayment(input: { paymentId: string; body?: PaymentRefundCreate | undefined }, options: CallOptions = {}): Promise<PaymentRefund> {
    return this.call({ method: 'POST', path: '/api/v1/payments/{paymentId}/refund', isKeyed: true }, input, options);
  }

  /** Which processor charges buyers: http://127.0.0.1:3000/developers/reference/payments#getPaymentProcessor */
  getPaymentProcessor(options: CallOptions = {}): Promise<PaymentProcessor> {
    return this.call({ method: 'GET', path: '/api/v1/payment-processor' }, {}, options);
  }

  /** Choose the processor: http://127.0.0.1:3000/developers/reference/payments#putPaymentProcessor */
  putPaymentProcessor(input: { body: PaymentProcessorPut }, options: CallOptions = {}): Promise<PaymentProcessor> {
    return this.call({ method: 'PUT', path: '/api/v1/payment-processor' }, input, options);
  }

  /** Read the appearance of a seller’s pages: http://127.0.0.1:3000/developers/reference/checkout#getSeller */
  getSeller(input: { handle: string }, options: CallOptions = {}): Promise<Seller> {
    return this.call({ method: 'GET', path: '/api/checkout/sellers/{handle}' }, input, options);
  }

  /** List what a seller has on sale: http://127.0.0.1:3000/developers/reference/checkout#listShopProducts */
  listShopProducts(input: { handle: string; query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined }, options: CallOptions = {}): Promise<{
    data: ShownProduct[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/checkout/sellers/{handle}/products' }, input, options);
  }
  /** Each entry of `listShopProducts`, page by page. */
  iterateShopProducts(input: Parameters<Client['listShopProducts']>[0], options: CallOptions = {}): AsyncGenerator<ShownProduct, void, undefined> {
    return this.each<ShownProduct, Awaited<ReturnType<Client['listShopProducts']>>>(
      (cursor) => this.listShopProducts({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read what a product’s page shows, and what a choice costs: http://127.0.0.1:3000/developers/reference/checkout#getOffer */
  getOffer(input: { handle: string; slug: string; query?: {
      /** Ids of the chosen order bumps, separated by commas. */
      bumpIds?: string | undefined;
      /** As the buyer typed it. */
      discountCode?: string | undefined;
      /** Of the affiliate who sent the buyer. */
      affiliateCode?: string | undefined;
    } | undefined }, options: CallOptions = {}): Promise<CheckoutOffer> {
    return this.call({ method: 'GET', path: '/api/checkout/offers/{handle}/{slug}' }, input, options);
  }

  /** Count a visitor of a product’s page: http://127.0.0.1:3000/developers/reference/checkout#recordVisit */
  recordVisit(input: { body: CheckoutVisit }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'POST', path: '/api/checkout/visits' }, input, options);
  }

  /** Open a checkout for a product: http://127.0.0.1:3000/developers/reference/checkout#openCheckout */
  openCheckout(input: { body: CheckoutOpen }, options: CallOptions = {}): Promise<CheckoutOpened> {
    return this.call({ method: 'POST', path: '/api/checkout', isKeyed: true }, input, options);
  }

  /** Restore the checkout of a reminder’s link: http://127.0.0.1:3000/developers/reference/checkout#restoreCheckout */
  restoreCheckout(input: { body: CheckoutRestore }, options: CallOptions = {}): Promise<CheckoutOpened> {
    return this.call({ method: 'POST', path: '/api/checkout/restore', isKeyed: true }, input, options);
  }

  /** Read a checkout: http://127.0.0.1:3000/developers/reference/checkout#getCheckout */
  getCheckout(input: { checkoutId: string }, options: CallOptions = {}): Promise<Checkout> {
    return this.call({ method: 'GET', path: '/api/checkout/{checkoutId}' }, input, options);
  }

  /** Change what the buyer has filled in or chosen: http://127.0.0.1:3000/developers/reference/checkout#updateCheckout */
  updateCheckout(input: { checkoutId: string; body: CheckoutUpdate }, options: CallOptions = {}): Promise<Checkout> {
    return this.call({ method: 'PATCH', path: '/api/checkout/{checkoutId}' }, input, options);
  }

  /** Pay a checkout: http://127.0.0.1:3000/developers/reference/checkout#payCheckout */
  payCheckout(input: { checkoutId: string; body: CheckoutPay }, options: CallOptions = {}): Promise<CheckoutOutcome> {
    return this.call({ method: 'POST', path: '/api/checkout/{checkoutId}/pay', isKeyed: true }, input, options);
  }

  /** Get the state of a payment: http://127.0.0.1:3000/developers/reference/checkout#continueCheckout */
  continueCheckout(input: { checkoutId: string }, options: CallOptions = {}): Promise<CheckoutOutcome> {
    return this.call({ method: 'POST', path: '/api/checkout/{checkoutId}/continue', isKeyed: true }, input, options);
  }

  /** Accept or decline the upsell: http://127.0.0.1:3000/developers/reference/checkout#decideUpsell */
  decideUpsell(input: { checkoutId: string; body: CheckoutUpsell }, options: CallOptions = {}): Promise<CheckoutOutcome> {
    return this.call({ method: 'POST', path: '/api/checkout/{checkoutId}/upsell', isKeyed: true }, input, options);
  }

  /** Read whose reminders a link ends: http://127.0.0.1:3000/developers/reference/checkout#getOptOut */
  getOptOut(input: { token: string }, options: CallOptions = {}): Promise<OptOut> {
    return this.call({ method: 'GET', path: '/api/checkout/opt-outs/{token}' }, input, options);
  }

  /** End a seller’s reminders to a buyer: http://127.0.0.1:3000/developers/reference/checkout#optOut */
  optOut(input: { token: string }, options: CallOptions = {}): Promise<OptOut> {
    return this.call({ method: 'POST', path: '/api/checkout/opt-outs/{token}' }, input, options);
  }

  /** Get the words of a withdrawal from a contract: http://127.0.0.1:3000/developers/reference/withdrawals#requestWithdrawal */
  requestWithdrawal(input: { body: WithdrawalRequest }, options: CallOptions = {}): Promise<WithdrawalDraft> {
    return this.call({ method: 'POST', path: '/api/withdrawals' }, input, options);
  }

  /** Withdraw from a contract: http://127.0.0.1:3000/developers/reference/withdrawals#confirmWithdrawal */
  confirmWithdrawal(input: { body: WithdrawalRequest }, options: CallOptions = {}): Promise<WithdrawalReceipt> {
    return this.call({ method: 'POST', path: '/api/withdrawals/confirm', isKeyed: true }, input, options);
  }

  /** List withdrawals from contracts, newest first: http://127.0.0.1:3000/developers/reference/withdrawals#listWithdrawals */
  listWithdrawals(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only those with this status. */
      status?: "requested" | "accepted" | "declined" | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Withdrawal[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/withdrawals' }, input, options);
  }
  /** Each entry of `listWithdrawals`, page by page. */
  iterateWithdrawals(input: Parameters<Client['listWithdrawals']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Withdrawal, void, undefined> {
    return this.each<Withdrawal, Awaited<ReturnType<Client['listWithdrawals']>>>(
      (cursor) => this.listWithdrawals({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Accept or decline a withdrawal: http://127.0.0.1:3000/developers/reference/withdrawals#closeWithdrawal */
  closeWithdrawal(input: { withdrawalId: string; body: WithdrawalClose }, options: CallOptions = {}): Promise<Withdrawal> {
    return this.call({ method: 'POST', path: '/api/v1/withdrawals/{withdrawalId}/close', isKeyed: true }, input, options);
  }

  /** List subscriptions, newest first: http://127.0.0.1:3000/developers/reference/subscriptions#listSubscriptions */
  listSubscriptions(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only those with this status. */
      status?: "active" | "past_due" | "paused" | "canceled" | undefined;
      /** Only those that the platform charges, or that are charged elsewhere. */
      collection?: "automatic" | "external" | undefined;
      /** Only those of this product. */
      productId?: string | undefined;
      /** Only those of the buyer with this address, in upper or lower case. */
      email?: string | undefined;
      /** `true`: only those of rehearsals. */
      test?: "true" | "false" | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Subscription[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/subscriptions' }, input, options);
  }
  /** Each entry of `listSubscriptions`, page by page. */
  iterateSubscriptions(input: Parameters<Client['listSubscriptions']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Subscription, void, undefined> {
    return this.each<Subscription, Awaited<ReturnType<Client['listSubscriptions']>>>(
      (cursor) => this.listSubscriptions({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read one subscription with its periods and payments: http://127.0.0.1:3000/developers/reference/subscriptions#getSubscription */
  getSubscription(input: { subscriptionId: string }, options: CallOptions = {}): Promise<SubscriptionWithHistory> {
    return this.call({ method: 'GET', path: '/api/v1/subscriptions/{subscriptionId}' }, input, options);
  }

  /** Cancel a subscription, now or at the end of its period: http://127.0.0.1:3000/developers/reference/subscriptions#cancelSubscription */
  cancelSubscription(input: { subscriptionId: string; body?: SubscriptionCancellation | undefined }, options: CallOptions = {}): Promise<ChangedSubscription> {
    return this.call({ method: 'POST', path: '/api/v1/subscriptions/{subscriptionId}/cancel', isKeyed: true }, input, options);
  }

  /** Take back a cancellation for the end of the period: http://127.0.0.1:3000/developers/reference/subscriptions#keepSubscription */
  keepSubscription(input: { subscriptionId: string }, options: CallOptions = {}): Promise<ChangedSubscription> {
    return this.call({ method: 'POST', path: '/api/v1/subscriptions/{subscriptionId}/keep', isKeyed: true }, input, options);
  }

  /** Pause a subscription: http://127.0.0.1:3000/developers/reference/subscriptions#pauseSubscription */
  pauseSubscription(input: { subscriptionId: string }, options: CallOptions = {}): Promise<ChangedSubscription> {
    return this.call({ method: 'POST', path: '/api/v1/subscriptions/{subscriptionId}/pause', isKeyed: true }, input, options);
  }

  /** Resume a paused subscription: http://127.0.0.1:3000/developers/reference/subscriptions#resumeSubscription */
  resumeSubscription(input: { subscriptionId: string }, options: CallOptions = {}): Promise<ChangedSubscription> {
    return this.call({ method: 'POST', path: '/api/v1/subscriptions/{subscriptionId}/resume', isKeyed: true }, input, options);
  }

  /** Replace the card that renewals are charged to: http://127.0.0.1:3000/developers/reference/subscriptions#putPaymentMethod */
  putPaymentMethod(input: { subscriptionId: string; body: SubscriptionPaymentMethod }, options: CallOptions = {}): Promise<SubscriptionWithNewCard> {
    return this.call({ method: 'PUT', path: '/api/v1/subscriptions/{subscriptionId}/payment-method' }, input, options);
  }

  /** Send a buyer the email that opens the portal: http://127.0.0.1:3000/developers/reference/portal#requestPortalLink */
  requestPortalLink(input: { body: PortalLinkRequest }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'POST', path: '/api/portal/links' }, input, options);
  }

  /** Open the portal with the token of a link: http://127.0.0.1:3000/developers/reference/portal#openPortal */
  openPortal(input: { body: PortalOpen }, options: CallOptions = {}): Promise<PortalOpened> {
    return this.call({ method: 'POST', path: '/api/portal/sessions' }, input, options);
  }

  /** End the buyer’s session: http://127.0.0.1:3000/developers/reference/portal#closePortal */
  closePortal(options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/portal/sessions' }, {}, options);
  }

  /** List what the buyer has ordered, newest first: http://127.0.0.1:3000/developers/reference/portal#listPortalOrders */
  listPortalOrders(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: PortalOrder[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/portal/orders' }, input, options);
  }
  /** Each entry of `listPortalOrders`, page by page. */
  iteratePortalOrders(input: Parameters<Client['listPortalOrders']>[0] = {}, options: CallOptions = {}): AsyncGenerator<PortalOrder, void, undefined> {
    return this.each<PortalOrder, Awaited<ReturnType<Client['listPortalOrders']>>>(
      (cursor) => this.listPortalOrders({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read one order of the buyer, with what its receipt says: http://127.0.0.1:3000/developers/reference/portal#getPortalOrder */
  getPortalOrder(input: { orderId: string }, options: CallOptions = {}): Promise<PortalOrderWithReceipt> {
    return this.call({ method: 'GET', path: '/api/portal/orders/{orderId}' }, input, options);
  }

  /** List the buyer’s subscriptions, past due ones first: http://127.0.0.1:3000/developers/reference/portal#listPortalSubscriptions */
  listPortalSubscriptions(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: PortalSubscription[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/portal/subscriptions' }, input, options);
  }
  /** Each entry of `listPortalSubscriptions`, page by page. */
  iteratePortalSubscriptions(input: Parameters<Client['listPortalSubscriptions']>[0] = {}, options: CallOptions = {}): AsyncGenerator<PortalSubscription, void, undefined> {
    return this.each<PortalSubscription, Awaited<ReturnType<Client['listPortalSubscriptions']>>>(
      (cursor) => this.listPortalSubscriptions({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read one subscription of the buyer with its renewals: http://127.0.0.1:3000/developers/reference/portal#getPortalSubscription */
  getPortalSubscription(input: { subscriptionId: string }, options: CallOptions = {}): Promise<PortalSubscriptionWithHistory> {
    return this.call({ method: 'GET', path: '/api/portal/subscriptions/{subscriptionId}' }, input, options);
  }

  /** Cancel a subscription of the buyer, now or at the end of its period: http://127.0.0.1:3000/developers/reference/portal#cancelPortalSubscription */
  cancelPortalSubscription(input: { subscriptionId: string; body: PortalSubscriptionCancel }, options: CallOptions = {}): Promise<ChangedPortalSubscription> {
    return this.call({ method: 'POST', path: '/api/portal/subscriptions/{subscriptionId}/cancel', isKeyed: true }, input, options);
  }

  /** Take back a cancellation for the end of the period: http://127.0.0.1:3000/developers/reference/portal#keepPortalSubscription */
  keepPortalSubscription(input: { subscriptionId: string }, options: CallOptions = {}): Promise<ChangedPortalSubscription> {
    return this.call({ method: 'POST', path: '/api/portal/subscriptions/{subscriptionId}/keep', isKeyed: true }, input, options);
  }

  /** Pause a subscription of the buyer: http://127.0.0.1:3000/developers/reference/portal#pausePortalSubscription */
  pausePortalSubscription(input: { subscriptionId: string }, options: CallOptions = {}): Promise<ChangedPortalSubscription> {
    return this.call({ method: 'POST', path: '/api/portal/subscriptions/{subscriptionId}/pause', isKeyed: true }, input, options);
  }

  /** Resume a paused subscription of the buyer: http://127.0.0.1:3000/developers/reference/portal#resumePortalSubscription */
  resumePortalSubscription(input: { subscriptionId: string }, options: CallOptions = {}): Promise<ChangedPortalSubscription> {
    return this.call({ method: 'POST', path: '/api/portal/subscriptions/{subscriptionId}/resume', isKeyed: true }, input, options);
  }

  /** Replace the card of a subscription of the buyer: http://127.0.0.1:3000/developers/reference/portal#putPortalPaymentMethod */
  putPortalPaymentMethod(input: { subscriptionId: string; body: PortalPaymentMethodPut }, options: CallOptions = {}): Promise<PortalSubscriptionWithNewCard> {
    return this.call({ method: 'PUT', path: '/api/portal/subscriptions/{subscriptionId}/payment-method' }, input, options);
  }

  /** Get the state of a subscription’s newest card: http://127.0.0.1:3000/developers/reference/portal#continuePortalPaymentMethod */
  continuePortalPaymentMethod(input: { subscriptionId: string }, options: CallOptions = {}): Promise<PortalSubscriptionWithNewCard> {
    return this.call({ method: 'POST', path: '/api/portal/subscriptions/{subscriptionId}/payment-method/continue', isKeyed: true }, input, options);
  }

  /** Make a link that opens the portal for a buyer: http://127.0.0.1:3000/developers/reference/portal#createPortalLink */
  createPortalLink(input: { body: PortalLinkCreate }, options: CallOptions = {}): Promise<PortalLinkCreated> {
    return this.call({ method: 'POST', path: '/api/v1/portal-links', isKeyed: true }, input, options);
  }

  /** List affiliates, newest first: http://127.0.0.1:3000/developers/reference/affiliates#listAffiliates */
  listAffiliates(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: AffiliateWithBalances[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/affiliates' }, input, options);
  }
  /** Each entry of `listAffiliates`, page by page. */
  iterateAffiliates(input: Parameters<Client['listAffiliates']>[0] = {}, options: CallOptions = {}): AsyncGenerator<AffiliateWithBalances, void, undefined> {
    return this.each<AffiliateWithBalances, Awaited<ReturnType<Client['listAffiliates']>>>(
      (cursor) => this.listAffiliates({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Add an affiliate: http://127.0.0.1:3000/developers/reference/affiliates#createAffiliate */
  createAffiliate(input: { body: AffiliateCreate }, options: CallOptions = {}): Promise<Affiliate> {
    return this.call({ method: 'POST', path: '/api/v1/affiliates', isKeyed: true }, input, options);
  }

  /** Read one affiliate: http://127.0.0.1:3000/developers/reference/affiliates#getAffiliate */
  getAffiliate(input: { code: string }, options: CallOptions = {}): Promise<AffiliateWithBalances> {
    return this.call({ method: 'GET', path: '/api/v1/affiliates/{code}' }, input, options);
  }

  /** Change an affiliate: http://127.0.0.1:3000/developers/reference/affiliates#updateAffiliate */
  updateAffiliate(input: { code: string; body: AffiliateUpdate }, options: CallOptions = {}): Promise<Affiliate> {
    return this.call({ method: 'PATCH', path: '/api/v1/affiliates/{code}' }, input, options);
  }

  /** List an affiliate’s commissions, newest first: http://127.0.0.1:3000/developers/reference/affiliates#listCommissions */
  listCommissions(input: { code: string; query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined }, options: CallOptions = {}): Promise<{
    data: Commission[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/affiliates/{code}/commissions' }, input, options);
  }
  /** Each entry of `listCommissions`, page by page. */
  iterateCommissions(input: Parameters<Client['listCommissions']>[0], options: CallOptions = {}): AsyncGenerator<Commission, void, undefined> {
    return this.each<Commission, Awaited<ReturnType<Client['listCommissions']>>>(
      (cursor) => this.listCommissions({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read an affiliate’s statement: what was earned, taken back and paid, newest first: http://127.0.0.1:3000/developers/reference/affiliates#getAffiliateStatement */
  getAffiliateStatement(input: { code: string; query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. */
      before?: string | undefined;
    } | undefined }, options: CallOptions = {}): Promise<{
    balances: {
      /** Lower-case ISO 4217 code, such as `usd`. */
      currency: string;
      /** Commissions whose hold is not over. Minor units: 4900 is 49.00. */
      pending_cents: number;
      /** What a payout would pay now. Minor units: 4900 is 49.00. */
      due_cents: number;
      /** Minor units: 4900 is 49.00. */
      paid_cents: number;
    }[];
    data: {
      id: string;
      kind: "commission" | "void" | "clawback" | "payout";
      order_id: string | null;
      payout_id: string | null;
      /** Negative for what was taken back or paid. Minor units: 4900 is 49.00. */
      amount_cents: number;
      /** What the affiliate was owed after this line. Minor units: 4900 is 49.00. */
      balance_cents: number;
      /** Lower-case ISO 4217 code, such as `usd`. */
      currency: string;
      created_at: string;
    }[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more: boolean;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/affiliates/{code}/statement' }, input, options);
  }
  /** Each entry of `getAffiliateStatement`, page by page. */
  iterateAffiliateStatement(input: Parameters<Client['getAffiliateStatement']>[0], options: CallOptions = {}): AsyncGenerator<{
    id: string;
    kind: "commission" | "void" | "clawback" | "payout";
    order_id: string | null;
    payout_id: string | null;
    /** Negative for what was taken back or paid. Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** What the affiliate was owed after this line. Minor units: 4900 is 49.00. */
    balance_cents: number;
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    created_at: string;
  }, void, undefined> {
    return this.each<{
    id: string;
    kind: "commission" | "void" | "clawback" | "payout";
    order_id: string | null;
    payout_id: string | null;
    /** Negative for what was taken back or paid. Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** What the affiliate was owed after this line. Minor units: 4900 is 49.00. */
    balance_cents: number;
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    created_at: string;
  }, Awaited<ReturnType<Client['getAffiliateStatement']>>>(
      (cursor) => this.getAffiliateStatement({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Record a payout of everything that is due to an affiliate: http://127.0.0.1:3000/developers/reference/affiliates#createPayout */
  createPayout(input: { code: string; query?: {
      /** Pay commissions too whose hold is not over. */
      includePending?: boolean | undefined;
    } | undefined; body?: PayoutCreate | undefined }, options: CallOptions = {}): Promise<Payout> {
    return this.call({ method: 'POST', path: '/api/v1/affiliates/{code}/payouts', isKeyed: true }, input, options);
  }

  /** List payouts, newest first: http://127.0.0.1:3000/developers/reference/affiliates#listPayouts */
  listPayouts(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** The affiliate’s code, in upper or lower case. */
      code?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Payout[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/payouts' }, input, options);
  }
  /** Each entry of `listPayouts`, page by page. */
  iteratePayouts(input: Parameters<Client['listPayouts']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Payout, void, undefined> {
    return this.each<Payout, Awaited<ReturnType<Client['listPayouts']>>>(
      (cursor) => this.listPayouts({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read the numbers of all products over a span of days: http://127.0.0.1:3000/developers/reference/metrics#getOverview */
  getOverview(input: { query?: {
      /** First day of the span, UTC; left out, 29 days before `to`. */
      from?: string | undefined;
      /** Last day, UTC, today at the latest; left out, today. At most 366 days with `from`, and 3660 by month. */
      to?: string | undefined;
      /** What a point of the series is; left out, a day. */
      by?: "day" | "month" | undefined;
      /** How many products at most. */
      limit?: number | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<Overview> {
    return this.call({ method: 'GET', path: '/api/v1/overview' }, input, options);
  }

  /** Read how many subscriptions stay, by the month of their start: http://127.0.0.1:3000/developers/reference/metrics#getRetention */
  getRetention(input: { query?: {
      /** Months of start, the current one the last; left out, 12. */
      months?: number | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<Retention> {
    return this.call({ method: 'GET', path: '/api/v1/retention' }, input, options);
  }

  /** Read what the payment processor kept over a span of days: http://127.0.0.1:3000/developers/reference/metrics#getFees */
  getFees(input: { query?: {
      /** First day of the span, UTC; left out, 29 days before `to`. */
      from?: string | undefined;
      /** Last day, UTC, of payments and of disputes; left out, today. At most 366 days with `from`. */
      to?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<FeeSums> {
    return this.call({ method: 'GET', path: '/api/v1/fees' }, input, options);
  }

  /** Read a product’s sales metrics: http://127.0.0.1:3000/developers/reference/metrics#getMetrics */
  getMetrics(input: { productId: string }, options: CallOptions = {}): Promise<Metrics> {
    return this.call({ method: 'GET', path: '/api/metrics/{productId}' }, input, options);
  }

  /** Read one number of a product month by month: http://127.0.0.1:3000/developers/reference/metrics#getMetricSeries */
  getMetricSeries(input: { productId: string; query: {
      /** Which number. */
      metric: "revenueCents" | "orders" | "aovCents" | "bumpTakeRate" | "upsellTakeRate" | "activeSubscriptions" | "mrrCents" | "refunds" | "refundedCents" | "refundRate" | "views" | "conversionRate" | "customers" | "churn";
      /** First month, UTC; left out, 11 months before `to`. */
      from?: string | undefined;
      /** Last month, the current one at the latest; left out, that. At most 120 with `from`. */
      to?: string | undefined;
    } }, options: CallOptions = {}): Promise<MetricSeries> {
    return this.call({ method: 'GET', path: '/api/metrics/{productId}/series' }, input, options);
  }

  /** Explain a number: its formula and the facts behind it: http://127.0.0.1:3000/developers/reference/metrics#explainMetric */
  explainMetric(input: { productId: string; query: {
      /** Which number. */
      metric: "revenueCents" | "orders" | "aovCents" | "bumpTakeRate" | "upsellTakeRate" | "activeSubscriptions" | "mrrCents" | "refunds" | "refundedCents" | "refundRate" | "views" | "conversionRate" | "customers" | "churn";
      /** `YYYY-MM`, the current one at the latest; left out, the whole time. `churn` needs it. */
      month?: string | undefined;
      /** How many at most. */
      limit?: number | undefined;
      /** The `next` of the page before. */
      after?: string | undefined;
    } }, options: CallOptions = {}): Promise<MetricExplanation> {
    return this.call({ method: 'GET', path: '/api/metrics/{productId}/explain' }, input, options);
  }
  /** Each entry of `explainMetric`, page by page. */
  iterateExplainMetric(input: Parameters<Client['explainMetric']>[0], options: CallOptions = {}): AsyncGenerator<{
    id: string;
    /** What happened, such as `order_paid` or `subscription_rebilled`. */
    kind: string;
    /** The order or subscription, with the number of the refund or period after a slash; empty for a visit. */
    subject: string;
    occurred_at: string;
    /** Of its amounts; null for a visit. */
    currency: string | null;
    /** What it adds to each part. */
    values: Record<string, number>;
  }, void, undefined> {
    return this.each<{
    id: string;
    /** What happened, such as `order_paid` or `subscription_rebilled`. */
    kind: string;
    /** The order or subscription, with the number of the refund or period after a slash; empty for a visit. */
    subject: string;
    occurred_at: string;
    /** Of its amounts; null for a visit. */
    currency: string | null;
    /** What it adds to each part. */
    values: Record<string, number>;
  }, Awaited<ReturnType<Client['explainMetric']>>>(
      (cursor) => this.explainMetric({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { after: cursor }) } }, options),
      (page) => page.next,
    );
  }

  /** Read the connected webhook URL: http://127.0.0.1:3000/developers/reference/webhooks#getWebhookEndpoint */
  getWebhookEndpoint(options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.call({ method: 'GET', path: '/api/v1/webhook-endpoint' }, {}, options);
  }

  /** Connect a webhook URL, or change the connected one: http://127.0.0.1:3000/developers/reference/webhooks#putWebhookEndpoint */
  putWebhookEndpoint(input: { body: WebhookEndpointPut }, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.call({ method: 'PUT', path: '/api/v1/webhook-endpoint' }, input, options);
  }

  /** Disconnect the webhook URL: http://127.0.0.1:3000/developers/reference/webhooks#deleteWebhookEndpoint */
  deleteWebhookEndpoint(options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/webhook-endpoint' }, {}, options);
  }

  /** List the webhook URLs, the one of `/api/v1/webhook-endpoint` first: http://127.0.0.1:3000/developers/reference/webhooks#listWebhookEndpoints */
  listWebhookEndpoints(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: WebhookEndpoint[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/webhook-endpoints' }, input, options);
  }
  /** Each entry of `listWebhookEndpoints`, page by page. */
  iterateWebhookEndpoints(input: Parameters<Client['listWebhookEndpoints']>[0] = {}, options: CallOptions = {}): AsyncGenerator<WebhookEndpoint, void, undefined> {
    return this.each<WebhookEndpoint, Awaited<ReturnType<Client['listWebhookEndpoints']>>>(
      (cursor) => this.listWebhookEndpoints({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Connect a further webhook URL: http://127.0.0.1:3000/developers/reference/webhooks#createWebhookEndpoint */
  createWebhookEndpoint(input: { body: WebhookEndpointCreate }, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.call({ method: 'POST', path: '/api/v1/webhook-endpoints', isKeyed: true }, input, options);
  }

  /** Read one webhook URL: http://127.0.0.1:3000/developers/reference/webhooks#readWebhookEndpoint */
  readWebhookEndpoint(input: { endpointId: string }, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.call({ method: 'GET', path: '/api/v1/webhook-endpoints/{endpointId}' }, input, options);
  }

  /** Change a webhook URL: http://127.0.0.1:3000/developers/reference/webhooks#updateWebhookEndpoint */
  updateWebhookEndpoint(input: { endpointId: string; body: WebhookEndpointUpdate }, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.call({ method: 'PATCH', path: '/api/v1/webhook-endpoints/{endpointId}' }, input, options);
  }

  /** Disconnect a webhook URL by its id: http://127.0.0.1:3000/developers/reference/webhooks#removeWebhookEndpoint */
  removeWebhookEndpoint(input: { endpointId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/webhook-endpoints/{endpointId}' }, input, options);
  }

  /** Replace the signing secret: http://127.0.0.1:3000/developers/reference/webhooks#rotateWebhookSecret */
  rotateWebhookSecret(input: { endpointId: string; body?: WebhookSecretRotate | undefined }, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.call({ method: 'POST', path: '/api/v1/webhook-endpoints/{endpointId}/rotate-secret', isKeyed: true }, input, options);
  }

  /** Send a sample of an event to one endpoint: http://127.0.0.1:3000/developers/reference/webhooks#sendTestWebhook */
  sendTestWebhook(input: { endpointId: string; body: WebhookTest }, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.call({ method: 'POST', path: '/api/v1/webhook-endpoints/{endpointId}/test', isKeyed: true }, input, options);
  }

  /** Test whether an endpoint’s receiver checks what it gets: http://127.0.0.1:3000/developers/reference/webhooks#selfTestWebhook */
  selfTestWebhook(input: { endpointId: string }, options: CallOptions = {}): Promise<WebhookSelfTest> {
    return this.call({ method: 'POST', path: '/api/v1/webhook-endpoints/{endpointId}/self-test', isKeyed: true }, input, options);
  }

  /** Recent activity: every delivery attempt and every notice, newest first: http://127.0.0.1:3000/developers/reference/webhooks#listActivity */
  listActivity(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only those with this status. */
      status?: "delivered" | "failed" | "notice" | undefined;
      /** Name of the event. */
      event?: "order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested" | "endpoint.off" | "processor.key_refused" | undefined;
      /** The `webhook-id` that the receiver saw. */
      eventId?: string | undefined;
      /** Only those of this order. */
      orderId?: string | undefined;
      /** The buyer’s address in the payload, in upper or lower case. */
      email?: string | undefined;
      /** Only those of this endpoint or automation. */
      endpointId?: string | undefined;
      /** From this time on, which is included. */
      from?: string | undefined;
      /** Before this time, which is not included. */
      to?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: ActivityEntry[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/activity' }, input, options);
  }
  /** Each entry of `listActivity`, page by page. */
  iterateActivity(input: Parameters<Client['listActivity']>[0] = {}, options: CallOptions = {}): AsyncGenerator<ActivityEntry, void, undefined> {
    return this.each<ActivityEntry, Awaited<ReturnType<Client['listActivity']>>>(
      (cursor) => this.listActivity({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** List deliveries: each event on its way to each endpoint, newest first: http://127.0.0.1:3000/developers/reference/webhooks#listWebhookDeliveries */
  listWebhookDeliveries(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only those with this status. */
      status?: "pending" | "sending" | "delivered" | "held" | "failed" | "canceled" | "filtered" | undefined;
      /** Name of the event. */
      event?: "order.paid" | "order.refunded" | "order.reopened" | "order.expired" | "payment.refunded" | "dispute.opened" | "dispute.closed" | "upsell.accepted" | "subscription.rebilled" | "subscription.payment_failed" | "subscription.canceled" | "subscription.paused" | "subscription.resumed" | "affiliate.paid" | "funnel.email.sync" | "withdrawal.requested" | "endpoint.off" | "processor.key_refused" | undefined;
      /** The `webhook-id` that the receiver saw. */
      eventId?: string | undefined;
      /** Only those of this order. */
      orderId?: string | undefined;
      /** The buyer’s address in the payload, in upper or lower case. */
      email?: string | undefined;
      /** Only those of this endpoint or automation. */
      endpointId?: string | undefined;
      /** From this time on, which is included. */
      from?: string | undefined;
      /** Before this time, which is not included. */
      to?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: WebhookDelivery[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/webhook-deliveries' }, input, options);
  }
  /** Each entry of `listWebhookDeliveries`, page by page. */
  iterateWebhookDeliveries(input: Parameters<Client['listWebhookDeliveries']>[0] = {}, options: CallOptions = {}): AsyncGenerator<WebhookDelivery, void, undefined> {
    return this.each<WebhookDelivery, Awaited<ReturnType<Client['listWebhookDeliveries']>>>(
      (cursor) => this.listWebhookDeliveries({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read one delivery with its attempts, their answers and the payload: http://127.0.0.1:3000/developers/reference/webhooks#getWebhookDelivery */
  getWebhookDelivery(input: { deliveryId: string }, options: CallOptions = {}): Promise<WebhookDeliveryDetail> {
    return this.call({ method: 'GET', path: '/api/v1/webhook-deliveries/{deliveryId}' }, input, options);
  }

  /** Read the account’s events in the order in which they were committed: http://127.0.0.1:3000/developers/reference/webhooks#listEvents */
  listEvents(input: { query?: {
      /** The last id that you have read here, or one from well before a fault; not the `webhook-id` that came last. */
      after?: string | undefined;
      /** `desc`: backwards, from the newest. `asc` unless given. */
      order?: "asc" | "desc" | undefined;
      /** With `order=desc`: the last id of the page before. */
      before?: string | undefined;
      /** How many at most. */
      limit?: number | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: LoggedEvent[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more: boolean;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/events' }, input, options);
  }
  /** Each entry of `listEvents`, page by page. */
  iterateEvents(input: Parameters<Client['listEvents']>[0] = {}, options: CallOptions = {}): AsyncGenerator<LoggedEvent, void, undefined> {
    return this.each<LoggedEvent, Awaited<ReturnType<Client['listEvents']>>>(
      (cursor) => this.listEvents({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { after: cursor }) } }, options),
      lastId,
    );
  }

  /** Send a delivery again: http://127.0.0.1:3000/developers/reference/webhooks#redeliverWebhook */
  redeliverWebhook(input: { deliveryId: string }, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.call({ method: 'POST', path: '/api/v1/webhook-deliveries/{deliveryId}/redeliver', isKeyed: true }, input, options);
  }

  /** Send everything of a time again to an endpoint: http://127.0.0.1:3000/developers/reference/webhooks#recoverWebhooks */
  recoverWebhooks(input: { endpointId: string; body: WebhookRecover }, options: CallOptions = {}): Promise<WebhookRecovery> {
    return this.call({ method: 'POST', path: '/api/v1/webhook-endpoints/{endpointId}/recover', isKeyed: true }, input, options);
  }

  /** List recoveries, newest first: http://127.0.0.1:3000/developers/reference/webhooks#listWebhookRecoveries */
  listWebhookRecoveries(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only those of this endpoint or automation. */
      endpointId?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: WebhookRecovery[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/webhook-recoveries' }, input, options);
  }
  /** Each entry of `listWebhookRecoveries`, page by page. */
  iterateWebhookRecoveries(input: Parameters<Client['listWebhookRecoveries']>[0] = {}, options: CallOptions = {}): AsyncGenerator<WebhookRecovery, void, undefined> {
    return this.each<WebhookRecovery, Awaited<ReturnType<Client['listWebhookRecoveries']>>>(
      (cursor) => this.listWebhookRecoveries({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Read how far a recovery is: http://127.0.0.1:3000/developers/reference/webhooks#getWebhookRecovery */
  getWebhookRecovery(input: { recoveryId: string }, options: CallOptions = {}): Promise<WebhookRecovery> {
    return this.call({ method: 'GET', path: '/api/v1/webhook-recoveries/{recoveryId}' }, input, options);
  }

  /** Stop a recovery: http://127.0.0.1:3000/developers/reference/webhooks#cancelWebhookRecovery */
  cancelWebhookRecovery(input: { recoveryId: string }, options: CallOptions = {}): Promise<WebhookRecovery> {
    return this.call({ method: 'POST', path: '/api/v1/webhook-recoveries/{recoveryId}/cancel', isKeyed: true }, input, options);
  }

  /** List automations, the built-in ones first: http://127.0.0.1:3000/developers/reference/automations#listAutomations */
  listAutomations(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: Automation[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/automations' }, input, options);
  }
  /** Each entry of `listAutomations`, page by page. */
  iterateAutomations(input: Parameters<Client['listAutomations']>[0] = {}, options: CallOptions = {}): AsyncGenerator<Automation, void, undefined> {
    return this.each<Automation, Awaited<ReturnType<Client['listAutomations']>>>(
      (cursor) => this.listAutomations({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Add an automation: when an event happens, send an email or POST to a URL: http://127.0.0.1:3000/developers/reference/automations#createAutomation */
  createAutomation(input: { body: AutomationCreate }, options: CallOptions = {}): Promise<Automation> {
    return this.call({ method: 'POST', path: '/api/v1/automations', isKeyed: true }, input, options);
  }

  /** Read one automation: http://127.0.0.1:3000/developers/reference/automations#getAutomation */
  getAutomation(input: { automationId: string }, options: CallOptions = {}): Promise<Automation> {
    return this.call({ method: 'GET', path: '/api/v1/automations/{automationId}' }, input, options);
  }

  /** Change an automation, or switch it on or off: http://127.0.0.1:3000/developers/reference/automations#updateAutomation */
  updateAutomation(input: { automationId: string; body: AutomationUpdate }, options: CallOptions = {}): Promise<Automation> {
    return this.call({ method: 'PATCH', path: '/api/v1/automations/{automationId}' }, input, options);
  }

  /** Delete an automation of your own: http://127.0.0.1:3000/developers/reference/automations#deleteAutomation */
  deleteAutomation(input: { automationId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/automations/{automationId}' }, input, options);
  }

  /** Replace the signing secret of an automation that POSTs: http://127.0.0.1:3000/developers/reference/automations#rotateAutomationSecret */
  rotateAutomationSecret(input: { automationId: string; body?: WebhookSecretRotate | undefined }, options: CallOptions = {}): Promise<Automation> {
    return this.call({ method: 'POST', path: '/api/v1/automations/{automationId}/rotate-secret', isKeyed: true }, input, options);
  }

  /** See the email that a template makes of sample data: http://127.0.0.1:3000/developers/reference/automations#previewAutomation */
  previewAutomation(input: { body: AutomationPreview }, options: CallOptions = {}): Promise<AutomationPreviewed> {
    return this.call({ method: 'POST', path: '/api/v1/automations/preview' }, input, options);
  }

  /** Run an automation once with sample data: http://127.0.0.1:3000/developers/reference/automations#testAutomation */
  testAutomation(input: { automationId: string }, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.call({ method: 'POST', path: '/api/v1/automations/{automationId}/test', isKeyed: true }, input, options);
  }

  /** Run the daily collections job: http://127.0.0.1:3000/developers/reference/daily-job#runDailyJob */
  runDailyJob(input: { body?: DailyRunStart | undefined } = {}, options: CallOptions = {}): Promise<DailyResult> {
    return this.call({ method: 'POST', path: '/api/cron/daily', isKeyed: true }, input, options);
  }

  /** List past runs of the daily job, newest first: http://127.0.0.1:3000/developers/reference/daily-job#listDailyRuns */
  listDailyRuns(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    /** Since when a run is due each day: when the account was made, with the platform key the first one. Null without accounts. */
    due_since: string | null;
    /** When the deployment runs it next by itself, for every account; null where a scheduler of yours has to. */
    next_start_at: string | null;
    data: DailyRun[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/daily-runs' }, input, options);
  }
  /** Each entry of `listDailyRuns`, page by page. */
  iterateDailyRuns(input: Parameters<Client['listDailyRuns']>[0] = {}, options: CallOptions = {}): AsyncGenerator<DailyRun, void, undefined> {
    return this.each<DailyRun, Awaited<ReturnType<Client['listDailyRuns']>>>(
      (cursor) => this.listDailyRuns({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** What the daily job would do now: http://127.0.0.1:3000/developers/reference/daily-job#previewDailyRun */
  previewDailyRun(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** The `next` of the page before. */
      after?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<DailyRunPreview> {
    return this.call({ method: 'GET', path: '/api/v1/daily-runs/preview' }, input, options);
  }
  /** Each entry of `previewDailyRun`, page by page. */
  iteratePreviewDailyRun(input: Parameters<Client['previewDailyRun']>[0] = {}, options: CallOptions = {}): AsyncGenerator<{
    kind: "renewal" | "retry" | "cancellation" | "settlement" | "look_up" | "reminder";
    /** Of the subscription, the order, the payment or the checkout. */
    id: string;
    customer_email: string;
    product_name: string;
    /** What would be charged or captured, with an accepted upsell; of a look-up what it charges if the processor never got the payment, 0 for a payment of the buyer’s own; 0 for a cancellation and a reminder. Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    due_at: string;
    /** The number of the attempt, for a renewal and a retry. */
    attempt: number | null;
  }, void, undefined> {
    return this.each<{
    kind: "renewal" | "retry" | "cancellation" | "settlement" | "look_up" | "reminder";
    /** Of the subscription, the order, the payment or the checkout. */
    id: string;
    customer_email: string;
    product_name: string;
    /** What would be charged or captured, with an accepted upsell; of a look-up what it charges if the processor never got the payment, 0 for a payment of the buyer’s own; 0 for a cancellation and a reminder. Minor units: 4900 is 49.00. */
    amount_cents: number;
    /** Lower-case ISO 4217 code, such as `usd`. */
    currency: string;
    due_at: string;
    /** The number of the attempt, for a renewal and a retry. */
    attempt: number | null;
  }, Awaited<ReturnType<Client['previewDailyRun']>>>(
      (cursor) => this.previewDailyRun({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { after: cursor }) } }, options),
      (page) => page.next,
    );
  }

  /** Read one run of the daily job: http://127.0.0.1:3000/developers/reference/daily-job#getDailyRun */
  getDailyRun(input: { runId: string }, options: CallOptions = {}): Promise<DailyRun> {
    return this.call({ method: 'GET', path: '/api/v1/daily-runs/{runId}' }, input, options);
  }

  /** Read the time of the account’s rehearsals: http://127.0.0.1:3000/developers/reference/rehearsals#getRehearsal */
  getRehearsal(options: CallOptions = {}): Promise<Rehearsal> {
    return this.call({ method: 'GET', path: '/api/v1/rehearsal' }, {}, options);
  }

  /** Let days pass for the account’s rehearsals: http://127.0.0.1:3000/developers/reference/rehearsals#advanceRehearsal */
  advanceRehearsal(input: { body: RehearsalAdvance }, options: CallOptions = {}): Promise<RehearsalResult> {
    return this.call({ method: 'POST', path: '/api/v1/rehearsal/advance', isKeyed: true }, input, options);
  }

  /** Read the account’s settings: http://127.0.0.1:3000/developers/reference/settings#getSettings */
  getSettings(options: CallOptions = {}): Promise<Settings> {
    return this.call({ method: 'GET', path: '/api/v1/settings' }, {}, options);
  }

  /** Change settings by name: http://127.0.0.1:3000/developers/reference/settings#updateSettings */
  updateSettings(input: { body: SettingsUpdate }, options: CallOptions = {}): Promise<Settings> {
    return this.call({ method: 'PATCH', path: '/api/v1/settings' }, input, options);
  }

  /** Send the email once more that `supportEmailPending` confirms with: http://127.0.0.1:3000/developers/reference/settings#requestSupportEmailVerification */
  requestSupportEmailVerification(options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'POST', path: '/api/v1/settings/support-email/verification', isKeyed: true }, {}, options);
  }

  /** Confirm an address for support with the token of the email: http://127.0.0.1:3000/developers/reference/settings#confirmSupportEmail */
  confirmSupportEmail(input: { body: SupportEmailConfirmation }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'POST', path: '/api/auth/support-email/redeem' }, input, options);
  }

  /** List the account’s API keys, newest first: http://127.0.0.1:3000/developers/reference/api-keys#listApiKeys */
  listApiKeys(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: ApiKey[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/api-keys' }, input, options);
  }
  /** Each entry of `listApiKeys`, page by page. */
  iterateApiKeys(input: Parameters<Client['listApiKeys']>[0] = {}, options: CallOptions = {}): AsyncGenerator<ApiKey, void, undefined> {
    return this.each<ApiKey, Awaited<ReturnType<Client['listApiKeys']>>>(
      (cursor) => this.listApiKeys({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Revoke an API key: http://127.0.0.1:3000/developers/reference/api-keys#revokeApiKey */
  revokeApiKey(input: { keyId: string }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'DELETE', path: '/api/v1/api-keys/{keyId}' }, input, options);
  }

  /** Replace an API key: http://127.0.0.1:3000/developers/reference/api-keys#rotateApiKey */
  rotateApiKey(input: { keyId: string; body?: ApiKeyRotate | undefined }, options: CallOptions = {}): Promise<ApiKeyCreated> {
    return this.call({ method: 'POST', path: '/api/v1/api-keys/{keyId}/rotate', isKeyed: true }, input, options);
  }

  /** List who did what in the account, newest first: http://127.0.0.1:3000/developers/reference/audit-log#listAuditEntries */
  listAuditEntries(input: { query?: {
      /** How many at most. */
      limit?: number | undefined;
      /** Id of the last one of the page before. It may have left the filters since. */
      before?: string | undefined;
      /** Only entries about this. */
      kind?: "log_in" | "api_key" | "settings" | "processor" | "webhook" | "automation" | "refund" | "withdrawal" | "payout" | "export" | "daily_job" | "portal_link" | undefined;
    } | undefined } = {}, options: CallOptions = {}): Promise<{
    data: AuditEntry[];
    /** Whether older ones follow: send the last id as `before`. */
    has_more?: boolean | undefined;
  }> {
    return this.call({ method: 'GET', path: '/api/v1/audit-log' }, input, options);
  }
  /** Each entry of `listAuditEntries`, page by page. */
  iterateAuditEntries(input: Parameters<Client['listAuditEntries']>[0] = {}, options: CallOptions = {}): AsyncGenerator<AuditEntry, void, undefined> {
    return this.each<AuditEntry, Awaited<ReturnType<Client['listAuditEntries']>>>(
      (cursor) => this.listAuditEntries({ ...input, query: { limit: 100, ...input.query, ...(cursor !== undefined && { before: cursor }) } }, options),
      lastId,
    );
  }

  /** Make an account and log in to it: http://127.0.0.1:3000/developers/reference/log-in#signUp */
  signUp(input: { body: SignUp }, options: CallOptions = {}): Promise<SignedUp> {
    return this.call({ method: 'POST', path: '/api/auth/signup', isKeyed: true }, input, options);
  }

  /** Log in: http://127.0.0.1:3000/developers/reference/log-in#logIn */
  logIn(input: { body: Login }, options: CallOptions = {}): Promise<LoggedIn> {
    return this.call({ method: 'POST', path: '/api/auth/login' }, input, options);
  }

  /** Log in with the token of a link that the deployment printed: http://127.0.0.1:3000/developers/reference/log-in#logInByLink */
  logInByLink(input: { body: LoginLink }, options: CallOptions = {}): Promise<LoggedIn> {
    return this.call({ method: 'POST', path: '/api/auth/login-link/redeem' }, input, options);
  }

  /** Finish a log-in with a code or a passkey: http://127.0.0.1:3000/developers/reference/log-in#logInWithFactor */
  logInWithFactor(input: { body: LoginFactor }, options: CallOptions = {}): Promise<SignedUp> {
    return this.call({ method: 'POST', path: '/api/auth/login/factor' }, input, options);
  }

  /** Get a challenge for a passkey to sign: http://127.0.0.1:3000/developers/reference/log-in#createPasskeyChallenge */
  createPasskeyChallenge(options: CallOptions = {}): Promise<PasskeyChallenge> {
    return this.call({ method: 'POST', path: '/api/auth/passkeys/challenge' }, {}, options);
  }

  /** Read what account the link of an email is about: http://127.0.0.1:3000/developers/reference/log-in#readLetter */
  readLetter(input: { body: LetterRead }, options: CallOptions = {}): Promise<Letter> {
    return this.call({ method: 'POST', path: '/api/auth/letters/read' }, input, options);
  }

  /** Verify the account’s address with the token of the email: http://127.0.0.1:3000/developers/reference/log-in#verifyEmail */
  verifyEmail(input: { body: EmailVerification }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'POST', path: '/api/auth/verification/redeem' }, input, options);
  }

  /** Confirm a new address with the token of the email: http://127.0.0.1:3000/developers/reference/log-in#confirmEmail */
  confirmEmail(input: { body: EmailConfirmation }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'POST', path: '/api/auth/email/redeem' }, input, options);
  }

  /** Send an email with which a new password can be chosen: http://127.0.0.1:3000/developers/reference/log-in#requestPasswordReset */
  requestPasswordReset(input: { body: PasswordResetRequest }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'POST', path: '/api/auth/password-reset' }, input, options);
  }

  /** Choose a new password with the token of the email: http://127.0.0.1:3000/developers/reference/log-in#resetPassword */
  resetPassword(input: { body: PasswordReset }, options: CallOptions = {}): Promise<Ok> {
    return this.call({ method: 'POST', path: '/api/auth/password-reset/redeem' }, input, options);
  }
}

/** What every event has, delivered or read from the log. */
export interface EventFacts {
  /** The same on every attempt and in the log: drop what you have seen. */
  readonly id: string;
  /** Of a rehearsal, or a test send. */
  readonly isTest: boolean;
}

/** The events of this version, by name, with their payloads. */
export interface EventPayloads {
  /** An order is paid for */
  "order.paid": OrderPaidPayload;
  /** An order is refunded */
  "order.refunded": OrderRefundedPayload;
  /** A refund failed at the payment processor after it had been taken: the order is paid again */
  "order.reopened": OrderReopenedPayload;
  /** A held order ends unpaid: the hold was released, or it expired and charging the card instead failed */
  "order.expired": OrderExpiredPayload;
  /** A payment of an order, or a renewal, goes back, whole or in part; those of an order come before its `order.refunded` */
  "payment.refunded": PaymentRefundedPayload;
  /** The buyer’s bank disputes a payment of an order, or a renewal */
  "dispute.opened": DisputeOpenedPayload;
  /** A dispute ends; a lost one gives the buyer the money, and the order stays `paid` */
  "dispute.closed": DisputeClosedPayload;
  /** A buyer accepts the upsell after an order */
  "upsell.accepted": UpsellAcceptedPayload;
  /** A renewal is charged */
  "subscription.rebilled": SubscriptionRebilledPayload;
  /** A renewal is declined; it is tried again after 3 days, and the fourth failed attempt cancels */
  "subscription.payment_failed": SubscriptionPaymentFailedPayload;
  /** A subscription ends because the seller or the buyer canceled it, or with the refund of its order; after the last declined attempt only while the setting `cancellationNotices` is on */
  "subscription.canceled": SubscriptionCanceledPayload;
  /** The seller pauses a subscription */
  "subscription.paused": SubscriptionPausedPayload;
  /** The seller resumes a subscription */
  "subscription.resumed": SubscriptionResumedPayload;
  /** The seller records a payout to an affiliate */
  "affiliate.paid": AffiliatePaidPayload;
  /** A buyer, or whoever gives that name, withdraws from a contract by the shop’s page */
  "withdrawal.requested": WithdrawalRequestedPayload;
  /** A post-purchase email is pushed; one event for each email */
  "funnel.email.sync": FunnelEmailSyncPayload;
}

export type KnownEvent = { [Name in keyof EventPayloads]: EventFacts & { readonly name: Name; readonly payload: EventPayloads[Name] } }[keyof EventPayloads];

/** An event that a newer version has: its payload is kept as it came. */
export interface UnknownEvent extends EventFacts {
  readonly name: 'unknown';
  /** What the deployment calls it. */
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Told apart by `name`. */
export type WebhookEvent = KnownEvent | UnknownEvent;

const knownEvents: ReadonlySet<string> = new Set([
  "order.paid",
  "order.refunded",
  "order.reopened",
  "order.expired",
  "payment.refunded",
  "dispute.opened",
  "dispute.closed",
  "upsell.accepted",
  "subscription.rebilled",
  "subscription.payment_failed",
  "subscription.canceled",
  "subscription.paused",
  "subscription.resumed",
  "affiliate.paid",
  "withdrawal.requested",
  "funnel.email.sync",
]);

/** An entry of the log as an event; null where its payload is no longer kept. */
export function eventOf(logged: Pick<LoggedEvent, 'id' | 'test' | 'payload'> & { readonly event: string }): WebhookEvent | null {
  const { id, test: isTest, event, payload } = logged;
  if (payload === null) return null;
  if (!knownEvents.has(event)) return { name: 'unknown', event, id, isTest, payload };
  return { name: event, id, isTest, payload } as unknown as KnownEvent;
}

/**
 * The event of a delivery, once its signature and its time are right.
 * @param body as it came, before any JSON parser
 * @param secrets of the endpoint; while it is replaced, both
 * @throws SignatureError
 */
export async function verify(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: VerifyOptions,
): Promise<WebhookEvent> {
  const { id, isTest, text } = await verifiedText(body, headers, secrets, options);
  const payload = JSON.parse(text) as { readonly event: string } & Record<string, unknown>;
  return eventOf({ id, test: isTest, event: payload.event, payload }) as WebhookEvent;
}
