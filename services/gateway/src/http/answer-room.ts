import type { ServerResponse } from 'node:http';
import { DomainError } from '@app/contracts/errors';
import { TemporaryRefusal } from './temporary-refusal.ts';

export interface AnswerLimits {
  /** Reads of one operation that one account has under way at once. */
  readonly asked: number;
  /** Answers of more bytes than this are long, and of reads whose last answer was long so many are under way. */
  readonly longBytes: number;
  readonly askedLong: number;
  /** Bytes of answers that one account has not taken yet; while there are more, it reads nothing else. */
  readonly accountBytes: number;
  /** The same of all accounts; beyond, an answer that has come is not given. */
  readonly totalBytes: number;
  /** Reads of one operation and account that wait for room, and for how long. */
  readonly waiting: number;
  readonly waitMs: number;
  /** An answer that has waited longer is dropped with its connection as soon as somebody needs its room. */
  readonly patienceMs: number;
}

/**
 * An answer is at most a message of NATS, 8 MiB. One account holds 16 MiB and what comes while that fills up, 8 × 8 MiB;
 * all together hold 64 MiB. Eight reads of 3 ms are 2,600 a second, more than one process answers; long ones take some
 * 50 ms each of one thread and of the connection that everybody's answers come over, so two of an account are enough.
 */
export const answerLimits: AnswerLimits = {
  asked: 8,
  longBytes: 256 * 1024,
  askedLong: 2,
  accountBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  waiting: 100,
  waitMs: 5_000,
  patienceMs: 2_000,
};

/** A read, from its question until its answer is taken or its connection gone. */
export interface Place {
  /** The answer is here. Throws `service_unavailable` when it finds no room: then it must be dropped. */
  settle(bytes: number): void;
}

interface Waiter {
  readonly operation: string;
  readonly sinceMs: number;
  readonly admit: () => void;
  readonly refuse: () => void;
}

class Account {
  bytes = 0;
  readonly asked = new Map<string, number>();
  /** Operations whose last answer was long. */
  readonly long = new Set<string>();
  waiters: Waiter[] = [];
}

class Untaken {
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
 * Bounds the memory of answers that wait for their readers. A client that asks and does not read leaves its answers
 * with us: reads wait until their account has room, and slow readers make room for those who wait.
 */
export class AnswerRoom {
  readonly #limits: AnswerLimits;
  readonly #accounts = new Map<string, Account>();
  /** In the order in which they came. */
  readonly #untaken = new Set<Untaken>();
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** No promise when there is room, which is nearly always. Rejects with `service_unavailable`. */
  enter(accountId: string, operation: string, res: ServerResponse): Place | Promise<Place> {
    // Its end has passed already: a place would never be given back.
    if (res.closed) throw callerGone();
    const account = this.#accounts.get(accountId) ?? new Account();
    this.#accounts.set(accountId, account);
    const ahead = account.waiters.filter((waiter) => waiter.operation === operation).length;
    if (ahead === 0 && this.#hasRoom(account, operation)) return this.#ask(accountId, account, operation, res);
    if (ahead >= this.#limits.waiting) throw tooMuch();
    return this.#wait(accountId, account, operation, res);
  }

  #hasRoom(account: Account, operation: string): boolean {
    const { accountBytes, asked, askedLong } = this.#limits;
    const most = account.long.has(operation) ? askedLong : asked;
    return account.bytes < accountBytes && (account.asked.get(operation) ?? 0) < most;
  }

  #ask(accountId: string, account: Account, operation: string, res: ServerResponse): Place {
    account.asked.set(operation, (account.asked.get(operation) ?? 0) + 1);
    let answer: Untaken | null = null;
    let asking = true;
    const answered = () => {
      if (!asking) return;
      asking = false;
      const left = (account.asked.get(operation) ?? 0) - 1;
      if (left === 0) account.asked.delete(operation);
      else account.asked.set(operation, left);
    };
    res.once('close', () => {
      answered();
      if (answer !== null) this.#drop(answer);
      this.#admitWaiters(account);
      if (account.asked.size === 0 && account.bytes === 0 && account.waiters.length === 0) {
        this.#accounts.delete(accountId);
      }
    });
    return {
      settle: (bytes) => {
        answered();
        if (bytes > this.#limits.longBytes) account.long.add(operation);
        else account.long.delete(operation);
        if (!res.closed) {
          this.#makeRoom(bytes);
          answer = new Untaken(account, bytes, performance.now(), res);
          this.#untaken.add(answer);
          account.bytes += bytes;
          this.#bytes += bytes;
        }
        this.#admitWaiters(account);
      },
    };
  }

  #wait(accountId: string, account: Account, operation: string, res: ServerResponse): Promise<Place> {
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const waiter: Waiter = {
      operation,
      sinceMs: performance.now(),
      admit: () => {
        res.off('close', leave);
        resolve(this.#ask(accountId, account, operation, res));
      },
      refuse: () => {
        res.off('close', leave);
        reject(tooMuch());
      },
    };
    const leave = () => {
      account.waiters = account.waiters.filter((other) => other !== waiter);
      reject(tooMuch());
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
      if (this.#hasRoom(account, waiter.operation)) waiter.admit();
      else account.waiters.push(waiter);
    }
  }

  /** While anybody waits: the slowest readers make room, and who waited long enough hears that there is none. */
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
      for (const waiter of late) waiter.refuse();
      this.#admitWaiters(account);
    }
  }

  #makeRoom(bytes: number): void {
    const fits = () => this.#bytes + bytes <= this.#limits.totalBytes;
    this.#closeSlow(fits);
    if (!fits()) throw tooMuch();
  }

  /** Closes the connections of the slowest readers, those of one account if it is given, until that is enough. */
  #closeSlow(enough: () => boolean, account?: Account): void {
    const beforeMs = performance.now() - this.#limits.patienceMs;
    for (const untaken of this.#untaken) {
      if (untaken.sinceMs > beforeMs || enough()) return;
      if (account !== undefined && untaken.account !== account) continue;
      this.#drop(untaken);
      untaken.res.destroy();
    }
  }

  #drop(answer: Untaken): void {
    if (!this.#untaken.delete(answer)) return;
    answer.account.bytes -= answer.bytes;
    this.#bytes -= answer.bytes;
  }
}

/** Nobody hears it. */
function callerGone(): DomainError {
  return new DomainError('service_unavailable', 'The caller has gone before it was answered.');
}

function tooMuch(): DomainError {
  return new TemporaryRefusal(
    'service_unavailable',
    'This account asks for more at once than is answered, or leaves answers unread: ask for less at once.',
    1,
  );
}
