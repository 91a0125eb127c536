import type { Logger } from './logger.ts';
import { within } from './within.ts';

interface Entry {
  readonly name: string;
  readonly close: () => Promise<void> | void;
}

/** What is left to a resource that closes after the time is up. */
const lateLimitMs = 100;

/** Resources in the order they were opened; they close in reverse, so that nothing closes under its user. */
export class ResourceStack {
  readonly #logger: Logger;
  readonly #entries: Entry[] = [];
  #closing: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Takes care of a resource and returns it. One that was opened while the rest closed is closed at once, and this throws. */
  add<T>(name: string, resource: T, close: (resource: T) => Promise<void> | void): T {
    const entry = { name, close: () => close(resource) };
    if (this.#closing !== undefined) {
      void this.#closeOne(entry, lateLimitMs);
      throw new Error(`${name} was opened while the service was closing`);
    }
    this.#entries.push(entry);
    return resource;
  }

  /** Closes everything once; an error or a resource that hangs is logged and the rest still closes. */
  close(limitMs = 8_000): Promise<void> {
    this.#closing ??= this.#closeAll(Date.now() + limitMs);
    return this.#closing;
  }

  async #closeAll(deadlineMs: number): Promise<void> {
    for (const entry of this.#entries.reverse()) {
      await this.#closeOne(entry, Math.max(lateLimitMs, deadlineMs - Date.now()));
    }
  }

  async #closeOne(entry: Entry, limitMs: number): Promise<void> {
    try {
      const closed = (async () => entry.close())();
      await within(limitMs, closed, () => {
        throw new Error(`${entry.name} did not close within ${limitMs} ms`);
      });
    } catch (err) {
      this.#logger.warn({ err, resource: entry.name }, 'a resource did not close cleanly');
    }
  }
}
