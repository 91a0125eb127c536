import type { Actor } from './actors.ts';

/** What the database knows of a credential: whose it is and until when. */
export interface Found {
  readonly actor: Actor;
  /** Milliseconds since the epoch of the injected clock. */
  readonly expiresAtMs: number;
}

interface Entry {
  readonly startedMs: number;
  /** It was somebody's when it was last looked up. */
  wasValid: boolean;
  found: Found | null | Promise<Found | null>;
}

/** With time to spare for the look-up itself, a revoked key stops within a second in every replica. */
const keepMs = 700;
/** Entries of about 1 KB: at most some 10 MB, also when someone tries invented keys. */
const maxEntries = 10_000;

/**
 * Remembers for a moment what a credential was found to be, also that it is unknown. Its age counts from the start of
 * the look-up: what the database said may be as old as that. Requests that come meanwhile share the look-up.
 */
export class ActorCache {
  readonly #lookUp: (secret: string) => Promise<Found | null>;
  readonly #entries = new Map<string, Entry>();

  constructor(lookUp: (secret: string) => Promise<Found | null>) {
    this.#lookUp = lookUp;
  }

  /** What is remembered, undefined when nothing is. No promise, save while the look-up runs: the way of nearly every request. */
  known(secret: string): Found | null | Promise<Found | null> | undefined {
    const entry = this.#entries.get(secret);
    return entry !== undefined && performance.now() - entry.startedMs < keepMs ? entry.found : undefined;
  }

  /** Whether it was somebody's when it was last looked up, however long that is ago. */
  wasValid(secret: string): boolean {
    return this.#entries.get(secret)?.wasValid ?? false;
  }

  find(secret: string): Found | null | Promise<Found | null> {
    const known = this.known(secret);
    return known === undefined ? this.#load(secret) : known;
  }

  /** After a change that this replica made: the next request of anyone sees it. */
  clear(): void {
    this.#entries.clear();
  }

  #load(secret: string): Promise<Found | null> {
    const startedMs = performance.now();
    const loading = this.#lookUp(secret);
    const entry: Entry = { startedMs, wasValid: this.wasValid(secret), found: loading };
    this.#entries.delete(secret);
    if (this.#entries.size >= maxEntries) this.#dropOldest();
    this.#entries.set(secret, entry);
    loading.then(
      (found) => {
        entry.found = found;
        entry.wasValid = found !== null;
      },
      () => {
        if (this.#entries.get(secret) === entry) this.#entries.delete(secret);
      },
    );
    return loading;
  }

  #dropOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
