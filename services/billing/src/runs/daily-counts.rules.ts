import { type DailyResult, platformProblems, problemsMax, type RunProblem } from '@app/contracts/daily-runs';

/** What a run did; each step adds to the counts. */
export interface DailyCounts {
  charged: number;
  chargedCents: number;
  /** What `chargedCents` is made of: a sum for each currency. */
  chargedByCurrency: Record<string, number>;
  retried: number;
  /** Attempts that failed: the payment processor or the bank did not take them. */
  declined: number;
  canceled: number;
  holdsSettled: number;
  /** Due, and not charged because an earlier payment's outcome is unknown, or because its order is being or was given back. */
  blocked: number;
  /** Due, and left to the next run by the limit of charges. */
  waiting: number;
  /** Why the run is not `ok`. */
  problems: RunProblem[];
}

export const noCounts = (): DailyCounts => ({
  charged: 0,
  chargedCents: 0,
  chargedByCurrency: {},
  retried: 0,
  declined: 0,
  canceled: 0,
  holdsSettled: 0,
  blocked: 0,
  waiting: 0,
  problems: [],
});

/** Reminders are checkout's part, and counted there. */
export function resultOf(counts: DailyCounts): DailyResult {
  const {
    charged,
    chargedCents,
    retried,
    declined,
    canceled,
    holdsSettled,
    blocked,
    waiting,
    problems,
    chargedByCurrency,
  } = counts;
  return {
    ok: problems.length === 0,
    rebills: { charged, chargedCents, retried, canceled },
    recovery: { sent: 0, recovered: 0 },
    holdsSettled,
    chargedByCurrency,
    blocked,
    waiting,
    problems: problems.slice(0, problemsMax),
    ...(declined > 0 && { declined }),
  };
}

/** The sum of two results; `ok` when both are. */
export function addResults(a: DailyResult, b: DailyResult): DailyResult {
  const declined = (a.declined ?? 0) + (b.declined ?? 0);
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
    chargedByCurrency: addAmounts(a.chargedByCurrency, b.chargedByCurrency),
    blocked: a.blocked + b.blocked,
    waiting: a.waiting + b.waiting,
    problems: platformFirst([...a.problems, ...b.problems]).slice(0, problemsMax),
    ...(declined > 0 && { declined }),
  };
}

/** Those that an operator must mend are never left out for those that a seller must. */
const platformFirst = (problems: readonly RunProblem[]): RunProblem[] =>
  problems.toSorted((a, b) => Number(platformProblems.has(b.code)) - Number(platformProblems.has(a.code)));

type Amounts = Readonly<Record<string, number>>;

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sums: Record<string, number> = { ...a };
  for (const [currency, cents] of Object.entries(b)) sums[currency] = (sums[currency] ?? 0) + cents;
  return sums;
}

/** A part's result within the run over all accounts: its problems name the account. */
export function withAccountInProblems(result: DailyResult, accountId: string): DailyResult {
  const problems = result.problems.map(({ code, detail }) => ({ code, detail: `${accountId}: ${detail}` }));
  return { ...result, problems };
}
