import { dayMs, hourMs, minuteMs } from '@app/contracts/durations';

/** Where every service gets the time from. */
export interface Clock {
  now(): Date;
  nowMs(): number;
}

/** Real time plus an offset: it can be moved (tests, demo history) and keeps running after a move. */
export class AdjustableClock implements Clock {
  #offsetMs: number;

  constructor(startOffsetMs = 0) {
    this.#offsetMs = startOffsetMs;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  nowMs(): number {
    return Date.now() + this.#offsetMs;
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  moveTo(instant: Date): void {
    this.#shiftTo(instant.getTime() - Date.now());
  }

  advance(ms: number): void {
    this.#shiftTo(this.#offsetMs + ms);
  }

  reset(): void {
    this.#offsetMs = 0;
  }

  // One invalid date would make every later instant invalid.
  #shiftTo(offsetMs: number): void {
    if (!Number.isFinite(offsetMs)) throw new RangeError('the clock can only be moved to a valid date');
    this.#offsetMs = offsetMs;
  }
}

const pattern = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;
/** From 1970 to the last instant a Date can hold. */
const longestMs = 8.64e15;
const unitsMs = [7 * dayMs, dayMs, hourMs, minuteMs, 1_000];

/**
 * Milliseconds of an ISO 8601 duration of weeks, days, hours, minutes and seconds.
 * @throws RangeError for anything else; months and years have no fixed length
 */
export function parseIsoDuration(text: string): number {
  const parts = pattern.exec(text)?.slice(1);
  if (parts === undefined || parts.every((part) => part === undefined)) {
    throw new RangeError(`"${text}" is not an ISO 8601 duration of weeks, days, hours, minutes or seconds`);
  }
  const durationMs = parts.reduce(
    (sum, part, index) => sum + Math.round(Number(part ?? 0) * (unitsMs[index] as number)),
    0,
  );
  if (durationMs > longestMs) throw new RangeError(`"${text}" is longer than the calendar of a Date`);
  return durationMs;
}
