import type { Logger } from './logger.ts';

/** Resources in the order they were opened; they close in reverse, so that nothing closes under its user. */
export class Lifetime {
  readonly #logger: Logger;
  readonly #entries: { name: string; close: () => Promise<void> | void }[] = [];
  #closing: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add<T>(name: string, resource: T, close: (resource: T) => Promise<void> | void): T {
    this.#entries.push({ name, close: () => close(resource) });
    return resource;
  }

  /** Closes everything once; an error or a resource that hangs is logged and the rest still closes. */
  close(limitMs = 8_000): Promise<void> {
    this.#closing ??= this.#closeAll(Date.now() + limitMs);
    return this.#closing;
  }

  async #closeAll(deadlineMs: number): Promise<void> {
    for (const entry of this.#entries.reverse()) {
      try {
        await within(Math.max(100, deadlineMs - Date.now()), entry.name, async () => entry.close());
      } catch (err) {
        this.#logger.warn({ err, resource: entry.name }, 'did not close cleanly');
      }
    }
  }
}

async function within(limitMs: number, name: string, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not close within ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
