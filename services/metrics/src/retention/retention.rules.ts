import type { Retention } from '@app/contracts/retention';
import { fromZero } from '../metrics/formulas.rules.ts';
import { monthName, monthNumber } from '../metrics/metrics.rules.ts';

/** What became in a month of the subscriptions that were started in one. */
export interface StartedInMonth {
  /** `YYYY-MM`, UTC. */
  readonly started_in: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  /** How many were started then: 0 in any month but theirs. */
  readonly started: number;
  /** By how much the number of active ones changed. */
  readonly active_delta: number;
}

/** The months of start that end with the current one, the earliest first. */
export const monthsOfStart = (current: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => monthName(monthNumber(current) - count + 1 + index));

/** @param months of start, one after another, the last of which is the current one */
export function assembleRetention(rows: readonly StartedInMonth[], months: readonly string[]): Retention {
  const byStart = Map.groupBy(rows, ({ started_in }) => started_in);
  return {
    data: months.map((month, index) => {
      const own = byStart.get(month) ?? [];
      let active = 0;
      return {
        month,
        started: own.reduce((sum, { started }) => sum + started, 0),
        active: months.slice(index).map((end) => {
          active += own.find((row) => row.month === end)?.active_delta ?? 0;
          return fromZero(active);
        }),
      };
    }),
  };
}
