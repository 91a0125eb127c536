import { dayMs, hourMs, minuteMs } from '@app/contracts/durations';

/** Waits between the attempts: 12 attempts over 70 h 42 m 35 s. The first four fall within three minutes, which outlasts a redeploy. */
const stepsMs = [
  5_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  dayMs,
  dayMs,
];

export const attemptsMax = stepsMs.length + 1;

/** Each wait varies by ±20 %, so that a receiver does not get all retries at once when it is back. */
const jitter = 0.2;
const retryAfterMaxMs = dayMs;

/**
 * How long to wait after a failed attempt, in milliseconds; null after the last one.
 * @param number the attempt that failed, from 1; from 1 again when the delivery is sent again
 * @param random uniform in [0, 1)
 * @param retryAfterMs the wait that the receiver's Retry-After requests: honoured up to 24 hours, and never shortens a wait
 */
export function waitAfter(number: number, random: number, retryAfterMs: number | null): number | null {
  const step = stepsMs[number - 1];
  if (step === undefined) return null;
  const wait = Math.round(step * (1 - jitter + 2 * jitter * random));
  return Math.max(wait, Math.min(retryAfterMs ?? 0, retryAfterMaxMs));
}

/** A Retry-After header (RFC 9110: seconds or an HTTP date) in milliseconds from `nowMs`; null when it is neither. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const dateMs = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
