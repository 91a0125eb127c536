import { dayMs, hourMs } from '@app/contracts/durations';

/** The days that are compared again, because a processor may record something late. */
const comparedDaysMs = 3 * dayMs;
/** The list begins this much earlier: a payment whose answer got lost is recorded by us up to a day after the processor. */
const earlierMs = dayMs;
/** What a later run of the day compares again, and about how often it does. */
const recompareMs = hourMs;
/** How far a processor's clock may differ from ours. */
export const clocksDifferMs = 15 * 60_000;

/** What is known of earlier comparisons with one processor's list. */
export interface ComparedBefore {
  /** Until when it was compared; or when it was first used. */
  readonly since: Date;
  /** The end of the last comparison, when it was whole and showed no orphan. */
  readonly explained_until: Date | null;
  /** When a comparison last read what had been compared before as well. */
  readonly recompared_at: Date | null;
}

export interface ComparedTime {
  readonly listFromMs: number;
  /** From when on each of our payments has to be in the list. */
  readonly fromMs: number;
  readonly recompares: boolean;
  /** Whether the list is long enough to call a payment missing that it lacks; otherwise it may have begun too late for it. */
  readonly isWhole: boolean;
}

/**
 * The first comparison of a UTC day covers the last three days, and more after a long time without one. If it showed no
 * orphan, later ones of the day begin where the last one ended; once an hour they compare the last hour again, for records that
 * came late. The next day's first comparison finds what came later still.
 */
export function timeToCompare({ since, explained_until, recompared_at }: ComparedBefore, now: Date): ComparedTime {
  const nowMs = now.getTime();
  const isSameDay = explained_until?.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  if (explained_until === null || recompared_at === null || !isSameDay || explained_until > now) {
    const listFromMs = Math.min(since.getTime(), nowMs - earlierMs) - comparedDaysMs;
    return { listFromMs, fromMs: listFromMs + earlierMs, recompares: true, isWhole: true };
  }
  if (nowMs - recompared_at.getTime() < recompareMs) {
    const fromMs = explained_until.getTime();
    return { listFromMs: fromMs, fromMs, recompares: false, isWhole: false };
  }
  const fromMs = Math.min(explained_until.getTime(), recompared_at.getTime()) - recompareMs;
  return { listFromMs: fromMs - clocksDifferMs, fromMs, recompares: true, isWhole: false };
}
