import { addTo, type Counts, noCounts, type Priority, roomFor } from './priority.rules.ts';

/** What may go out at once after a pause, in seconds of the rate: a sale of some minutes begins without a delay. */
const burstSeconds = 5;
/** What may wait in memory, in seconds of the rate. The others wait in the database, where they take no other account's capacity. */
const inMemorySeconds = 1;

/** The part of this process in a bound of deliveries a second. */
export class TokenBucket {
  /** Deliveries in memory that wait for it. */
  readonly #waiting: Counts = noCounts();
  readonly #perSecond: () => number;
  /** A bound of which this one is a part. */
  readonly #whole: TokenBucket | null;
  #tokens: number;
  #filledAtMs = performance.now();

  /** @param perSecond the part of this process, which changes with the number of replicas; `Infinity` while there is no bound */
  constructor(perSecond: () => number, whole: TokenBucket | null = null) {
    this.#perSecond = perSecond;
    this.#whole = whole;
    this.#tokens = this.#burst();
  }

  /** How many deliveries may be sent right now. */
  available(): number {
    return Math.min(this.#filled(), this.#whole?.available() ?? Number.POSITIVE_INFINITY);
  }

  /** A delivery is sent. */
  take(): void {
    this.#tokens -= 1;
    this.#whole?.take();
  }

  /** So many more wait in memory, or less. */
  addWaiting(priority: Priority, count: number): void {
    addTo(this.#waiting, priority, count);
  }

  /** How many more deliveries of the priority may wait in memory: a less urgent one leaves room, as everywhere. */
  roomFor(priority: Priority): number {
    const perSecond = this.#perSecond();
    if (perSecond === Number.POSITIVE_INFINITY) return perSecond;
    return roomFor(this.#filled() + Math.floor(inMemorySeconds * perSecond), this.#waiting, priority);
  }

  /** Whether what is due waits for it: it takes what comes, so that less than a second of it is left. */
  isUsedUp(): boolean {
    return this.#filled() < this.#perSecond() || this.#whole?.isUsedUp() === true;
  }

  isUnused(): boolean {
    return this.#waiting[0] === 0 && this.#filled() >= Math.floor(this.#burst());
  }

  #filled(): number {
    const perSecond = this.#perSecond();
    if (perSecond === Number.POSITIVE_INFINITY) return perSecond;
    const nowMs = performance.now();
    const filled = this.#tokens + ((nowMs - this.#filledAtMs) / 1_000) * perSecond;
    this.#tokens = Math.min(this.#burst(), filled);
    this.#filledAtMs = nowMs;
    return Math.floor(this.#tokens);
  }

  #burst(): number {
    return Math.max(1, burstSeconds * this.#perSecond());
  }
}
