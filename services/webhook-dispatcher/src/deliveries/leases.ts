import { randomUUID } from 'node:crypto';
import type { Lease } from './delivery.types.ts';

/** Far longer than a transaction takes; one that is slower than this costs its deliveries a detour, nothing else. */
const lostAfterMs = 3_000;

/**
 * The leases of this process whose deliveries are on their way into the database. Not every answer comes back: when a
 * connection breaks in a commit, deliveries may be `sending` under a token that nobody here knows of, and would stay so
 * for as long as this process lives and their lease lasts. What is not taken over soon is therefore lost, and freed.
 */
export class Leases {
  readonly #owner: number;
  readonly #seconds: number;
  readonly #expected = new Map<string, { readonly lease: Lease; readonly sinceMs: number; lost: boolean }>();

  constructor(owner: number, seconds: number) {
    this.#owner = owner;
    this.#seconds = seconds;
  }

  make(): Lease {
    const endsMs = performance.now() + this.#seconds * 1_000;
    return { token: randomUUID(), owner: this.#owner, seconds: this.#seconds, endsMs };
  }

  /** Deliveries are about to be written under it. */
  expect(lease: Lease): void {
    this.#expected.set(lease.token, { lease, sinceMs: performance.now(), lost: false });
  }

  /** They are committed, and known here. False: too late, others may have them already. */
  takeOver(lease: Lease): boolean {
    const expected = this.#expected.get(lease.token);
    if (expected === undefined || expected.lost) return false;
    return this.#expected.delete(lease.token);
  }

  /** Tokens whose deliveries nobody here will take over. A commit can still be on its way: they are told of until they end. */
  lostTokens(): string[] {
    const nowMs = performance.now();
    for (const [token, expected] of this.#expected) {
      if (expected.lease.endsMs < nowMs) this.#expected.delete(token);
      else if (expected.sinceMs + lostAfterMs < nowMs) expected.lost = true;
    }
    return [...this.#expected].filter(([, expected]) => expected.lost).map(([token]) => token);
  }
}
