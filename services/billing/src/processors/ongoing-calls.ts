import { DomainError } from '@app/contracts/errors';
import { copyRefusal } from '@app/service-kit/installation';
import type { ProcessorCall } from './port.ts';

/** A call did not end by its deadline. */
export class NotInTimeError extends Error {
  override readonly name = 'NotInTimeError';
}

/** Calls of processors that this process makes: how long each may take, and an end to all of them when it closes. */
export interface OngoingCalls {
  /** How long a call may take, in milliseconds. */
  readonly deadlineMs: number;
  /**
   * Makes a call that ends by the deadline.
   * @throws what the call throws, NotInTimeError when the deadline passed, and DomainError service_unavailable where calls are held
   */
  make<T>(call: Call<T>, options?: CallOptions<T>): Promise<T>;
  /** Whether none may be made: this installation is a copy. */
  isHeld(): boolean;
  /** Whether this process waits for the answer to this payment. */
  has(paymentId: string): boolean;
  /** Marks a payment as waited for until the work ends. */
  during<T>(paymentId: string, work: () => Promise<T>): Promise<T>;
  /** Aborts what is under way, and waits for answers that are being recorded. */
  close(): Promise<void>;
}

/**
 * @param untimed runs a wait that is no part of the deadline
 * @param goesOn lets the deadline begin anew: of a call that is many, of which each may take as long
 */
type Call<T> = (signal: AbortSignal, untimed: NonNullable<ProcessorCall['untimed']>, goesOn: () => void) => Promise<T>;

export interface CallOptions<T> {
  /** Gets an answer that came after the deadline; it must not reject. */
  readonly late?: (answer: T) => Promise<void>;
  /** Another deadline than the usual one. */
  readonly limitMs?: number;
}

/**
 * @param deadlineMs how long a call may take, in real time; what is not known by then is unknown
 * @param isHeld whether no call may be made
 */
export function createOngoingCalls(deadlineMs: number, isHeld: () => boolean = () => false): OngoingCalls {
  let closed = false;
  const ends = new Set<() => void>();
  const recording = new Set<Promise<void>>();
  const waitedFor = new Set<string>();
  return {
    deadlineMs,
    isHeld,
    has: (paymentId) => waitedFor.has(paymentId),
    during: async (paymentId, work) => {
      waitedFor.add(paymentId);
      try {
        return await work();
      } finally {
        waitedFor.delete(paymentId);
      }
    },
    make: async (call, { late, limitMs = deadlineMs } = {}) => {
      if (closed) throw new Error('closing: no processor is called any more');
      if (isHeld()) throw new DomainError('service_unavailable', copyRefusal);
      const tooLate = Promise.withResolvers<never>();
      const limit = new AbortController();
      const end = (reason: Error): void => {
        tooLate.reject(reason);
        // Adapters end by the signal; one that does not is no longer waited for.
        limit.abort(reason);
      };
      const deadline = startDeadline(limitMs, () => end(new NotInTimeError(`no answer within ${limitMs} ms`)));
      const endAtClose = (): void => end(new Error('closing'));
      ends.add(endAtClose);
      const answer = (async () => await call(limit.signal, deadline.untimed, deadline.again))();
      answer.then(
        (value) => {
          if (!limit.signal.aborted || closed || late === undefined) return;
          const recorded = late(value).finally(() => recording.delete(recorded));
          recording.add(recorded);
        },
        () => undefined,
      );
      try {
        return await Promise.race([answer, tooLate.promise]);
      } finally {
        deadline.stop();
        ends.delete(endAtClose);
      }
    },
    close: async () => {
      closed = true;
      for (const end of ends) end();
      await Promise.all(recording);
    },
  };
}

/** A deadline that pauses during waits that are no part of it, and may begin anew. */
function startDeadline(limitMs: number, pass: () => void) {
  let leftMs = limitMs;
  let waits = 0;
  let startedMs = performance.now();
  let timer: NodeJS.Timeout | undefined = setTimeout(pass, leftMs);
  let isOver = false;
  const pause = (): void => {
    waits += 1;
    if (waits > 1) return;
    clearTimeout(timer);
    leftMs -= performance.now() - startedMs;
  };
  const go = (): void => {
    waits -= 1;
    if (waits > 0 || isOver) return;
    startedMs = performance.now();
    timer = setTimeout(pass, Math.max(0, leftMs));
  };
  return {
    stop: (): void => {
      isOver = true;
      clearTimeout(timer);
    },
    again: (): void => {
      leftMs = limitMs;
      if (waits > 0 || isOver) return;
      clearTimeout(timer);
      startedMs = performance.now();
      timer = setTimeout(pass, leftMs);
    },
    untimed: async <T>(wait: () => Promise<T>): Promise<T> => {
      pause();
      try {
        return await wait();
      } finally {
        go();
      }
    },
  };
}
