import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import { type NotDone, NothingDoneError, type ProcessorCall } from '../port.ts';
import { untilAborted } from '../until-aborted.ts';
import { type FoundError, failureOf, NotPermittedError, StripeAnswerError, tooLateCode } from './stripe-errors.ts';
import { endpointOf, type StripePace } from './stripe-pace.ts';

/** Sends requests to Stripe for any account, by the official package. */
export interface StripeLink {
  /**
   * Sends a request that changes something. Under the same key it is sent again where another sending is under way, the rate is
   * limited or the connection broke, until most of the deadline has passed or `mayLeave` of the call says no.
   * @param key the idempotency key; undefined where a second request is harmless
   * @throws NothingDoneError where no sending did anything, StripeAnswerError for a no, the signal's reason when it aborts
   */
  send<T>(call: ProcessorCall, key: string | undefined, request: StripeRequest<T>): Promise<T>;
  /** Reads, as `send` sends. */
  read<T>(call: ProcessorCall, request: StripeRequest<T>): Promise<T>;
  /** Reads for a list, which may take long: what fails is tried again until the signal aborts. @throws as `send` does */
  readPatiently<T>(call: ProcessorCall, request: StripeRequest<T>): Promise<T>;
  close(): void;
}

type StripeRequest<T> = (stripe: Stripe, options: Stripe.RequestOptions) => Promise<T>;

export interface StripeLinkOptions {
  /** `https://api.stripe.com`, or what stands in for it. */
  readonly apiUrl: string;
  /** How long a call may take, in milliseconds: nothing is sent again in the last fifth of it. */
  readonly deadlineMs: number;
  /** Undefined: requests are sent as they come. */
  readonly pace?: StripePace;
  /** A test has moved this deployment's clock: live keys are not used then. */
  readonly isClockMoved?: () => boolean;
}

/** What is left of the deadline is for sending the answer: an answer that comes with its end counts as none. */
const sendingShare = 0.8;
const firstWaitMs = 50;
const longestWaitMs = 1_000;
const tooLateText = 'It was not sent: Stripe may have forgotten its idempotency key.';

export function createStripeLink({ apiUrl, deadlineMs, isClockMoved, pace }: StripeLinkOptions): StripeLink {
  let opened: Promise<OpenedStripe> | undefined;
  // A call may be several requests: all of them share its deadline.
  const begun = new WeakMap<AbortSignal, number>();
  const ongoing = new AsyncLocalStorage<ProcessorCall>();
  const turn = async (method: string, path: string): Promise<void> => {
    const call = ongoing.getStore();
    if (call === undefined) return;
    await slot(call, endpointOf(method, path));
    if (method !== 'GET' && call.mayLeave?.() === false)
      throw Object.assign(new Error(tooLateText), { code: tooLateCode });
  };
  const slot = async (call: ProcessorCall, endpoint: string): Promise<void> => {
    if (pace === undefined) return;
    const { untimed } = call;
    if (untimed === undefined) return await pace.turn(call, endpoint);
    const startMs = performance.now();
    await untimed(() => pace.turn(call, endpoint));
    begun.set(call.signal, (begun.get(call.signal) ?? startMs) + performance.now() - startMs);
  };
  const open = () => {
    // Loading it takes 0.2 s and 21 MB, which a deployment without Stripe does not need.
    opened ??= openStripe(apiUrl, turn);
    return opened;
  };
  const attempt = async <T>(call: ProcessorCall, key: string | undefined, request: StripeRequest<T>): Promise<T> => {
    const { stripe } = await open();
    const { secretKey: apiKey = '', signal } = call;
    const options = { apiKey, timeout: deadlineMs, ...(key !== undefined && { idempotencyKey: key }) };
    return await untilAborted(signal, () => ongoing.run(call, () => request(stripe, options)));
  };
  const run = async <T>(
    call: ProcessorCall,
    key: string | undefined,
    request: StripeRequest<T>,
    untilMs: () => number,
  ): Promise<T> => {
    assertMode(call);
    if (!call.test && isClockMoved?.()) {
      throw new NothingDoneError(
        'key_refused',
        'The clock of this deployment is moved: nothing is charged at Stripe meanwhile.',
      );
    }
    const tried = { mayHaveArrived: false };
    // The time begins to run here.
    untilMs();
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      try {
        return await attempt(call, key, request);
      } catch (err) {
        call.signal.throwIfAborted();
        const why = waitingFor(err as FoundError, tried, key !== undefined);
        const pauseMs = waitMs * (0.5 + Math.random() / 2);
        if (performance.now() + pauseMs > untilMs()) throw why ?? new StripeAnswerError(err as FoundError);
        await sleep(pauseMs, undefined, { signal: call.signal });
      }
    }
  };
  const endMs = ({ signal }: ProcessorCall): number => {
    const startMs = begun.get(signal) ?? performance.now();
    begun.set(signal, startMs);
    return startMs + deadlineMs * sendingShare;
  };
  return {
    send: (call, key, request) => run(call, key, request, () => endMs(call)),
    read: (call, request) => run(call, undefined, request, () => endMs(call)),
    readPatiently: (call, request) => run(call, undefined, request, () => Number.POSITIVE_INFINITY),
    close: () => void opened?.then(({ close }) => close()),
  };
}

/**
 * Notes what a failed sending means for the next one.
 * @param hasKey Stripe repeats an error of its own as long as the key lives
 * @returns the error with which the call ends if there is no next one; undefined for that of the sending
 * @throws what ends the call at once
 */
function waitingFor(
  err: FoundError,
  tried: { mayHaveArrived: boolean },
  hasKey: boolean,
): NothingDoneError | undefined {
  const failure = failureOf(err, hasKey);
  if (failure === 'too_late') throw new Error(tooLateText);
  if (failure === 'final') throw new StripeAnswerError(err);
  if (failure === 'key_refused' || failure === 'not_permitted') {
    throw tried.mayHaveArrived ? new StripeAnswerError(err) : nothingDone(failure, err);
  }
  if (failure === 'broken' || failure === 'in_use') tried.mayHaveArrived = true;
  else if (!tried.mayHaveArrived) return nothingDone(failure, err);
  return undefined;
}

const nothingDone = (why: NotDone['why'], err: FoundError): NothingDoneError =>
  why === 'not_permitted' ? new NotPermittedError(err) : new NothingDoneError(why, `Stripe: ${err.message}`);

/** A key of the other mode would move real money in a rehearsal, or none for a sale. */
function assertMode({ secretKey, test }: ProcessorCall): void {
  if (secretKey === undefined) throw new NothingDoneError('key_refused', 'No API key of Stripe is stored.');
  const mode = modeOfKey(secretKey);
  if (mode !== undefined && (mode === 'test') !== test) {
    throw new NothingDoneError('key_refused', `The stored API key of Stripe is for ${mode} mode.`);
  }
}

/** The mode of a secret or restricted key; undefined for a text that is none. */
function modeOfKey(secretKey: string): 'live' | 'test' | undefined {
  const mode = /^(?:sk|rk)_(live|test)_/.exec(secretKey)?.[1];
  return mode as 'live' | 'test' | undefined;
}

/** Resolves when the request may be sent. @throws where it may not */
type Turn = (method: string, path: string) => Promise<void>;

interface OpenedStripe {
  readonly stripe: Stripe;
  close(): void;
}

async function openStripe(apiUrl: string, turn: Turn): Promise<OpenedStripe> {
  const { default: StripeClient } = await import('stripe');
  const { Agent } = await import(apiUrl.startsWith('https:') ? 'node:https' : 'node:http');
  const { protocol, hostname, port } = new URL(apiUrl);
  const isHttps = protocol === 'https:';
  const agent = new Agent({ keepAlive: true });
  const client = StripeClient.createNodeHttpClient(agent);
  const stripe = new StripeClient('set for each request', {
    host: hostname,
    port: port === '' ? (isHttps ? 443 : 80) : Number(port),
    protocol: isHttps ? 'https' : 'http',
    httpClient: paced(client, turn),
    maxNetworkRetries: 0,
    telemetry: false,
  });
  return { stripe, close: () => agent.destroy() };
}

type HttpClient = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>['httpClient']>;

/**
 * Each request waits for a slot. The package sends a request again whose connection closed, however few retries it is allowed. Whether the first sending may have
 * arrived would be unknown here, so such an error gets a code that it does not know.
 */
function paced(client: HttpClient, turn: Turn): HttpClient {
  const { makeRequest } = client;
  client.makeRequest = async (...request) => {
    const [, , path, method] = request;
    await turn(method, path);
    try {
      return await makeRequest.apply(client, request);
    } catch (err) {
      const code = (err as { code?: string }).code;
      if (code !== 'ECONNRESET' && code !== 'EPIPE') throw err;
      throw Object.assign(new Error('the connection to Stripe closed', { cause: err }), { code: 'CLOSED' });
    }
  };
  return client;
}
