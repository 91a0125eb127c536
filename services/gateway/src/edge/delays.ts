import type { FastifyInstance } from 'fastify';

/** Waits of a server's requests. A server that closes ends them all. */
export class Delays {
  readonly #max: number;
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  /** @param max waits at once; each holds a connection, and further ones end at once */
  constructor(server: Pick<FastifyInstance, 'addHook'>, max: number) {
    this.#max = max;
    server.addHook('preClose', async () => {
      for (const [timer, resolve] of this.#waiting) {
        clearTimeout(timer);
        resolve();
      }
      this.#waiting.clear();
    });
  }

  /** Resolves after so many milliseconds. */
  wait(ms: number): Promise<undefined> {
    return new Promise((resolve) => {
      if (this.#waiting.size >= this.#max) return resolve(undefined);
      const timer = setTimeout(() => {
        this.#waiting.delete(timer);
        resolve(undefined);
      }, ms);
      this.#waiting.set(timer, () => resolve(undefined));
    });
  }
}
