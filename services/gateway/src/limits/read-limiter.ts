import type { ServerResponse } from 'node:http';
import { DomainError } from '@app/contracts/errors';
import { RetryLaterError } from '../problems/retry-later-error.ts';

export interface ReadLimits {
  /** Reads of one operation that one reader runs at once. */
  readonly running: number;
  /** A response of more bytes is long. After a long response the operation runs this many reads at once. */
  readonly longBytes: number;
  readonly runningLong: number;
  /** Bytes of responses that one reader has not read yet. While there are more, its next reads wait. */
  readonly readerBytes: number;
  /** The same for all readers together. A response that does not fit is dropped. */
  readonly totalBytes: number;
  /** Reads of one operation and reader that may wait, and for how long. */
  readonly waiting: number;
  readonly waitMs: number;
  /** A client is slow when its response has waited longer. Slow clients are closed when others need the memory. */
  readonly slowAfterMs: number;
}

/**
 * A response is at most a message of NATS, 8 MiB. One reader holds 16 MiB, and 8 × 8 MiB more from reads that were
 * running when it reached them; all readers together hold 64 MiB. Eight reads of 3 ms are 2,600 a second, more than one
 * process serves. A long read takes some 50 ms of the one thread and of the NATS connection that all share: two at once
 * are enough.
 */
export const readLimits: ReadLimits = {
  running: 8,
  longBytes: 256 * 1024,
  runningLong: 2,
  readerBytes: 16 * 1024 * 1024,
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

/** An account, or the buyers of one client address. */
class Reader {
  bytes = 0;
  readonly running = new Map<string, number>();
  /** Operations whose last response was long. */
  readonly long = new Set<string>();
  waiters: Waiter[] = [];
}

class UnreadResponse {
  readonly reader: Reader;
  readonly bytes: number;
  readonly sinceMs: number;
  readonly res: ServerResponse;

  constructor(reader: Reader, bytes: number, sinceMs: number, res: ServerResponse) {
    this.reader = reader;
    this.bytes = bytes;
    this.sinceMs = sinceMs;
    this.res = res;
  }
}

const tickMs = 250;

/**
 * Bounds the memory of responses that clients have not read yet. A client that sends requests and does not read keeps
 * their responses in our memory: further reads of its reader wait, and slow clients are closed when others wait.
 */
export class ReadLimiter {
  readonly #limits: ReadLimits;
  readonly #readers = new Map<string, Reader>();
  /** The oldest first. */
  readonly #unread = new Set<UnreadResponse>();
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /**
   * A promise only when the read has to wait, which is rare.
   * @param readerKey an account's id, or `address ` and a client address
   * @param operation its id
   * @throws DomainError service_unavailable; a promise rejects with it
   */
  begin(readerKey: string, operation: string, res: ServerResponse): RunningRead | Promise<RunningRead> {
    // Its `close` event has passed already: the read would never end.
    if (res.closed) throw clientGone();
    const reader = this.#readers.get(readerKey) ?? new Reader();
    this.#readers.set(readerKey, reader);
    const ahead = reader.waiters.filter((waiter) => waiter.operation === operation).length;
    if (ahead === 0 && this.#mayRun(reader, operation)) return this.#run(readerKey, reader, operation, res);
    if (ahead >= this.#limits.waiting) throw tooManyReads();
    return this.#wait(readerKey, reader, operation, res);
  }

  #mayRun(reader: Reader, operation: string): boolean {
    const { readerBytes, running, runningLong } = this.#limits;
    const max = reader.long.has(operation) ? runningLong : running;
    return reader.bytes < readerBytes && (reader.running.get(operation) ?? 0) < max;
  }

  #run(readerKey: string, reader: Reader, operation: string, res: ServerResponse): RunningRead {
    reader.running.set(operation, (reader.running.get(operation) ?? 0) + 1);
    let response: UnreadResponse | null = null;
    let running = true;
    const stop = () => {
      if (!running) return;
      running = false;
      const left = (reader.running.get(operation) ?? 0) - 1;
      if (left === 0) reader.running.delete(operation);
      else reader.running.set(operation, left);
    };
    res.once('close', () => {
      stop();
      if (response !== null) this.#drop(response);
      this.#admitWaiters(reader);
      if (reader.running.size === 0 && reader.bytes === 0 && reader.waiters.length === 0) {
        this.#readers.delete(readerKey);
      }
    });
    return {
      hold: (bytes) => {
        stop();
        if (bytes > this.#limits.longBytes) reader.long.add(operation);
        else reader.long.delete(operation);
        if (!res.closed) {
          this.#freeMemory(bytes);
          response = new UnreadResponse(reader, bytes, performance.now(), res);
          this.#unread.add(response);
          reader.bytes += bytes;
          this.#bytes += bytes;
        }
        this.#admitWaiters(reader);
      },
    };
  }

  #wait(readerKey: string, reader: Reader, operation: string, res: ServerResponse): Promise<RunningRead> {
    const { promise, resolve, reject } = Promise.withResolvers<RunningRead>();
    const waiter: Waiter = {
      operation,
      sinceMs: performance.now(),
      admit: () => {
        res.off('close', leave);
        resolve(this.#run(readerKey, reader, operation, res));
      },
      reject: () => {
        res.off('close', leave);
        reject(tooManyReads());
      },
    };
    const leave = () => {
      reader.waiters = reader.waiters.filter((other) => other !== waiter);
      reject(tooManyReads());
    };
    res.once('close', leave);
    reader.waiters.push(waiter);
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
    return promise;
  }

  #admitWaiters(reader: Reader): void {
    if (reader.waiters.length === 0) return;
    const { waiters } = reader;
    reader.waiters = [];
    for (const waiter of waiters) {
      if (this.#mayRun(reader, waiter.operation)) waiter.admit();
      else reader.waiters.push(waiter);
    }
  }

  /** While reads wait: closes slow clients of their readers, and rejects reads that have waited too long. */
  #tick(): void {
    const nowMs = performance.now();
    const waiting = [...this.#readers.values()].filter(({ waiters }) => waiters.length > 0);
    if (waiting.length === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    for (const reader of waiting) {
      this.#closeSlow(() => reader.bytes < this.#limits.readerBytes, reader);
      const late = reader.waiters.filter(({ sinceMs }) => nowMs - sinceMs >= this.#limits.waitMs);
      reader.waiters = reader.waiters.filter((waiter) => !late.includes(waiter));
      for (const waiter of late) waiter.reject();
      this.#admitWaiters(reader);
    }
  }

  #freeMemory(bytes: number): void {
    const fits = () => this.#bytes + bytes <= this.#limits.totalBytes;
    this.#closeSlow(fits);
    if (!fits()) throw tooManyReads();
  }

  /** Closes slow clients, of one reader if it is given, the slowest first and until that is enough. */
  #closeSlow(enough: () => boolean, reader?: Reader): void {
    const beforeMs = performance.now() - this.#limits.slowAfterMs;
    for (const response of this.#unread) {
      if (response.sinceMs > beforeMs || enough()) return;
      if (reader !== undefined && response.reader !== reader) continue;
      this.#drop(response);
      response.res.destroy();
    }
  }

  #drop(response: UnreadResponse): void {
    if (!this.#unread.delete(response)) return;
    response.reader.bytes -= response.bytes;
    this.#bytes -= response.bytes;
  }
}

/** For the log: the client has closed its connection before the work was begun. */
export function clientGone(): DomainError {
  return new DomainError('service_unavailable', 'The client closed the connection before the answer.');
}

function tooManyReads(): DomainError {
  return new RetryLaterError(
    'service_unavailable',
    'Too many concurrent requests for this account, or answers that it does not read: send fewer at once.',
    1,
  );
}
