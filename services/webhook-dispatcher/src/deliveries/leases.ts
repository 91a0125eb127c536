import { randomUUID } from 'node:crypto';
import type { Lease } from './delivery.types.ts';

/** Far longer than a transaction takes. A slower transaction costs its deliveries a second claim and nothing else. */
const lostAfterMs = 3_000;

/**
 * The leases under which this process is writing deliveries to the database. A commit may succeed although its response
 * is lost with the connection: then deliveries are `sending` under a token that no queue of this process knows, and would
 * stay so until the lease ends. A lease that is not confirmed within 3 seconds is therefore lost, and its deliveries are
 * freed.
 */
export class Leases {
  readonly #owner: number;
  readonly #seconds: number;
  readonly #unconfirmed = new Map<string, { readonly lease: Lease; readonly sinceMs: number; lost: boolean }>();

  constructor(owner: number, seconds: number) {
    this.#owner = owner;
    this.#seconds = seconds;
  }

  create(): Lease {
    const endsMs = performance.now() + this.#seconds * 1_000;
    return { token: randomUUID(), owner: this.#owner, seconds: this.#seconds, endsMs };
  }

  /** Deliveries are about to be written under the lease. */
  register(lease: Lease): void {
    this.#unconfirmed.set(lease.token, { lease, sinceMs: performance.now(), lost: false });
  }

  /** The deliveries are committed and known here. Returns false when the lease is lost and others may have them. */
  confirm(lease: Lease): boolean {
    const unconfirmed = this.#unconfirmed.get(lease.token);
    if (unconfirmed === undefined || unconfirmed.lost) return false;
    return this.#unconfirmed.delete(lease.token);
  }

  /**
   * Tokens whose deliveries this process will not send. A token is returned until its lease ends, because the commit may
   * still be under way.
   */
  lostTokens(): string[] {
    const nowMs = performance.now();
    for (const [token, unconfirmed] of this.#unconfirmed) {
      if (unconfirmed.lease.endsMs < nowMs) this.#unconfirmed.delete(token);
      else if (unconfirmed.sinceMs + lostAfterMs < nowMs) unconfirmed.lost = true;
    }
    return [...this.#unconfirmed].filter(([, unconfirmed]) => unconfirmed.lost).map(([token]) => token);
  }
}
