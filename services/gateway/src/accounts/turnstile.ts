import { RetryLaterError } from '../problems/retry-later-error.ts';

/** Lets some pieces of work run at a time and some more wait in their order; the rest is refused. */
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
      throw new RetryLaterError('service_unavailable', 'Too many sign in at this moment; try again shortly.', 5);
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The place goes to the next one, or is free. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
