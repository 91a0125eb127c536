import type { Dispatcher as Undici } from 'undici';
import { decodeExcerpt } from './decode-excerpt.ts';
import { type Exchange, headerOf, isAcknowledged, type ResponseHeaders, type Stage } from './exchange.rules.ts';
import type { GuardedAgent, MeasuredHandler, Opening } from './guarded-agent.ts';
import { beginRequest } from './status-line.ts';

/** The rest of a longer response is not read: the status is known, and the body is kept only as an excerpt. */
const readMaxBytes = 64 * 1024;
const keepMaxBytes = 8 * 1024;

class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError';
  readonly code = 'ATTEMPT_TIMEOUT';
}

/**
 * Sends one POST and reads the response up to a limit, all within `timeoutMs`. Follows no redirect. Never rejects: an
 * error is part of the result. What follows a 2xx status line decides nothing, and is no error.
 */
export async function exchange(
  agent: GuardedAgent,
  request: { origin: string; path: string; headers: string[]; body: string },
  timeoutMs: number,
): Promise<Exchange> {
  const result = await new Promise<Exchange>((resolve) => {
    agent.dispatch({ ...request, method: 'POST' }, new ResponseHandler(timeoutMs, resolve));
  });
  const coding = headerOf(result.headers, 'content-encoding');
  if (coding === null || result.excerpt === null) return result;
  return { ...result, excerpt: await decodeExcerpt(result.excerpt, coding, keepMaxBytes) };
}

/** Uses undici's lowest level, because most responses are empty and need no stream. */
class ResponseHandler implements MeasuredHandler {
  opening: Opening | null = null;
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #resolve: (result: Exchange) => void;
  readonly #chunks: Buffer[] = [];
  #readBytes = 0;
  #statusCode: number | null = null;
  #address: string | null = null;
  #requestedMs: number | null = null;
  #firstByteMs: number | null = null;
  #headers: ResponseHeaders | null = null;
  #controller: Undici.DispatchController | undefined;
  #done = false;

  constructor(timeoutMs: number, resolve: (result: Exchange) => void) {
    this.#resolve = resolve;
    this.#timer = setTimeout(
      () => this.#stop(new AttemptTimeoutError(`not complete within ${timeoutMs} ms`)),
      timeoutMs,
    );
  }

  onRequestStart(controller: Undici.DispatchController): void {
    this.#controller = controller;
    this.#requestedMs = performance.now();
    // The time ended while the connection was made, so the request is not sent.
    if (this.#done) controller.abort(new AttemptTimeoutError('too late'));
    else beginRequest(this);
  }

  onStatusLine(status: number, address: string | null): void {
    this.#statusCode = status;
    this.#address = address;
    if (this.#requestedMs !== null) this.#firstByteMs = Math.round(performance.now() - this.#requestedMs);
  }

  onResponseStart(_: Undici.DispatchController, statusCode: number, headers: ResponseHeaders): void {
    if (statusCode >= 200) this.#headers = headers;
  }

  onResponseData(_: Undici.DispatchController, chunk: Buffer): void {
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
    const { dnsMs = null, connectMs = null, tlsMs = null } = this.opening ?? {};
    this.#resolve({
      statusCode: this.#statusCode,
      error: isAcknowledged(this.#statusCode) ? null : error,
      stage: this.#stage(),
      headers: this.#headers,
      excerpt: this.#statusCode === null ? null : Buffer.concat(this.#chunks),
      durationMs: Math.round(performance.now() - this.#startedMs),
      address: this.#address,
      dnsMs,
      connectMs,
      tlsMs,
      firstByteMs: this.#firstByteMs,
    });
  }

  #stage(): Stage {
    if (this.#statusCode !== null) return 'body';
    if (this.#requestedMs !== null) return 'answer';
    const step = this.opening?.step ?? 'connect';
    return step === 'done' ? 'answer' : step;
  }
}
