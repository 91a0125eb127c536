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
