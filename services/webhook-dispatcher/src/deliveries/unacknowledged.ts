import { TokenBucket } from './token-bucket.ts';

/** How often it is counted which accounts send. */
const countIntervalMs = 1_000;

/**
 * What all accounts together send a host, or an address, that has acknowledged nothing to this process yet: it may be a stranger's,
 * whom many accounts were made to flood. Each account that sends there has an even part. The first acknowledgement ends the bound for
 * all of them.
 */
export class Unacknowledged {
  readonly #perSecond: () => number;
  readonly #all: TokenBucket;
  readonly #parts = new Map<string, TokenBucket>();
  #accounts = 0;
  #countedAtMs = performance.now();
  #hasAcknowledged = false;

  /** @param perSecond the part of this process */
  constructor(perSecond: () => number) {
    this.#perSecond = () => (this.#hasAcknowledged ? Number.POSITIVE_INFINITY : perSecond());
    this.#all = new TokenBucket(this.#perSecond);
  }

  acknowledge(): void {
    this.#hasAcknowledged = true;
  }

  /** The account's part. */
  partOf(accountId: string): TokenBucket {
    const known = this.#parts.get(accountId);
    if (known !== undefined) return known;
    this.#accounts += 1;
    const made = new TokenBucket(() => this.#perSecond() / this.#count(), this.#all);
    this.#parts.set(accountId, made);
    return made;
  }

  /** Takes one of what all accounts have; false when nothing is left. */
  takeOfAll(): boolean {
    if (this.#all.available() <= 0) return false;
    this.#all.take();
    return true;
  }

  /**
   * @param kept parts that are in use
   * @returns whether nothing is left to remember
   */
  forgetUnused(kept: ReadonlySet<TokenBucket>): boolean {
    for (const [accountId, part] of this.#parts) if (!kept.has(part) && part.isUnused()) this.#parts.delete(accountId);
    return this.#parts.size === 0 && this.#all.isUnused();
  }

  /** Accounts that have sent lately, or are about to. */
  #count(): number {
    if (!this.#hasAcknowledged && performance.now() - this.#countedAtMs >= countIntervalMs) {
      this.#countedAtMs = performance.now();
      let count = 0;
      for (const part of this.#parts.values()) if (!part.isUnused()) count += 1;
      this.#accounts = count;
    }
    return Math.max(1, this.#accounts);
  }
}
