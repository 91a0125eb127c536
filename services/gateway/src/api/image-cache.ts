/** 32 MiB: two hundred pictures of the largest size. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Keeps pictures that were requested lately. Requests that come during a look-up share it. What is not found is looked up
 * again: it may be there a moment later.
 */
export class ImageCache {
  readonly #lookUp: (name: string) => Promise<Buffer | null>;
  readonly #maxBytes: number;
  /** The least recently requested one first. */
  readonly #images = new Map<string, Buffer>();
  readonly #running = new Map<string, Promise<Buffer | null>>();
  #bytes = 0;

  constructor(lookUp: (name: string) => Promise<Buffer | null>, max = maxBytes) {
    this.#lookUp = lookUp;
    this.#maxBytes = max;
  }

  find(name: string): Promise<Buffer | null> {
    const known = this.#images.get(name);
    if (known !== undefined) {
      this.#images.delete(name);
      this.#images.set(name, known);
      return Promise.resolve(known);
    }
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const started = this.#load(name).finally(() => this.#running.delete(name));
    this.#running.set(name, started);
    return started;
  }

  async #load(name: string): Promise<Buffer | null> {
    const found = await this.#lookUp(name);
    if (found !== null) this.#keep(name, found);
    return found;
  }

  #keep(name: string, image: Buffer): void {
    this.#images.set(name, image);
    this.#bytes += image.length;
    for (const [oldest, { length }] of this.#images) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#images.delete(oldest);
      this.#bytes -= length;
    }
  }
}
