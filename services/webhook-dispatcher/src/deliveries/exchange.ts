import type { Agent, Dispatcher } from 'undici';

/** The outcome of one HTTP exchange. With `error` set it did not complete, whatever its status code. */
export interface Exchange {
  readonly statusCode: number | null;
  readonly error: unknown;
  /** The first bytes of the response body; null when there was no response. */
  readonly excerpt: Buffer | null;
  readonly retryAfter: string | null;
  readonly durationMs: number;
}

/** A delivery needs a complete response with any 2xx status. */
export const isDelivered = ({ statusCode, error }: Exchange): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;

/** The rest of a longer response is not read: the status is known, and the body is kept only as an excerpt. */
const readMaxBytes = 64 * 1024;
const keepMaxBytes = 8 * 1024;

class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError';
  readonly code = 'ATTEMPT_TIMEOUT';
}

/**
 * Sends one POST and reads the response up to a limit, all within `timeoutMs`. Follows no redirect. Never rejects: an
 * error is part of the result.
 */
export function exchange(
  agent: Agent,
  request: { origin: string; path: string; headers: string[]; body: string },
  timeoutMs: number,
): Promise<Exchange> {
  return new Promise((resolve) => {
    agent.dispatch({ ...request, method: 'POST' }, new ResponseHandler(timeoutMs, resolve));
  });
}

/** Uses undici's lowest level, because most responses are empty and need no stream. */
class ResponseHandler implements Dispatcher.DispatchHandler {
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
    // The time ended while the connection was made, so the request is not sent.
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

  /** Aborts the exchange, which also closes its connection. */
  #stop(error: Error | null): void {
    this.#finish(error);
    this.#controller?.abort(error ?? new Error('the response is longer than the limit'));
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
