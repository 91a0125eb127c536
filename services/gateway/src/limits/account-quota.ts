import { minuteMs, minuteSeconds } from '@app/contracts/durations';
import type { Logger } from '@app/service-kit/logger';
import { type CallerWindow, CallerWindows, resetSecondsOf } from './caller-windows.ts';
import type { RateWindows, Usage } from './rate-windows.ts';

/** The result of counting one request. */
export interface QuotaUse {
  readonly allowed: boolean;
  /** Requests that the account has left in its minute, over all its keys and sessions, as of 5 s ago at most. */
  readonly remaining: number;
  readonly resetSeconds: number;
  /** How long a request that is allowed is queued. */
  readonly waitMs: number;
}

interface AccountMinute extends CallerWindow {
  /** Leased for requests that come here. */
  granted: number;
  used: number;
  /** What no process had leased at this process's last statement. */
  left: number;
  /** When the pace admits the next request, by `performance.now()`. */
  slotMs: number;
  waiting: number;
  leasing: Promise<void> | undefined;
  requestedMs: number;
}

/**
 * Each lease is a sixteenth of what is left: one process that uses up 600 leases 66 times, the last 16 times one by one.
 * Only the first request of a minute and a burst wait for a lease. Units that another replica leased cannot be used here,
 * only there: at most a sixteenth for each replica, 38 of 600 with two.
 */
const portions = 16;
/**
 * A minute's requests are worked on at twice the pace at which they would last for the minute: 20 a second of 600. All 600 at once
 * took three seconds, in which everyone else waited for them; so the last of them waits for 27 s.
 */
const paceFactor = 2;
/** Requests that come at once without waiting, or a tenth of a greater limit: a third of a second of work. */
const atOnceMin = 60;
/** How old a replica's count of the others may be: one statement in 5 s for each account that is active there. */
const freshForMs = 5_000;
/** A slower database is not waited for: this process then counts the minute alone, and rejects no request for that. */
const usualStatementWithinMs = 250;

/**
 * One budget a minute for an account, held by all replicas together, and a pace at each: each leases portions from one row, ahead
 * of need. Together they never allow more, save while the database is away: then each allows the whole budget by itself.
 *
 * Measured for a request of twenty accounts: with leases 10 µs of this process and 9 of PostgreSQL, and no wait; a statement for
 * each 50 and 70, and a wait of 1 ms; `WindowLimiter`, which exchanges counts afterwards, 1 µs, but it lets each replica allow
 * what comes within a quarter of a second.
 */
export class AccountQuota {
  readonly limit: number;
  readonly #windows: RateWindows;
  readonly #logger: Logger;
  readonly #statementWithinMs: number;
  readonly #minutes: CallerWindows<AccountMinute>;
  #alone = false;

  /** @param limit requests a minute, more than 0 */
  constructor(limit: number, windows: RateWindows, logger: Logger, statementWithinMs = usualStatementWithinMs) {
    this.limit = limit;
    this.#minutes = new CallerWindows(minuteSeconds, (_, endsAtMs) => this.#begin(endsAtMs));
    this.#windows = windows;
    this.#logger = logger;
    this.#statementWithinMs = statementWithinMs;
  }

  /** Counts one request of the account. No promise while a lease lasts, which is nearly always. */
  take(accountId: string): QuotaUse | Promise<QuotaUse> {
    const minute = this.#minutes.of(accountId);
    if (minute.used < minute.granted) {
      minute.used += 1;
      if (isLow(minute) || isStale(minute)) void this.#lease(accountId, minute);
      return this.#use(minute, true);
    }
    if (minute.left === 0) return this.#use(minute, false);
    minute.waiting += 1;
    return this.#lease(accountId, minute).then(() => {
      minute.waiting -= 1;
      return this.take(accountId);
    });
  }

  #use(minute: AccountMinute, allowed: boolean): QuotaUse {
    const remaining = minute.granted - minute.used + minute.left;
    const waitMs = allowed ? this.#takeSlot(minute) : 0;
    return { allowed, remaining, resetSeconds: resetSecondsOf(minute, minuteSeconds), waitMs };
  }

  /** In how many milliseconds the pace admits this request. */
  #takeSlot(minute: AccountMinute): number {
    const nowMs = performance.now();
    const intervalMs = minuteMs / (paceFactor * this.limit);
    const others = Math.max(atOnceMin, this.limit / 10) - 1;
    const slotMs = Math.max(minute.slotMs, nowMs - others * intervalMs);
    minute.slotMs = slotMs + intervalMs;
    return Math.max(0, slotMs - nowMs);
  }

  #begin(endsAtMs: number): AccountMinute {
    const requestedMs = performance.now();
    return {
      endsAtMs,
      slotMs: Number.NEGATIVE_INFINITY,
      granted: 0,
      used: 0,
      left: this.limit,
      waiting: 0,
      leasing: undefined,
      requestedMs,
    };
  }

  /** One at a time for an account; never rejects. */
  #lease(accountId: string, minute: AccountMinute): Promise<void> {
    minute.leasing ??= this.#requestLease(accountId, minute).finally(() => {
      minute.leasing = undefined;
    });
    return minute.leasing;
  }

  async #requestLease(accountId: string, minute: AccountMinute): Promise<void> {
    const wanted = minute.waiting > 0 || isLow(minute);
    const amount = wanted ? Math.max(Math.ceil(minute.left / portions), minute.waiting) : 0;
    minute.requestedMs = performance.now();
    try {
      const use = { caller: `account ${accountId}`, amount, seconds: minuteSeconds };
      const [usage] = await within(this.#statementWithinMs, this.#windows.add(use));
      this.#enter(minute, amount, usage as Usage);
      if (this.#alone) this.#logger.info('rate limits are shared between replicas again');
      this.#alone = false;
    } catch (err) {
      minute.granted = this.limit;
      minute.left = 0;
      if (!this.#alone)
        this.#logger.warn({ err }, 'rate limits are counted by this replica alone: the database is unavailable');
      this.#alone = true;
    }
  }

  /** Units beyond the limit belong to no replica: of the last lease only the part below it is granted. */
  #enter(minute: AccountMinute, amount: number, { taken, leftMs }: Usage): void {
    if (taken === amount) {
      // The shared minute is a new one: what is left of the old one's lease ended with it.
      minute.granted = 0;
      minute.used = 0;
    }
    minute.granted += Math.min(amount, Math.max(0, this.limit - (taken - amount)));
    minute.left = Math.max(0, this.limit - taken);
    minute.endsAtMs = performance.now() + leftMs;
  }
}

/** Half of the next portion is left: time to lease the next. The last ones are leased one by one, on request. */
function isLow({ granted, used, left }: AccountMinute): boolean {
  return left > portions && granted - used <= left / portions / 2;
}

function isStale({ left, requestedMs }: AccountMinute): boolean {
  return left > 0 && performance.now() - requestedMs > freshForMs;
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  // After a pause of this very process the timer is due before what has arrived is read.
  const end = () => setImmediate(() => late.reject(new Error(`no result within ${limitMs} ms`)));
  const timer = setTimeout(end, limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
