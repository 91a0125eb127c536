import { minuteSeconds } from '@app/contracts/durations';
import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import type { Logger } from '@app/service-kit/logger';
import { clientCountsExchanged } from '../points/points.ts';
import { type Minute, Minutes, resetSecondsOf } from './minutes.ts';
import type { RateWindows, Usage } from './rate-windows.ts';

/** The minute of one client, as this process has it. */
export interface Window extends Minute {
  readonly client: string;
  /** Requests that came here, and those at other replicas that this process knows of. */
  count: number;
  /** Requests that came here and count for good. */
  kept: number;
  /** Those of them that the shared window has. */
  shared: number;
  /** Requests at other replicas. */
  others: number;
}

/**
 * A client with so few requests is not shared with the other replicas: most buyers and most mistyped keys cost no statement.
 * A client can have as many more at each further replica.
 */
const unsharedMax = 5;
/** Four statements a second at most, however many clients there are. */
const exchangeMs = 250;
/** Clients of one statement, which takes some milliseconds; the others are in the next. */
const exchangedAtOnce = 1_000;

/**
 * Counts the requests of clients that no account answers for. Each process counts by itself and exchanges its counts
 * with the others through the shared windows, a quarter of a second late: no request waits for a statement. In that
 * quarter each replica may allow the limit once; while the database is away, each counts alone.
 */
export class AddressLimiter {
  readonly limit: number;
  /** As `RateLimit-Policy` says it. */
  readonly policy: string;
  readonly #shared: RateWindows;
  readonly #logger: Logger;
  readonly #windows: Minutes<Window>;
  readonly #due = new Map<string, Window>();
  readonly #loop: BackgroundLoop;
  #alone = false;

  /**
   * @param policy the limit's name: `address`, `buyers` and so on; each has windows of its own
   * @param limit requests a minute
   * @param maxClients clients remembered at once; those of `Minutes` unless given
   */
  constructor(
    { policy = 'address', limit }: { readonly policy?: string; readonly limit: number },
    shared: RateWindows,
    logger: Logger,
    maxClients?: number,
  ) {
    this.policy = policy;
    this.limit = limit;
    this.#shared = shared;
    this.#logger = logger;
    this.#windows = new Minutes(begin, maxClients);
    this.#loop = startLoop({
      name: `gateway.${policy}-limits`,
      round: () => this.#exchange(),
      pauseMs: () => exchangeMs,
      onFailure: (err) => {
        if (!this.#alone)
          logger.warn({ err }, 'limits by address are counted by this replica alone: the database is unavailable');
        this.#alone = true;
      },
    });
  }

  /** Counts one request, until it is released; `allowed` says whether the window is within the limit. */
  take(client: string): Window {
    const window = this.#windows.of(client);
    window.count += 1;
    return window;
  }

  /** A request that was taken counts for good: the other replicas count it. */
  keep(window: Window): void {
    window.kept += 1;
    // Beyond the limit there is nothing that others need to know.
    if (window.kept <= unsharedMax || window.shared + window.others > this.limit) return;
    this.#due.set(window.client, window);
  }

  /** Takes back one request of this window that does not count after all. */
  release(window: Window): void {
    window.count -= 1;
  }

  allowed(window: Window): boolean {
    return window.count <= this.limit;
  }

  resetSeconds(window: Window): number {
    return resetSecondsOf(window);
  }

  remaining(window: Window): number {
    return Math.max(0, this.limit - window.count);
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  async #exchange(): Promise<void> {
    if (this.#due.size === 0) return;
    const nowMs = performance.now();
    const due = [...this.#due.values()].filter(({ endsAtMs }) => nowMs < endsAtMs).slice(0, exchangedAtOnce);
    // In one order, so that the statements of two replicas never deadlock.
    due.sort((one, other) => (one.client < other.client ? -1 : 1));
    const amounts = due.map((window) => window.kept - window.shared);
    if (due.length < exchangedAtOnce) this.#due.clear();
    else for (const { client } of due) this.#due.delete(client);
    const uses = due.map(({ client }, index) => {
      return {
        caller: `${this.policy === 'address' ? '' : `${this.policy} `}address ${client}`,
        amount: amounts[index] as number,
        seconds: minuteSeconds,
      };
    });
    const usages = await this.#shared.add(...uses);
    for (const [index, window] of due.entries()) enter(window, amounts[index] as number, usages[index] as Usage);
    clientCountsExchanged.announce(() => ({
      counts: due.map(({ client }, index) => ({ client, taken: usages[index]?.taken ?? 0 })),
    }));
    if (this.#alone) this.#logger.info('limits by address are shared between replicas again');
    this.#alone = false;
  }
}

const begin = (client: string, endsAtMs: number): Window => {
  return { client, endsAtMs, count: 0, kept: 0, shared: 0, others: 0 };
};

/** The shared window decides when the minute ends. */
function enter(window: Window, amount: number, { taken, leftMs }: Usage): void {
  window.shared += amount;
  const others = Math.max(0, taken - window.shared);
  window.count += others - window.others;
  window.others = others;
  window.endsAtMs = performance.now() + leftMs;
}
