import { RetryLaterError } from '../problems/retry-later-error.ts';

/** Runs at most `runMax` pieces of work at a time, lets `waitMax` more wait in order, and rejects the rest. */
export class Turnstile {
  readonly #runMax: number;
  readonly #waitMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runMax: number, waitMax: number) {
    this.#runMax = runMax;
    this.#waitMax = waitMax;
  }

  /** Throws `service_unavailable` when too many wait already. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#runMax) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= this.#waitMax) {
      throw new RetryLaterError('service_unavailable', 'Too many logins at this moment; try again shortly.', 5);
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Starts the next one that waits, or frees its capacity. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
