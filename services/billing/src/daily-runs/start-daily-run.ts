import type { DailyResult } from '@app/contracts/daily-runs';
import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { addResults, noCounts, resultOf } from './daily-counts.rules.ts';
import type { DailyStep } from './daily-step.ts';
import { startProgress } from './progress.ts';
import { allAccounts, type SingleFlightDeps, singleFlight } from './single-flight.ts';

export interface DailyDeps extends SingleFlightDeps {
  readonly logger: Logger;
  readonly steps: readonly DailyStep[];
  /** Accounts that the run over all works on at the same time; each takes a permit beside its own. */
  readonly partsAtOnce: number;
  /** How long the run over all accounts waits for one account's. */
  readonly partLimitMs: number;
  /** Whether the process closes: runs end early then, and have no result. */
  readonly isClosing: () => boolean;
}

interface RequestedRun {
  readonly runId: string;
  readonly deadlineMs: number;
  readonly force: boolean;
}

/** Runs every step for one account, one after the other. Throws `outcome_unknown` when it takes too long. */
export async function runForAccount(deps: DailyDeps, accountId: string, requested: RequestedRun): Promise<DailyResult> {
  const run = { accountId, platformRunId: null, ...requested };
  return await singleFlight(deps, run, () => runSteps(deps, run));
}

/**
 * Runs for every account that has subscriptions, holds, or payments to look at, a few at a time, and adds up their results. When the run of one account
 * fails or gets stuck, the others still run, and the sum is not `ok`.
 */
export async function runForAll(deps: DailyDeps, requested: RequestedRun): Promise<DailyResult> {
  const run = { accountId: allAccounts, platformRunId: null, ...requested };
  return await singleFlight(deps, run, async () => {
    let sum = resultOf(noCounts());
    const accounts = accountsToVisit(deps.database);
    const work = async (): Promise<void> => {
      for await (const accountId of accounts) {
        if (deps.isClosing()) throw closing();
        const part = await runPart(deps, accountId, requested);
        sum = addResults(sum, part);
      }
    };
    await Promise.all(Array.from({ length: deps.partsAtOnce }, work));
    return sum;
  });
}

const firstOf = (table: string, where = 'true'): string =>
  `(select account_id from ${table} where account_id > $1 and ${where} order by account_id limit 1)`;
const nextAccount = statement(
  'daily-runs-next-account',
  `select min(account_id) as account_id from (
     ${firstOf('subscriptions')} union all
     ${firstOf('holds', `status in ('held', 'settling')`)} union all
     ${firstOf('payments', 'next_check_at is not null')} union all
     ${firstOf('payments', `step = 'refund' and status = 'succeeded'`)}
   ) as accounts`,
);

/** Reads a few index entries for each account, however many subscriptions, holds and payments it has. */
async function* accountsToVisit(database: Database): AsyncGenerator<string> {
  let last = '';
  while (true) {
    const { rows } = await database.pool.query<{ account_id: string | null }>(nextAccount([last]));
    const next = rows[0]?.account_id ?? null;
    if (next === null) return;
    last = next;
    yield last;
  }
}

/** One account's run within the run over all. It has a row of its own, and goes on when nobody waits for it any more. */
async function runPart(deps: DailyDeps, accountId: string, platform: RequestedRun): Promise<DailyResult> {
  const { runId: platformRunId, force } = platform;
  const runId = newId('dailyRun', deps.clock.nowMs());
  const about = { accountId, runId, platformRunId };
  const failed = { ...resultOf(noCounts()), ok: false };
  const run = { ...about, deadlineMs: Date.now() + deps.partLimitMs };
  const part = singleFlight(deps, run, () => runSteps(deps, { accountId, runId, force })).catch((err: unknown) => {
    deps.logger.error({ err, ...about }, 'daily run failed');
    return failed;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<DailyResult>((resolve) => {
    timer = setTimeout(() => {
      deps.logger.error(about, 'daily run takes too long; the run over all accounts goes on without it');
      resolve(failed);
    }, deps.partLimitMs);
  });
  return await Promise.race([part, late]).finally(() => clearTimeout(timer));
}

const countDue = statement(
  'subscriptions-count-due',
  `select count(*) as due from subscriptions
   where account_id = $1 and status = 'active' and collection = 'automatic' and not test and current_period_end <= $2`,
);

interface RunToDo {
  readonly accountId: string;
  readonly runId: string;
  readonly force: boolean;
}

async function runSteps(deps: DailyDeps, { accountId, runId, force }: RunToDo): Promise<DailyResult> {
  const { clock, isClosing } = deps;
  const startedMs = performance.now();
  const counts = noCounts();
  const progress = startProgress(deps, { accountId, runId });
  const run = { accountId, runId, force, test: false, now: () => clock.now(), progress, isClosing };
  try {
    for (const step of deps.steps) {
      if (isClosing()) throw closing();
      await step(deps, run, counts);
    }
    // A step that stopped early left something to the next run, so this one has no result.
    if (isClosing()) throw closing();
  } finally {
    await progress.close();
  }
  const { rows } = await deps.database.pool.query<{ due: number }>(countDue([accountId, clock.now()]));
  const durationMs = Math.round(performance.now() - startedMs);
  deps.logger.info({ accountId, runId, durationMs, ...counts, stillDue: rows[0]?.due }, 'daily run');
  return resultOf(counts);
}

const closing = (): DomainError =>
  new DomainError('outcome_unknown', 'This process closes; the next run does what is left.');
