import type { DailyResult } from '@app/contracts/daily-runs';

/** What a run did; each step adds to the counts. */
export interface DailyCounts {
  charged: number;
  chargedCents: number;
  retried: number;
  canceled: number;
  nudgesSent: number;
  recovered: number;
  holdsSettled: number;
}

export const noCounts = (): DailyCounts => ({
  charged: 0,
  chargedCents: 0,
  retried: 0,
  canceled: 0,
  nudgesSent: 0,
  recovered: 0,
  holdsSettled: 0,
});

/** The published shape. */
export function resultOf(counts: DailyCounts): DailyResult {
  const { charged, chargedCents, retried, canceled, nudgesSent, recovered, holdsSettled } = counts;
  return {
    ok: true,
    rebills: { charged, chargedCents, retried, canceled },
    recovery: { sent: nudgesSent, recovered },
    holdsSettled,
    problems: [],
  };
}

/** The sum of two results; `ok` when both are. */
export function addResults(a: DailyResult, b: DailyResult): DailyResult {
  return {
    ok: a.ok && b.ok,
    rebills: {
      charged: a.rebills.charged + b.rebills.charged,
      chargedCents: a.rebills.chargedCents + b.rebills.chargedCents,
      retried: a.rebills.retried + b.rebills.retried,
      canceled: a.rebills.canceled + b.rebills.canceled,
    },
    recovery: { sent: a.recovery.sent + b.recovery.sent, recovered: a.recovery.recovered + b.recovery.recovered },
    holdsSettled: a.holdsSettled + b.holdsSettled,
    problems: [...a.problems, ...b.problems].slice(0, 10),
  };
}
