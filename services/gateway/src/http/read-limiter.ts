import type { ServerResponse } from 'node:http';
import { DomainError } from '@app/contracts/errors';
import { RetryLaterError } from '../problems/retry-later-error.ts';

export interface ReadLimits {
  /** Reads of one operation that one account runs at once. */
  readonly running: number;
  /** A response of more bytes is long. After a long response the operation runs this many reads at once. */
  readonly longBytes: number;
  readonly runningLong: number;
  /** Bytes of responses that one account has not read yet. While there are more, its next reads wait. */
  readonly accountBytes: number;
  /** The same for all accounts together. A response that does not fit is dropped. */
  readonly totalBytes: number;
  /** Reads of one operation and account that may wait, and for how long. */
  readonly waiting: number;
  readonly waitMs: number;
  /** A client is slow when its response has waited longer. Slow clients are closed when others need the memory. */
  readonly slowAfterMs: number;
}

/**
 * A response is at most a message of NATS, 8 MiB. One account holds 16 MiB, and 8 × 8 MiB more from reads that were
 * running when it reached them; all accounts together hold 64 MiB. Eight reads of 3 ms are 2,600 a second, more than one
 * process serves. A long read takes some 50 ms of the one thread and of the NATS connection that all share: two at once
 * are enough.
 */
export const readLimits: ReadLimits = {
  running: 8,
  longBytes: 256 * 1024,
  runningLong: 2,
  accountBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  waiting: 100,
  waitMs: 5_000,
  slowAfterMs: 2_000,
};

/** A read that may run. It ends when its response is closed. */
export interface RunningRead {
  /**
   * The service has replied.
   * @throws DomainError service_unavailable when the memory is full: then the response must be dropped
   */
  hold(bytes: number): void;
}

interface Waiter {
  readonly operation: string;
  readonly sinceMs: number;
  readonly admit: () => void;
  readonly reject: () => void;
}

class Account {
  bytes = 0;
  readonly running = new Map<string, number>();
  /** Operations whose last response was long. */
  readonly long = new Set<string>();
  waiters: Waiter[] = [];
}

class UnreadResponse {
  readonly account: Account;
  readonly bytes: number;
  readonly sinceMs: number;
  readonly res: ServerResponse;

  constructor(account: Account, bytes: number, sinceMs: number, res: ServerResponse) {
    this.account = account;
    this.bytes = bytes;
    this.sinceMs = sinceMs;
    this.res = res;
  }
}

const tickMs = 250;

/**
 * Bounds the memory of responses that clients have not read yet. A client that sends requests and does not read keeps
 * their responses in our memory: further reads of its account wait, and slow clients are closed when others wait.
 */
export class ReadLimiter {
  readonly #limits: ReadLimits;
  readonly #accounts = new Map<string, Account>();
  /** The oldest first. */
  readonly #unread = new Set<UnreadResponse>();
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /**
   * A promise only when the read has to wait, which is rare.
   * @param operation its id
   * @throws DomainError service_unavailable; a promise rejects with it
   */
  begin(accountId: string, operation: string, res: ServerResponse): RunningRead | Promise<RunningRead> {
    // Its `close` event has passed already: the read would never end.
    if (res.closed) throw clientGone();
    const account = this.#accounts.get(accountId) ?? new Account();
    this.#accounts.set(accountId, account);
    const ahead = account.waiters.filter((waiter) => waiter.operation === operation).length;
    if (ahead === 0 && this.#mayRun(account, operation)) return this.#run(accountId, account, operation, res);
    if (ahead >= this.#limits.waiting) throw tooManyReads();
    return this.#wait(accountId, account, operation, res);
  }

  #mayRun(account: Account, operation: string): boolean {
    const { accountBytes, running, runningLong } = this.#limits;
    const max = account.long.has(operation) ? runningLong : running;
    return account.bytes < accountBytes && (account.running.get(operation) ?? 0) < max;
  }

  #run(accountId: string, account: Account, operation: string, res: ServerResponse): RunningRead {
    account.running.set(operation, (account.running.get(operation) ?? 0) + 1);
    let response: UnreadResponse | null = null;
    let running = true;
    const stop = () => {
      if (!running) return;
      running = false;
      const left = (account.running.get(operation) ?? 0) - 1;
      if (left === 0) account.running.delete(operation);
      else account.running.set(operation, left);
    };
    res.once('close', () => {
      stop();
      if (response !== null) this.#drop(response);
      this.#admitWaiters(account);
      if (account.running.size === 0 && account.bytes === 0 && account.waiters.length === 0) {
        this.#accounts.delete(accountId);
      }
    });
    return {
      hold: (bytes) => {
        stop();
        if (bytes > this.#limits.longBytes) account.long.add(operation);
        else account.long.delete(operation);
        if (!res.closed) {
          this.#freeMemory(bytes);
          response = new UnreadResponse(account, bytes, performance.now(), res);
          this.#unread.add(response);
          account.bytes += bytes;
          this.#bytes += bytes;
        }
        this.#admitWaiters(account);
      },
    };
  }

  #wait(accountId: string, account: Account, operation: string, res: ServerResponse): Promise<RunningRead> {
    const { promise, resolve, reject } = Promise.withResolvers<RunningRead>();
    const waiter: Waiter = {
      operation,
      sinceMs: performance.now(),
      admit: () => {
        res.off('close', leave);
        resolve(this.#run(accountId, account, operation, res));
      },
      reject: () => {
        res.off('close', leave);
        reject(tooManyReads());
      },
    };
    const leave = () => {
      account.waiters = account.waiters.filter((other) => other !== waiter);
      reject(tooManyReads());
    };
    res.once('close', leave);
    account.waiters.push(waiter);
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
    return promise;
  }

  #admitWaiters(account: Account): void {
    if (account.waiters.length === 0) return;
    const { waiters } = account;
    account.waiters = [];
    for (const waiter of waiters) {
      if (this.#mayRun(account, waiter.operation)) waiter.admit();
      else account.waiters.push(waiter);
    }
  }

  /** While reads wait: closes slow clients of their accounts, and rejects reads that have waited too long. */
  #tick(): void {
    const nowMs = performance.now();
    const waiting = [...this.#accounts.values()].filter(({ waiters }) => waiters.length > 0);
    if (waiting.length === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    for (const account of waiting) {
      this.#closeSlow(() => account.bytes < this.#limits.accountBytes, account);
      const late = account.waiters.filter(({ sinceMs }) => nowMs - sinceMs >= this.#limits.waitMs);
      account.waiters = account.waiters.filter((waiter) => !late.includes(waiter));
      for (const waiter of late) waiter.reject();
      this.#admitWaiters(account);
    }
  }

  #freeMemory(bytes: number): void {
    const fits = () => this.#bytes + bytes <= this.#limits.totalBytes;
    this.#closeSlow(fits);
    if (!fits()) throw tooManyReads();
  }

  /** Closes slow clients, of one account if it is given, the slowest first and until that is enough. */
  #closeSlow(enough: () => boolean, account?: Account): void {
    const beforeMs = performance.now() - this.#limits.slowAfterMs;
    for (const response of this.#unread) {
      if (response.sinceMs > beforeMs || enough()) return;
      if (account !== undefined && response.account !== account) continue;
      this.#drop(response);
      response.res.destroy();
    }
  }

  #drop(response: UnreadResponse): void {
    if (!this.#unread.delete(response)) return;
    response.account.bytes -= response.bytes;
    this.#bytes -= response.bytes;
  }
}

/** For the log: the client has gone. */
function clientGone(): DomainError {
  return new DomainError('service_unavailable', 'The caller has gone before it was answered.');
}

function tooManyReads(): DomainError {
  return new RetryLaterError(
    'service_unavailable',
    'This account asks for more at once than is answered, or leaves answers unread: ask for less at once.',
    1,
  );
}
