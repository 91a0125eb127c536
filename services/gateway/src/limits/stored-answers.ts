import { daySeconds } from '@app/contracts/durations';
import type { Logger } from '@app/service-kit/logger';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { RateWindows } from './rate-windows.ts';
import { WindowLimiter } from './window-limiter.ts';

/**
 * Bounds the bytes that answers under Idempotency-Keys take, over all replicas, in a window of a day for each owner. None that was stored is
 * dropped for it: what took effect is answered again for as long as it is kept.
 */
export interface StoredAnswers {
  /** Whether one more call may be recorded. @param owner an account, or the address of a caller without one */
  hasRoom(owner: Owner): boolean;
  /**
   * Counts the record of a call that begins: it stays where the call ends without a known outcome.
   * @throws DomainError idempotency_budget_used for an owner that has stored as much as it may in a day
   */
  begun(owner: Owner): void;
  /** The record of a call that had no effect was deleted. */
  freed(owner: Owner): void;
  /** The answer of a call was stored. */
  stored(owner: Owner, bytes: number): void;
  close(): Promise<void>;
}

export interface Owner {
  readonly name: string;
  readonly isAccount: boolean;
}

/** Beside the answer: key, fingerprint, ids, row and index. */
const recordBytes = 400;
const kilobyte = 1_024;
/** Of an address, as a part of what an account may store: a thousand purchases a day, each under three keys, use a third of it. */
const partOfAddress = 1 / 10;
/** One statement a second at most; what a process stores in that second, and what it has not told when it dies, is beyond the bound. */
const exchangeMs = 1_000;
/** Owners remembered; they are forgotten with their windows. */
const maxClients = 50_000;

/** @param kilobytes an account may store in a day; 0: no bound */
export function createStoredAnswers(windows: RateWindows, logger: Logger, kilobytes: number): StoredAnswers {
  if (kilobytes === 0) return unbounded;
  const open = (policy: string, limit: number): WindowLimiter => {
    const day = { seconds: daySeconds, exchangeMs, unsharedMax: Number.NEGATIVE_INFINITY, maxClients };
    return new WindowLimiter({ policy, limit, prefix: 'stored', ...day }, windows, logger);
  };
  const ofAccounts = open('stored-answers', kilobytes);
  const ofAddresses = open('stored-answers-of-addresses', Math.ceil(kilobytes * partOfAddress));
  const limiterOf = ({ isAccount }: Owner): WindowLimiter => (isAccount ? ofAccounts : ofAddresses);
  const count = (owner: Owner, bytes: number): void => {
    const limiter = limiterOf(owner);
    limiter.count(limiter.window(owner.name), bytes / kilobyte);
  };
  const hasRoom = (owner: Owner): boolean => limiterOf(owner).allowed(limiterOf(owner).window(owner.name));
  return {
    hasRoom,
    begun: (owner) => {
      if (hasRoom(owner)) return count(owner, recordBytes);
      const detail =
        'The answers that are kept under your Idempotency-Keys have used up a day’s room. Those keys are answered as before; new ones are taken again later.';
      const limiter = limiterOf(owner);
      throw new RetryLaterError('idempotency_budget_used', detail, limiter.resetSeconds(limiter.window(owner.name)));
    },
    freed: (owner) => count(owner, -recordBytes),
    stored: count,
    close: async () => void (await Promise.all([ofAccounts.close(), ofAddresses.close()])),
  };
}

const unbounded: StoredAnswers = {
  hasRoom: () => true,
  begun: () => undefined,
  freed: () => undefined,
  stored: () => undefined,
  close: async () => undefined,
};
