import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createArrivals } from '@app/testing/arrivals';
import { StripeBooks } from './books.ts';
import { cardNamed } from './cards.ts';
import { apiVersion, type Endpoint, endpointOf, formOf, prepareChecks } from './description.ts';
import { decide, endpoints, expanded } from './endpoints.ts';
import { type Answer, answerOnce, errorAnswer, type StripeAccount } from './kept-answers.ts';
import type { PaymentIntent, SetupIntent } from './objects.ts';
import { lackedBy, permissionDenied } from './permissions.ts';
import { invalid, StripeNo } from './stripe-error.ts';

export type { PaymentIntent, SetupIntent } from './objects.ts';

/** What goes wrong with a request: nothing is done (`…_before`), or the answer gets lost after the work (`…_after`). */
export type StripeFault =
  | 'rate_limited'
  /** The account may not charge at the moment. */
  | 'charges_disabled'
  /** It does not take its method as it is requested. */
  | 'type_not_allowed'
  | 'currency_refused'
  | 'amount_refused'
  | 'broken_before'
  | 'broken_after'
  | 'silent_before'
  | 'silent_after'
  | 'error_after'
  | 'html_after'
  /** Its work is done when `deliverLate` is called; its sender gets no answer. */
  | 'late'
  /** It arrives twice at once. */
  | 'doubled';

export interface StripeRequest {
  readonly method: string;
  /** As the description names it: `/v1/payment_intents/{intent}/capture`. */
  readonly path: string;
  readonly secretKey: string;
  /** Undefined for a request that reads. */
  readonly idempotencyKey: string | undefined;
  readonly parameters: Record<string, unknown>;
}

interface Key {
  readonly account: string;
  readonly isRevoked?: true;
  /** What a restricted key lacks. */
  readonly lacking?: readonly string[];
}
type Matches = (request: StripeRequest) => boolean;

/**
 * Stripe, as far as the adapter calls it: an outside party on loopback, with books, keys and rules of its own. Every request and
 * answer is checked against the description of Stripe's API.
 */
export class StripeStandIn {
  /** All that were accepted, in the order in which they came. */
  readonly requests: StripeRequest[] = [];
  /** Those whose key was refused: method and path as the description names it. */
  readonly refused: string[] = [];
  readonly #accounts = new Map<string, StripeAccount>();
  readonly #keys = new Map<string, Key>();
  readonly #faults: { readonly matches: Matches; readonly fault: StripeFault }[] = [];
  #late: (() => Promise<unknown>)[] = [];
  #isBusy = false;
  readonly #arrivals = createArrivals<string>();
  readonly #ownFaults: unknown[] = [];
  #disturbance: (request: StripeRequest) => StripeFault | undefined = () => undefined;
  readonly #clock: { nowMs(): number };
  readonly #server: Server;

  private constructor(clock: { nowMs(): number }) {
    this.#clock = clock;
    this.#server = createServer((incoming, response) => {
      this.#serve(incoming, response).catch((err: unknown) => this.#broken(response, err));
    });
  }

  static async start(clock: { nowMs(): number }): Promise<StripeStandIn> {
    prepareChecks(Object.keys(endpoints));
    const standIn = new StripeStandIn(clock);
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Keys of one Stripe account and mode have the same books. */
  booksOf(secretKey: string): StripeBooks {
    return this.#accountOf(secretKey).books;
  }

  /** Says whose key it is: a secret one that was never named is refused, a publishable one fits any account. */
  accept(secretKey: string, account = 'acct_1'): void {
    this.#keys.set(secretKey, { account });
  }

  revoke(secretKey: string): void {
    this.#keys.set(secretKey, { ...this.#keyOf(secretKey), isRevoked: true });
  }

  /** @param lacking Stripe's names of permissions, or paths as the description names them */
  restrict(secretKey: string, lacking: readonly string[]): void {
    this.#keys.set(secretKey, { ...this.#keyOf(secretKey), lacking });
  }

  #keyOf(secretKey: string): Key {
    return this.#keys.get(secretKey) ?? { account: 'acct_1' };
  }

  /**
   * Stripe's script confirms with this secret, and buyers decide as their card says.
   * @throws Error where no payment has the secret
   */
  buyerDecides(clientSecret: string): PaymentIntent | SetupIntent {
    const { books, intent } = this.#withSecret(clientSecret);
    decide(books, intent.id);
    return intent;
  }

  /** Where Stripe's script leads the buyer of this secret; null where it shows the bank over the page. */
  pageOfBank(clientSecret: string): string | null {
    const { next_action } = this.#withSecret(clientSecret).intent;
    const { use_stripe_sdk } = (next_action ?? {}) as { use_stripe_sdk?: { stripe_js?: string } };
    return use_stripe_sdk?.stripe_js ?? null;
  }

  #withSecret(clientSecret: string): { readonly books: StripeBooks; readonly intent: PaymentIntent | SetupIntent } {
    for (const { books } of this.#accounts.values()) {
      const intent = books.objects.get(clientSecret.replace(/_secret_.*$/, '')) as
        | PaymentIntent
        | SetupIntent
        | undefined;
      if (intent?.client_secret === clientSecret) return { books, intent };
    }
    throw new Error('no payment has this client secret');
  }

  /** Lets go wrong the next requests that match, as many as there are faults. */
  fail(matches: Matches, ...faults: readonly StripeFault[]): void {
    this.#faults.push(...faults.map((fault) => ({ matches, fault })));
  }

  /** Lets go wrong what it says of each request, until it is mended. */
  disturb(faultOf: (request: StripeRequest) => StripeFault | undefined): void {
    this.#disturbance = faultOf;
  }

  /** Nothing goes wrong any more. */
  mend(): void {
    this.#disturbance = () => undefined;
    this.#faults.length = 0;
  }

  /** Refuses all requests for their rate, with nothing done, until the work has ended. */
  async whileBusy(work: () => Promise<void>): Promise<void> {
    this.#isBusy = true;
    try {
      await work();
    } finally {
      this.#isBusy = false;
    }
  }

  /** Delivers what waits on its way, last sent first. */
  async deliverLate(): Promise<void> {
    const delivered = this.#late.toReversed();
    this.#late = [];
    for (const arrive of delivered) await arrive();
  }

  /** Nothing was ever done or sent, and nothing goes wrong: no account has anything. */
  clear(): void {
    this.mend();
    this.#accounts.clear();
    this.#late = [];
    this.requests.length = 0;
  }

  /** Resolves when a request with this idempotency key was done, or got lost on its way. */
  async arrived(idempotencyKey: string): Promise<void> {
    const what = `requests with the key ${idempotencyKey}`;
    await this.#arrivals.wait(1, { matches: (one) => one === idempotencyKey, what });
  }

  /** @throws what of its own answers the description did not allow */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    if (this.#ownFaults.length > 0) throw new AggregateError(this.#ownFaults, String(this.#ownFaults[0]));
  }

  #broken(response: ServerResponse, err: unknown): void {
    this.#ownFaults.push(err);
    send(response, { status: 500, body: { error: { type: 'api_error', message: String(err) } } });
  }

  get #nowS(): number {
    return Math.floor(this.#clock.nowMs() / 1_000);
  }

  #accountOf(secretKey: string): StripeAccount {
    const mode = /^(sk|rk|pk)_test_/.test(secretKey) ? 'test' : 'live';
    const name = `${this.#keys.get(secretKey)?.account}-${mode}`;
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const books = new StripeBooks(`${this.#accounts.size}A`, () => this.#nowS);
    const made: StripeAccount = { name, books, kept: new Map(), locked: new Set() };
    this.#accounts.set(name, made);
    return made;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, origin } = new URL(incoming.url ?? '/', `http://${incoming.headers.host}`);
    const [, page, account = '', id = ''] = pathname.split('/');
    const bank = page === 'authenticate' ? this.#accounts.get(account) : undefined;
    if (bank !== undefined) return void response.writeHead(302, { location: decide(bank.books, id) }).end();
    const body = await text(incoming);
    const method = incoming.method ?? '';
    const secretKey = String(incoming.headers.authorization ?? '').replace(/^Bearer /, '');
    const endpoint = endpointOf(method, pathname);
    const form = formOf(method === 'GET' ? search.slice(1) : body);
    const no = this.#refusal(incoming, secretKey, { method, path: endpoint?.path ?? '', parameters: form });
    if (no !== undefined) {
      this.refused.push(`${method} ${endpoint?.path}`);
      return send(response, errorAnswer(no));
    }
    if (endpoint === undefined) return send(response, errorAnswer(unknownUrl(method, pathname)));
    const read = endpoint.parameters(form);
    // Recorded in github.com/stripe-archive/set-up-subscriptions/pull/26.
    if ('fault' in read) return send(response, errorAnswer(invalid(read.fault, { code: 'parameter_unknown' })));
    const key = incoming.headers['idempotency-key'];
    const idempotencyKey = method === 'POST' && typeof key === 'string' ? key : undefined;
    const request = { method, path: endpoint.path, secretKey, idempotencyKey, parameters: read.value };
    this.requests.push(request);
    await this.#answer(incoming, response, { request, endpoint, origin });
  }

  async #answer(
    incoming: IncomingMessage,
    response: ServerResponse,
    {
      request,
      endpoint,
      origin,
    }: { readonly request: StripeRequest; readonly endpoint: Endpoint; readonly origin: string },
  ): Promise<void> {
    const { idempotencyKey } = request;
    const fault = this.#faultOf(request);
    const announce = () => idempotencyKey !== undefined && this.#arrivals.push(idempotencyKey);
    if (fault === 'rate_limited') return send(response, errorAnswer(rateLimited));
    if (fault === 'charges_disabled') return send(response, errorAnswer(chargesDisabled));
    if (fault === 'type_not_allowed') return send(response, errorAnswer(typeNotAllowed));
    if (fault === 'currency_refused') return send(response, errorAnswer(currencyRefused));
    if (fault === 'amount_refused') return send(response, errorAnswer(amountRefused));
    if (fault === 'broken_before') return void incoming.socket.destroy();
    if (fault === 'silent_before') return void announce();
    const work = () => this.#work(request, endpoint, { origin, fault });
    if (fault === 'late') {
      this.#late.push(work);
      return;
    }
    const [answer] = await Promise.all(fault === 'doubled' ? [work(), work()] : [work()]);
    announce();
    if (fault === 'broken_after') return void incoming.socket.destroy();
    if (fault === 'silent_after') return;
    if (fault === 'html_after')
      return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>');
    if (answer !== undefined) send(response, answer);
  }

  async #work(
    { method, idempotencyKey, parameters, secretKey }: StripeRequest,
    endpoint: Endpoint,
    { origin, fault }: { readonly origin: string; readonly fault: StripeFault | undefined },
  ): Promise<Answer> {
    const { id, path } = endpoint;
    const isNamed = this.#keys.has(secretKey) || !isPublishable(secretKey);
    const withIt = [...this.#accounts.values()].find(({ books }) => books.objects.has(id));
    const account = isNamed ? this.#accountOf(secretKey) : (withIt ?? this.#accountOf(secretKey));
    const { books, name } = account;
    books.pass();
    const accountName = this.#keyOf(secretKey).account;
    const authenticateUrl = (of: string) => `${origin}/authenticate/${name}/${of}`;
    const run = (): unknown => {
      const handler = endpoints[`${method} ${path}`];
      if (handler === undefined) throw unknownUrl(method, path);
      const done = handler({ account: accountName, books, parameters, id, nowS: this.#nowS, authenticateUrl });
      if (fault === 'error_after') throw serverError(done);
      const answer = expanded(books, done, (parameters.expand ?? []) as string[]);
      endpoint.check(answer);
      return answer;
    };
    const lockOf = method === 'GET' ? '' : id || String(parameters.payment_intent ?? '');
    const requested = JSON.stringify([method, path, id, parameters]);
    return await answerOnce(account, { idempotencyKey, request: requested, lockOf, nowS: this.#nowS, run });
  }

  #faultOf(request: StripeRequest): StripeFault | undefined {
    if (this.#isBusy) return 'rate_limited';
    const index = this.#faults.findIndex(({ matches }) => matches(request));
    if (index >= 0) return this.#faults.splice(index, 1)[0]?.fault;
    const disturbed = this.#disturbance(request);
    if (disturbed !== undefined) return disturbed;
    const fault = cardNamed(String(request.parameters.payment_method ?? ''))?.fault;
    if (fault === undefined) return undefined;
    const sent = this.requests.filter(({ idempotencyKey }) => idempotencyKey === request.idempotencyKey);
    if (sent.length > 1) return undefined;
    return fault === 'request_lost' ? 'silent_before' : 'silent_after';
  }

  #refusal(
    { headers }: IncomingMessage,
    secretKey: string,
    requested: Parameters<typeof lackedBy>[0],
  ): StripeNo | undefined {
    const { path } = requested;
    if (headers['stripe-version'] !== apiVersion) return invalid(`not the API version ${apiVersion}`);
    const key = this.#keys.get(secretKey);
    const type = 'invalid_request_error';
    if (isPublishable(secretKey) && key?.isRevoked === undefined && path === '/v1/setup_intents/{intent}')
      return undefined;
    // docs.stripe.com/error-handling, authentication errors.
    if (key === undefined || key.isRevoked) return new StripeNo(401, { type, message: 'Invalid API Key provided.' });
    const lacked = lackedBy(requested, key.lacking ?? []);
    return lacked === undefined ? undefined : permissionDenied(lacked, key.account);
  }
}

const isPublishable = (key: string): boolean => key.startsWith('pk_');

/** docs.stripe.com/error-handling: a 404 for a path that there is not. */
const unknownUrl = (method: string, path: string): StripeNo =>
  new StripeNo(
    404,
    { type: 'invalid_request_error', message: `Unrecognized request URL (${method}: ${path}).` },
    false,
  );
/** docs.stripe.com/rate-limits. */
const rateLimited = new StripeNo(429, {
  type: 'invalid_request_error',
  code: 'rate_limit',
  message: 'Too many requests.',
});
/** Without an intent, as versions of the API before confirmation did: opencollective/opencollective/issues/5997 has the words alone. */
const chargesDisabled = invalid('Your account cannot currently make charges.');
/** The words: github.com/Automattic/woocommerce-payments/pull/7026. That it names the method is assumed: it is harder on the sender. */
const typeNotAllowed = invalid('The PaymentMethod provided (card) is not allowed for this PaymentIntent.', {
  param: 'payment_method',
});
/** github.com/lukec/stripe-perl/issues/156. */
const currencyRefused = invalid('Invalid currency: usd.', { param: 'currency' });
/** docs.stripe.com/error-codes, amount_too_small: of the settlement currency, whose rate changes. */
const amountRefused = invalid('The amount is too small.', { code: 'amount_too_small', param: 'amount' });
/** docs.stripe.com/error-low-level: kept, and repeated. */
const serverError = (done: unknown): StripeNo =>
  new StripeNo(500, {
    type: 'api_error',
    message: 'An unknown error occurred.',
    payment_intent: structuredClone(done),
  });

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers });
  response.end(JSON.stringify(body));
}
