import { dayMs, minuteMs } from '@app/contracts/durations';

/** Half a second into the minute: a timer may fire a little early, and would then find the same minute ahead of it. */
const intoTheMinuteMs = 500;

/** A time of day as DAILY_AT gives it, in UTC: minutes after midnight; undefined for what is none. */
export function startMinuteOf(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

/** When the job is due next, in epoch milliseconds. @param startMinute minutes after midnight, UTC */
export function nextStartMs(nowMs: number, startMinute: number): number {
  const todayMs = Math.floor(nowMs / dayMs) * dayMs + startMinute * minuteMs + intoTheMinuteMs;
  return todayMs > nowMs ? todayMs : todayMs + dayMs;
}

/** When the job was due last, in epoch milliseconds. @param startMinute minutes after midnight, UTC */
export const lastStartMs = (nowMs: number, startMinute: number): number => nextStartMs(nowMs, startMinute) - dayMs;

/**
 * Whether a run was missed while nothing ran: one was due since then.
 * @param since when the last run began; where there was none, when the first account was made; undefined without accounts
 */
export const isMissed = (since: string | undefined, nowMs: number, startMinute: number): boolean =>
  since !== undefined && Date.parse(since) < lastStartMs(nowMs, startMinute);
