import type { Actor } from './actors.ts';

/** A credential as the database has it: its actor, and how long it is valid. */
export interface Found {
  readonly actor: Actor;
  /** Milliseconds since the epoch of the injected clock. */
  readonly expiresAtMs: number;
}

interface Entry {
  readonly startedMs: number;
  /** The last look-up found an actor. */
  wasValid: boolean;
  found: Found | null | Promise<Found | null>;
}

/** A revoked key stops within a second in every replica: this, and time for the look-up. */
const keepMs = 700;
/** An entry is about 1 KB: 10 MB at most, also when someone tries invented keys. */
const maxEntries = 10_000;

/**
 * Caches look-ups of credentials for a moment, also those that found nothing. The age of an entry counts from the start
 * of its look-up, because the row may have changed since then. Requests during a look-up share it.
 */
export class ActorCache {
  readonly #lookUp: (secret: string) => Promise<Found | null>;
  readonly #entries = new Map<string, Entry>();

  constructor(lookUp: (secret: string) => Promise<Found | null>) {
    this.#lookUp = lookUp;
  }

  /** The cached entry, undefined without one. A promise only while its look-up runs, so that nearly no request waits. */
  known(secret: string): Found | null | Promise<Found | null> | undefined {
    const entry = this.#entries.get(secret);
    return entry !== undefined && performance.now() - entry.startedMs < keepMs ? entry.found : undefined;
  }

  /** Whether its last look-up found an actor, however long ago that was. */
  wasValid(secret: string): boolean {
    return this.#entries.get(secret)?.wasValid ?? false;
  }

  find(secret: string): Found | null | Promise<Found | null> {
    const known = this.known(secret);
    return known === undefined ? this.#load(secret) : known;
  }

  /** Makes the next request of every caller see a change that this replica has made. */
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
