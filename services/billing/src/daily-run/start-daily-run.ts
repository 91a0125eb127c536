import type { DailyResult } from '@app/contracts/daily-runs';
import { progressTable, startProgress } from '@app/runs/progress';
import { processCloses, runForEachAccount } from '@app/runs/run-for-each-account';
import {
  allAccounts,
  createRunLock,
  type RunLock,
  type RunLockDeps,
  type RunRequest,
  runStatements,
} from '@app/runs/run-lock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { newKeyRefusal } from '../processors/key-refusal.ts';
import { addResults, noCounts, resultOf, withAccountInProblems } from '../runs/daily-counts.rules.ts';
import type { DailyStep } from '../runs/daily-step.ts';
import { isDueEvenIfOpen } from '../subscriptions/renewals/due-subscriptions.ts';
import { accountsToVisit } from './accounts-to-visit.ts';
import { endLimitWaivers, waiveLimit } from './limit-waiver.ts';

/** A row that reminders alone have made begins anew when the run itself begins. */
export const dailyRuns = runStatements({ table: 'daily_runs', reset: 'done = null, left_to_do = null' });
const progressOfRuns = progressTable(dailyRuns.table);

export interface DailyDeps extends RunLockDeps {
  readonly runLock: RunLock<DailyResult>;
  readonly logger: Logger;
  /** `dailySteps`, as `openDailyRuns` puts them together. */
  readonly steps: readonly DailyStep[];
  /** Accounts that the run over all works on at the same time; each takes a permit beside its own. */
  readonly partsAtOnce: number;
  /** For how long the run over all accounts waits for one that makes no progress. */
  readonly partLimitMs: number;
  /** Milliseconds between two writes of a run's progress; a second unless given. */
  readonly progressEveryMs?: number;
}

export function createDailyDeps(deps: Omit<DailyDeps, 'runLock'>): DailyDeps {
  return { ...deps, runLock: createRunLock<DailyResult>(deps, dailyRuns) };
}

type DailyRunRequest = Pick<RunRequest, 'runId' | 'deadlineMs'> & {
  readonly force: boolean;
  readonly confirmsUnmatched?: boolean;
};

/**
 * Runs every step for one account, one after the other.
 * @throws DomainError outcome_unknown when it takes too long
 */
export async function runDailyForAccount(
  deps: DailyDeps,
  accountId: string,
  request: DailyRunRequest,
): Promise<DailyResult> {
  const run = { accountId, platformRunId: null, ...request, isInsufficient: insufficientFor(request) };
  return await deps.runLock.run(run, () => runSteps(deps, accountId, request));
}

/**
 * A forced run that joined one which stopped at the limit of charges has not been done, nor has a confirming one that joined
 * one which stopped at unmatched payments.
 */
function insufficientFor({ force, confirmsUnmatched }: DailyRunRequest) {
  const stops = [...(force ? ['charge_limit'] : []), ...(confirmsUnmatched ? ['charging_stopped'] : [])];
  return stops.length === 0
    ? undefined
    : ({ problems }: DailyResult): boolean => problems.some(({ code }) => stops.includes(code));
}

/**
 * Runs for every account that has anything due, a few at a time, and adds up their results. When the run of one account
 * fails or makes no progress, the others still run, and the sum is not `ok`.
 */
export async function runDailyForAll(deps: DailyDeps, request: DailyRunRequest): Promise<DailyResult> {
  const { database, partsAtOnce, partLimitMs } = deps;
  const { force } = request;
  const all = {
    partsAtOnce,
    partLimitMs,
    accounts: accountsOf(deps, request),
    part: ({ accountId, runId }: Pick<RunRequest, 'accountId' | 'runId'>) =>
      runSteps(deps, accountId, { runId, force }),
    progressOf: (accountId: string) => progressOf(database, accountId),
    isInsufficient: insufficientFor(request),
    none: resultOf(noCounts()),
    add: (sum: DailyResult, part: DailyResult, accountId: string) =>
      addResults(sum, withAccountInProblems(part, accountId)),
    failed: () => resultOf({ ...noCounts(), problems: [accountFailed] }),
  };
  return await runForEachAccount<DailyResult>(deps, all, request);
}

/** A forced run waives the limit before it visits the first: so it is waived, too, for those that it does not come to. */
async function* accountsOf({ database, clock }: DailyDeps, { runId, force }: DailyRunRequest): AsyncGenerator<string> {
  const now = clock.now();
  if (force) await waiveLimit(database, { accountId: allAccounts, runId }, now);
  yield* accountsToVisit(database, now);
}

const accountFailed = {
  code: 'account_failed',
  detail: 'The run failed or made no progress; the next one does what is left.',
} as const;

const progressStatement = statement<{ done: number | null }>(
  'daily-runs-progress-of',
  'select done from daily_runs where account_id = $1 and finished_at is null limit 1',
  { done: 'int4' },
);

async function progressOf(database: Database, accountId: string): Promise<number | null> {
  const { rows } = await database.pool.query(progressStatement([accountId]));
  return rows[0]?.done ?? null;
}

const countDue = statement<{ due: number }>(
  'subscriptions-count-due',
  `select count(*) as due from subscriptions
   where account_id = $1 and ${isDueEvenIfOpen('$2')}`,
  { due: 'int8' },
);

async function runSteps(
  deps: DailyDeps,
  accountId: string,
  { runId, force, confirmsUnmatched = false }: Pick<DailyRunRequest, 'runId' | 'force' | 'confirmsUnmatched'>,
): Promise<DailyResult> {
  const { clock, isClosing } = deps;
  const startedMs = performance.now();
  const counts = noCounts();
  const progress = startProgress(deps, progressOfRuns, { accountId, runId });
  const run = {
    accountId,
    runId,
    confirmsUnmatched,
    test: false,
    now: () => clock.now(),
    progress,
    isClosing,
    notCharged: new Set<string>(),
    keyRefusal: newKeyRefusal(),
  };
  try {
    if (force) await waiveLimit(deps.database, { accountId, runId }, clock.now());
    for (const step of deps.steps) {
      if (isClosing()) throw processCloses();
      await step(deps, run, counts);
    }
    // A step that stopped early left something to the next run, so this one has no result.
    if (isClosing()) throw processCloses();
  } finally {
    await progress.close();
  }
  const { rows } = await deps.database.pool.query(countDue([accountId, clock.now()]));
  const stillDue = rows[0]?.due;
  // What was waived is charged or not due any more: it holds for nothing that is overdue later.
  if (stillDue === 0) await endLimitWaivers(deps.database, accountId);
  const durationMs = Math.round(performance.now() - startedMs);
  deps.logger.info({ accountId, runId, durationMs, ...counts, stillDue }, 'daily run');
  return resultOf(counts);
}
