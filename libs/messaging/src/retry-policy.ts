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
