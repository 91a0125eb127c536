interface Entry<T> {
  readonly startedMs: number;
  /** The last look-up found something. */
  wasFound: boolean;
  found: T | null | Promise<T | null>;
}

export interface LookupCacheOptions {
  /** Whether a look-up that found nothing is cached as well. */
  readonly keepsMisses: boolean;
}

/** A revoked key stops within a second in every replica, and a changed setting is seen: this, and time for the look-up. */
const keepMs = 700;
/** An entry is about 1 KB: 10 MB at most, also when someone tries invented keys. */
const maxEntries = 10_000;

/**
 * Caches look-ups in the database for a moment. The age of an entry counts from the start of its look-up, because the row
 * may have changed since then. Calls during a look-up share it. A look-up that failed is not cached.
 */
export class LookupCache<T> {
  readonly #lookUp: (key: string) => Promise<T | null>;
  readonly #keepsMisses: boolean;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(lookUp: (key: string) => Promise<T | null>, { keepsMisses }: LookupCacheOptions) {
    this.#lookUp = lookUp;
    this.#keepsMisses = keepsMisses;
  }

  /** The cached entry, undefined without one. A promise only while its look-up runs, so that nearly no request waits. */
  known(key: string): T | null | Promise<T | null> | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && performance.now() - entry.startedMs < keepMs ? entry.found : undefined;
  }

  /** Whether the key's last look-up found something, however long ago that was. */
  wasFound(key: string): boolean {
    return this.#entries.get(key)?.wasFound ?? false;
  }

  find(key: string): T | null | Promise<T | null> {
    const known = this.known(key);
    return known === undefined ? this.#load(key) : known;
  }

  /** Makes the next call for every key see a change that this replica has made. */
  clear(): void {
    this.#entries.clear();
  }

  #load(key: string): Promise<T | null> {
    const startedMs = performance.now();
    const loading = this.#lookUp(key);
    const entry: Entry<T> = { startedMs, wasFound: this.wasFound(key), found: loading };
    this.#entries.delete(key);
    if (this.#entries.size >= maxEntries) this.#dropOldest();
    this.#entries.set(key, entry);
    const drop = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    loading.then((found) => {
      entry.found = found;
      entry.wasFound = found !== null;
      if (found === null && !this.#keepsMisses) drop();
    }, drop);
    return loading;
  }

  #dropOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
