import { dayMs, minuteMs } from '@app/contracts/durations';
import { NotInTimeError, type OngoingCalls } from '../../charging/ongoing-calls.ts';

/** A list of a day has many pages. */
const limitMs = 5 * 60_000;
/** What one reading covers at first. */
const longestMs = dayMs;
const shortestMs = minuteMs;

interface Reading {
  readonly calls: Pick<OngoingCalls, 'make'>;
  readonly fromMs: number;
  /** Excluded. */
  readonly endMs: number;
  readonly isClosing: () => boolean;
  /** Reads from one time to another, until the signal ends that. */
  readonly read: (from: Date, to: Date, signal: AbortSignal) => Promise<void>;
  /** Whether what was not read in time may be read once more; always unless given. */
  readonly mayRepeat?: () => boolean;
  /** Called after each portion, with its end. */
  readonly onPortion?: (end: Date) => Promise<void>;
}

/**
 * Reads a processor's list portion by portion. Where one is not read in time, because others take much money through the same account
 * there, it is read anew in shorter ones: what is not ours makes it slow, and never stops it.
 * @throws NotInTimeError where not even a minute is read in time
 */
export async function readInPortions(reading: Reading): Promise<void> {
  const { calls, fromMs, endMs, isClosing, read, mayRepeat = () => true, onPortion } = reading;
  let portionMs = longestMs;
  let startMs = fromMs;
  while (startMs < endMs && !isClosing()) {
    const [from, to] = [new Date(startMs), new Date(Math.min(startMs + portionMs, endMs))];
    try {
      await calls.make((signal) => read(from, to, signal), { limitMs });
    } catch (err) {
      if (!(err instanceof NotInTimeError) || portionMs <= shortestMs || !mayRepeat()) throw err;
      portionMs = Math.max(shortestMs, Math.floor(portionMs / 4));
      continue;
    }
    if (isClosing()) return;
    await onPortion?.(to);
    startMs = to.getTime();
  }
}
