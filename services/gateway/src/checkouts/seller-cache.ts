import type { Seller } from './find-seller.ts';

interface Entry {
  readonly startedMs: number;
  readonly seller: Promise<Seller | null>;
}

/** As what a key may do: settings are at most this much older than the opening of a checkout, in every replica. */
const keepMs = 700;
/** An entry is below 1 KB: 10 MB at most. */
const maxEntries = 10_000;

/**
 * Sellers by their handles, remembered for a moment: a shop's buyers do not ask for the same row again and again. The age
 * of an entry counts from the start of its look-up, because the row may have changed since then. Look-ups that found
 * nobody or failed are not remembered, so that a handle that was just taken is known at once.
 */
export class SellerCache {
  readonly #lookUp: (handle: string) => Promise<Seller | null>;
  readonly #entries = new Map<string, Entry>();

  constructor(lookUp: (handle: string) => Promise<Seller | null>) {
    this.#lookUp = lookUp;
  }

  find(handle: string): Promise<Seller | null> {
    const entry = this.#entries.get(handle);
    if (entry !== undefined && performance.now() - entry.startedMs < keepMs) return entry.seller;
    return this.#load(handle);
  }

  /** Makes the next checkout see a change of settings that this replica has made. */
  clear(): void {
    this.#entries.clear();
  }

  #load(handle: string): Promise<Seller | null> {
    const entry = { startedMs: performance.now(), seller: this.#lookUp(handle) };
    const [oldest] = this.#entries.keys();
    this.#entries.delete(handle);
    if (this.#entries.size >= maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(handle, entry);
    const drop = () => {
      if (this.#entries.get(handle) === entry) this.#entries.delete(handle);
    };
    entry.seller.then((seller) => seller ?? drop(), drop);
    return entry.seller;
  }
}
