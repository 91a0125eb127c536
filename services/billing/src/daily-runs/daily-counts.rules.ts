import { type DailyResult, problemsMax, type RunProblem } from '@app/contracts/daily-runs';

/** What a run did; each step adds to the counts. */
export interface DailyCounts {
  charged: number;
  chargedCents: number;
  /** What `chargedCents` is made of: a sum for each currency. */
  chargedByCurrency: Record<string, number>;
  retried: number;
  canceled: number;
  holdsSettled: number;
  /** Why the run is not `ok`. */
  problems: RunProblem[];
}

/** A result as it is kept with its run: with the sums that later runs are compared with. */
export interface KeptResult extends DailyResult {
  readonly chargedByCurrency?: Readonly<Record<string, number>>;
}

export const noCounts = (): DailyCounts => ({
  charged: 0,
  chargedCents: 0,
  chargedByCurrency: {},
  retried: 0,
  canceled: 0,
  holdsSettled: 0,
  problems: [],
});

/** Reminders are checkout's part, and counted there. */
export function resultOf(counts: DailyCounts): KeptResult {
  const { charged, chargedCents, retried, canceled, holdsSettled, problems, chargedByCurrency } = counts;
  return {
    ok: problems.length === 0,
    rebills: { charged, chargedCents, retried, canceled },
    recovery: { sent: 0, recovered: 0 },
    holdsSettled,
    problems: problems.slice(0, problemsMax),
    chargedByCurrency,
  };
}

/** The published shape. */
export function publishedResult({ chargedByCurrency: _, ...result }: KeptResult): DailyResult {
  return result;
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
    problems: [...a.problems, ...b.problems].slice(0, problemsMax),
  };
}

/** A part's result within the run over all accounts: its problems name the account. */
export function partOf(result: DailyResult, accountId: string): DailyResult {
  const problems = result.problems.map(({ code, detail }) => ({ code, detail: `${accountId}: ${detail}` }));
  return { ...result, problems };
}
