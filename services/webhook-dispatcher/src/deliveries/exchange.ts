import type { Agent, Dispatcher } from 'undici';

/** What came back, or what went wrong. With `error` set the exchange did not complete, whatever the status said. */
export interface Exchange {
  readonly statusCode: number | null;
  readonly error: unknown;
  /** The first bytes of the answer; null when there was none. */
  readonly excerpt: Buffer | null;
  readonly retryAfter: string | null;
  readonly durationMs: number;
}

/** Any 2xx, whole. */
export const isDelivered = ({ statusCode, error }: Exchange): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;

/** Reading stops here: the status is known, and nobody needs more of a receiver's answer. */
const readMaxBytes = 64 * 1024;
const keepMaxBytes = 8 * 1024;

class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError';
  readonly code = 'ATTEMPT_TIMEOUT';
}

/** One POST, its answer read up to a limit, all within `timeoutMs`. Redirects are answers like any other. Never rejects. */
export function exchange(
  agent: Agent,
  request: { origin: string; path: string; headers: string[]; body: string },
  timeoutMs: number,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const reading = new Reading(timeoutMs, resolve);
    agent.dispatch({ ...request, method: 'POST' }, reading);
  });
}

/** undici's lowest level: no streams are made for answers that are mostly empty. */
class Reading implements Dispatcher.DispatchHandler {
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #resolve: (result: Exchange) => void;
  readonly #chunks: Buffer[] = [];
  #readBytes = 0;
  #statusCode: number | null = null;
  #retryAfter: string | null = null;
  #controller: Dispatcher.DispatchController | undefined;
  #done = false;

  constructor(timeoutMs: number, resolve: (result: Exchange) => void) {
    this.#resolve = resolve;
    this.#timer = setTimeout(
      () => this.#stop(new AttemptTimeoutError(`not complete within ${timeoutMs} ms`)),
      timeoutMs,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Time was up while the connection was made: the request is not sent any more.
    if (this.#done) controller.abort(new AttemptTimeoutError('too late'));
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: Record<string, unknown>): void {
    if (statusCode < 200) return;
    this.#statusCode = statusCode;
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter === 'string') this.#retryAfter = retryAfter;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#readBytes < keepMaxBytes)
      this.#chunks.push(Buffer.from(chunk.subarray(0, keepMaxBytes - this.#readBytes)));
    this.#readBytes += chunk.length;
    if (this.#readBytes > readMaxBytes) this.#stop(null);
  }

  onResponseEnd(): void {
    this.#finish(null);
  }

  onResponseError(_: unknown, err: Error): void {
    this.#finish(err);
  }

  /** Ends the exchange from this side; the connection cannot be used again. */
  #stop(error: Error | null): void {
    this.#finish(error);
    this.#controller?.abort(error ?? new Error('the answer is longer than is read'));
  }

  #finish(error: unknown): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#timer);
    this.#resolve({
      statusCode: this.#statusCode,
      error,
      excerpt: this.#statusCode === null ? null : Buffer.concat(this.#chunks),
      retryAfter: this.#retryAfter,
      durationMs: Math.round(performance.now() - this.#startedMs),
    });
  }
}
