/** 32 MiB: two hundred pictures of the largest size. */
const maxBytes = 32 * 1024 * 1024;

/** A picture that another replica has deleted is gone then. */
const keepMs = 10_000;

/**
 * Keeps pictures that were requested lately, for ten seconds. Requests that come during a look-up share it. What is not found is looked up
 * again: it may be there a moment later.
 */
export class ImageCache {
  readonly #lookUp: (name: string) => Promise<Buffer | null>;
  readonly #maxBytes: number;
  /** The least recently requested one first. */
  readonly #images = new Map<string, { readonly bytes: Buffer; readonly untilMs: number }>();
  readonly #running = new Map<string, Promise<Buffer | null>>();
  #bytes = 0;
  #cleared = 0;

  constructor(lookUp: (name: string) => Promise<Buffer | null>, max = maxBytes) {
    this.#lookUp = lookUp;
    this.#maxBytes = max;
  }

  find(name: string): Promise<Buffer | null> {
    const known = this.#images.get(name);
    if (known !== undefined) {
      this.#forget(name);
      if (known.untilMs > performance.now()) {
        this.#keep(name, known);
        return Promise.resolve(known.bytes);
      }
    }
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const started = this.#load(name).finally(() => {
      if (this.#running.get(name) === started) this.#running.delete(name);
    });
    this.#running.set(name, started);
    return started;
  }

  /** A picture was deleted: what is looked up right now is not kept. */
  clear(): void {
    this.#images.clear();
    this.#running.clear();
    this.#bytes = 0;
    this.#cleared += 1;
  }

  async #load(name: string): Promise<Buffer | null> {
    const cleared = this.#cleared;
    const bytes = await this.#lookUp(name);
    if (bytes !== null && cleared === this.#cleared) this.#keep(name, { bytes, untilMs: performance.now() + keepMs });
    return bytes;
  }

  #keep(name: string, image: { readonly bytes: Buffer; readonly untilMs: number }): void {
    this.#images.set(name, image);
    this.#bytes += image.bytes.length;
    for (const oldest of this.#images.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#bytes -= this.#images.get(name)?.bytes.length ?? 0;
    this.#images.delete(name);
  }
}

/** Pictures that were requested lately. */
export interface ImageCaches {
  readonly products: ImageCache;
  readonly logos: ImageCache;
}
