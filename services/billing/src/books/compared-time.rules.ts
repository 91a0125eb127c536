const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** What a processor writes down late still lies in days that are compared again. */
const comparedDaysMs = 3 * dayMs;
/** The list begins so much earlier: a payment whose answer got lost is recorded here up to a day after it was there. */
const earlierMs = dayMs;
/** So far a later run of the day looks back, and about so often. */
const lookBackMs = hourMs;
/** A processor's clock may be behind ours, or before it, by so much. */
export const clocksDifferMs = 15 * 60_000;

/** What is known of earlier comparisons with one processor's list. */
export interface ComparedBefore {
  /** Until when it was compared; or when it was first used. */
  readonly since: Date;
  /** The end of the last comparison, when it was whole and showed no orphan. */
  readonly explained_until: Date | null;
  /** When a comparison last looked at what had been compared before as well. */
  readonly looked_back_at: Date | null;
}

export interface ComparedTime {
  readonly listFromMs: number;
  /** From when on each of our payments has to be in the list. */
  readonly fromMs: number;
  readonly looksBack: boolean;
  /** What the list lacks beyond what is asked for one by one is missing; otherwise the list may have begun too late for it. */
  readonly isWhole: boolean;
}

/**
 * The first comparison of a UTC day has the last three days, and more when none came for long. Where it showed no orphan,
 * later ones of the day go on where the last one ended; once an hour they look back an hour too, for what came late. What
 * came later still is found by the next day's first one.
 */
export function timeToCompare({ since, explained_until, looked_back_at }: ComparedBefore, now: Date): ComparedTime {
  const nowMs = now.getTime();
  const isSameDay = explained_until?.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  if (explained_until === null || looked_back_at === null || !isSameDay || explained_until > now) {
    const listFromMs = Math.min(since.getTime(), nowMs - earlierMs) - comparedDaysMs;
    return { listFromMs, fromMs: listFromMs + earlierMs, looksBack: true, isWhole: true };
  }
  if (nowMs - looked_back_at.getTime() < lookBackMs) {
    const fromMs = explained_until.getTime();
    return { listFromMs: fromMs, fromMs, looksBack: false, isWhole: false };
  }
  const fromMs = Math.min(explained_until.getTime(), looked_back_at.getTime()) - lookBackMs;
  return { listFromMs: fromMs - clocksDifferMs, fromMs, looksBack: true, isWhole: false };
}
