import { daySeconds } from '@app/contracts/durations';
import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import type { Logger } from '@app/service-kit/logger';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { RateWindows } from './rate-windows.ts';

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
const exchangedAtOnce = 1_000;
/** Owners remembered; they are forgotten with their windows. */
const ownersMax = 50_000;

interface Use {
  readonly owner: Owner;
  /** Stored here and not told yet; below zero where more was freed, or told, since. */
  bytes: number;
  /** What all replicas have told, in kilobytes. */
  taken: number;
  endsAtMs: number;
}

/** @param kilobytes an account may store in a day; 0: no bound */
export function createStoredAnswers(windows: RateWindows, logger: Logger, kilobytes: number): StoredAnswers {
  if (kilobytes === 0) return unbounded;
  const uses = new Map<string, Use>();
  const due = new Set<Use>();
  const boundOf = ({ isAccount }: Owner): number => (isAccount ? kilobytes : Math.ceil(kilobytes * partOfAddress));
  const loop: BackgroundLoop = startLoop({
    name: 'gateway.stored-answers',
    round: () => exchange(windows, uses, due),
    pauseMs: () => exchangeMs,
    onFailure: (err) => logger.warn({ err }, 'bytes of stored answers are counted by this replica alone'),
  });
  const count = (owner: Owner, bytes: number): void => {
    const use = useOf(uses, owner);
    use.bytes += bytes;
    due.add(use);
  };
  const hasRoom = (owner: Owner): boolean => {
    const use = useOf(uses, owner);
    return use.taken + use.bytes / kilobyte <= boundOf(owner);
  };
  return {
    hasRoom,
    begun: (owner) => {
      if (hasRoom(owner)) return count(owner, recordBytes);
      const use = useOf(uses, owner);
      const detail =
        'The answers that are kept under your Idempotency-Keys have used up a day’s room. Those keys are answered as before; new ones are taken again later.';
      const leftSeconds = Math.ceil((use.endsAtMs - performance.now()) / 1_000);
      throw new RetryLaterError('idempotency_budget_used', detail, Math.max(1, leftSeconds));
    },
    freed: (owner) => count(owner, -recordBytes),
    stored: count,
    close: () => loop.close(),
  };
}

const unbounded: StoredAnswers = {
  hasRoom: () => true,
  begun: () => undefined,
  freed: () => undefined,
  stored: () => undefined,
  close: async () => undefined,
};

function useOf(uses: Map<string, Use>, owner: Owner): Use {
  const known = uses.get(owner.name);
  if (known !== undefined && known.endsAtMs > performance.now()) return known;
  if (uses.size >= ownersMax) uses.clear();
  const use = { owner, bytes: 0, taken: 0, endsAtMs: performance.now() + daySeconds * 1_000 };
  uses.set(owner.name, use);
  return use;
}

/** The shared window decides when the day ends. */
async function exchange(windows: RateWindows, uses: Map<string, Use>, due: Set<Use>): Promise<void> {
  // In one order, so that the statements of two replicas never deadlock.
  const told = [...due].slice(0, exchangedAtOnce).sort((one, other) => (one.owner.name < other.owner.name ? -1 : 1));
  if (told.length === 0) return;
  const amounts = told.map(({ bytes }) => Math.ceil(bytes / kilobyte));
  const counted = await windows.add(
    ...told.map(({ owner }, n) => ({
      caller: `stored ${owner.name}`,
      amount: amounts[n] as number,
      seconds: daySeconds,
    })),
  );
  for (const [n, use] of told.entries()) {
    use.bytes -= (amounts[n] as number) * kilobyte;
    use.taken = counted[n]?.taken ?? 0;
    use.endsAtMs = performance.now() + (counted[n]?.leftMs ?? 0);
    if (use.bytes <= 0) due.delete(use);
    if (uses.get(use.owner.name) === undefined) uses.set(use.owner.name, use);
  }
}
