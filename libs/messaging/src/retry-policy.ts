import { isOutage } from '@app/service-kit/outages';
import { usualTiming } from './consumer-timing.ts';

/** What becomes of an event whose handling failed. */
export type Verdict = { kind: 'retry'; delayMs: number } | { kind: 'dead-letter' };

/**
 * Attempts of an event that keeps failing: 1 s, 2 s, 4 s … 60 s, 60 s make about 6 minutes, which outlasts a roll-out: what
 * an old replica cannot read, a new one may. An outage of the database is no fault of the event and counts as no attempt.
 */
export const attemptsMax = 12;
const delayMaxMs = 60_000;

/**
 * Alone decides between another attempt and giving up.
 * @param attempts failures of its own, from 1
 * @param retryMs before the second attempt
 */
export function decide(err: unknown, attempts: number, retryMs = usualTiming.retryMs): Verdict {
  const delayMs = Math.min(delayMaxMs, retryMs * 2 ** Math.min(attempts - 1, 10));
  if (isOutage(err)) return { kind: 'retry', delayMs: Math.min(delayMs, 5_000) };
  return attempts >= attemptsMax ? { kind: 'dead-letter' } : { kind: 'retry', delayMs };
}

/**
 * Whether a batch that failed so may have one bad event in it: a statement that takes too long and a deadlock look like
 * outages, but may come from one event alone.
 */
export function mayBeOneEvent(err: unknown): boolean {
  const { code } = err as { code?: unknown };
  return !isOutage(err) || (typeof code === 'string' && /^(57014|40)/.test(code));
}

/** Three outages in a row, each of one event alone, speak against the database and not against three events. */
export const outagesMax = 3;

/** What becomes of a dead letter whose replay failed by itself; an outage ends the attempts of the others with it. */
export type ReplayVerdict = 'keep' | 'request-again' | 'outage';

/**
 * A statement that takes too long and a deadlock may be the database's fault: such a letter is tried as often as an event
 * that fails by itself. Without an end its replay would be repeated for ever, as that of an event is.
 * @param attempts failures of this letter that may be its own, from 1
 * @param outages in a row, of this letter and those tried before it
 */
export function decideReplay(err: unknown, attempts: number, outages: number): ReplayVerdict {
  if (!mayBeOneEvent(err)) return 'outage';
  if (!isOutage(err) || attempts >= attemptsMax) return 'keep';
  return outages >= outagesMax ? 'outage' : 'request-again';
}
