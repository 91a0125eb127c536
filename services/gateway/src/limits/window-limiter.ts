import { minuteSeconds } from '@app/contracts/durations';
import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import type { Logger } from '@app/service-kit/logger';
import { clientCountsExchanged } from '../points/points.ts';
import { type CallerWindow, CallerWindows, resetSecondsOf } from './caller-windows.ts';
import type { RateWindows, Usage } from './rate-windows.ts';

/** The window of one client, as this process has it. */
export interface Window extends CallerWindow {
  readonly client: string;
  /** What was taken here, and at other replicas as far as this process knows. */
  count: number;
  /** What was taken here and counts for good. */
  kept: number;
  /** The part of it that the shared window has. */
  shared: number;
  /** What was taken at other replicas. */
  others: number;
}

interface Options {
  /** As `RateLimit-Policy` says it: `address`, `buyers` and so on; each has windows of its own. */
  readonly policy?: string;
  /** What a client may take in a window. */
  readonly limit: number;
  /** That a window lasts; a minute unless given. */
  readonly seconds?: number;
  /** What the client is called in the shared windows, before its name. */
  readonly prefix?: string;
  /**
   * A client that takes so little is not shared with the other replicas: most buyers and most mistyped keys cost no statement.
   * A client can have as much more at each further replica. 5 unless given.
   */
  readonly unsharedMax?: number;
  /** At most one statement in so many milliseconds, however many clients there are; 250 unless given. */
  readonly exchangeMs?: number;
  /** Clients remembered at once; those of `CallerWindows` unless given. */
  readonly maxClients?: number | undefined;
}

/** Clients of one statement, which takes some milliseconds; the others are in the next. */
const exchangedAtOnce = 1_000;

/**
 * Counts what clients take. Each process counts by itself and exchanges its counts with the others through the shared
 * windows, a quarter of a second late: no request waits for a statement. In that quarter each replica may allow the
 * limit once; while the database is away, each counts alone. What may never be exceeded is leased: `AccountQuota`.
 */
export class WindowLimiter {
  readonly limit: number;
  readonly policy: string;
  readonly #seconds: number;
  readonly #prefix: string;
  readonly #unsharedMax: number;
  readonly #shared: RateWindows;
  readonly #logger: Logger;
  readonly #windows: CallerWindows<Window>;
  readonly #due = new Map<string, Window>();
  readonly #loop: BackgroundLoop;
  #alone = false;

  constructor(options: Options, shared: RateWindows, logger: Logger) {
    const { policy = 'address', limit, seconds = minuteSeconds, unsharedMax = 5, exchangeMs = 250 } = options;
    const { prefix = policy === 'address' ? 'address' : `${policy} address`, maxClients } = options;
    this.policy = policy;
    this.limit = limit;
    this.#seconds = seconds;
    this.#prefix = prefix;
    this.#unsharedMax = unsharedMax;
    this.#shared = shared;
    this.#logger = logger;
    this.#windows = new CallerWindows(seconds, begin, maxClients);
    this.#loop = startLoop({
      name: `gateway.${policy}-limits`,
      round: () => this.#exchange(),
      pauseMs: () => exchangeMs,
      onFailure: (err) => {
        if (!this.#alone)
          logger.warn({ err, policy }, 'a limit is counted by this replica alone: the database is unavailable');
        this.#alone = true;
      },
    });
  }

  /** The window of the client that goes on, or a new one. */
  window(client: string): Window {
    return this.#windows.of(client);
  }

  /** Counts one request, until it is released; `allowed` says whether the window is within the limit. */
  take(client: string): Window {
    const window = this.window(client);
    window.count += 1;
    return window;
  }

  /** A request that was taken counts for good: the other replicas count it. */
  keep(window: Window): void {
    this.#keep(window, 1);
  }

  /** Takes back one request of this window that does not count after all. */
  release(window: Window): void {
    window.count -= 1;
  }

  /** Counts so much for good; what is below zero was counted before and is given back. */
  count(window: Window, amount: number): void {
    window.count += amount;
    this.#keep(window, amount);
  }

  allowed(window: Window): boolean {
    return window.count <= this.limit;
  }

  resetSeconds(window: Window): number {
    return resetSecondsOf(window, this.#seconds);
  }

  remaining(window: Window): number {
    return Math.max(0, this.limit - window.count);
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  #keep(window: Window, amount: number): void {
    window.kept += amount;
    // Beyond the limit there is nothing that others need to know, but for what is given back.
    const isKnownFull = amount > 0 && window.shared + window.others > this.limit;
    if (window.kept <= this.#unsharedMax || isKnownFull) return;
    this.#due.set(window.client, window);
  }

  async #exchange(): Promise<void> {
    if (this.#due.size === 0) return;
    const nowMs = performance.now();
    const due = [...this.#due.values()].filter(({ endsAtMs }) => nowMs < endsAtMs).slice(0, exchangedAtOnce);
    // In one order, so that the statements of two replicas never deadlock.
    due.sort((one, other) => (one.client < other.client ? -1 : 1));
    // Windows of the database count whole units.
    const amounts = due.map((window) => Math.ceil(window.kept - window.shared));
    if (due.length < exchangedAtOnce) this.#due.clear();
    else for (const { client } of due) this.#due.delete(client);
    const uses = due.map(({ client }, index) => {
      return { caller: `${this.#prefix} ${client}`, amount: amounts[index] as number, seconds: this.#seconds };
    });
    const usages = await this.#shared.add(...uses);
    for (const [index, window] of due.entries()) enter(window, amounts[index] as number, usages[index] as Usage);
    clientCountsExchanged.announce(() => ({
      counts: due.map(({ client }, index) => ({ client, taken: usages[index]?.taken ?? 0 })),
    }));
    if (this.#alone) this.#logger.info({ policy: this.policy }, 'a limit is shared between replicas again');
    this.#alone = false;
  }
}

const begin = (client: string, endsAtMs: number): Window => {
  return { client, endsAtMs, count: 0, kept: 0, shared: 0, others: 0 };
};

/** The shared window decides when it ends. */
function enter(window: Window, amount: number, { taken, leftMs }: Usage): void {
  window.shared += amount;
  const others = Math.max(0, taken - window.shared);
  window.count += others - window.others;
  window.others = others;
  window.endsAtMs = performance.now() + leftMs;
}
