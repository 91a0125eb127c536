import { newId } from '@app/contracts/ids';
import type { DailyResult } from '@app/contracts/subscriptions';
import { type Client, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { addResults, noCounts, resultOf } from './daily-counts.rules.ts';
import { type FlightDeps, singleFlight } from './single-flight.ts';
import type { DailyStep } from './steps.ts';

export interface DailyDeps extends FlightDeps {
  readonly logger: Logger;
  readonly steps: readonly DailyStep[];
}

interface Asked {
  readonly runId: string;
  readonly deadlineMs: number;
}

/** One account's run: every step, one after the other. */
export async function runForAccount(deps: DailyDeps, accountId: string, asked: Asked): Promise<DailyResult> {
  const flight = { accountId, platformRunId: null, ...asked };
  return await singleFlight(deps, flight, () => runSteps(deps, accountId, asked.runId));
}

/**
 * Runs for every account that has subscriptions and sums what they did. An account whose run fails does not keep the
 * others from theirs: the sum is then not `ok`.
 */
export async function runForAll(deps: DailyDeps, asked: Asked): Promise<DailyResult> {
  const flight = { accountId: null, platformRunId: null, ...asked };
  return await singleFlight(deps, flight, async (session) => {
    let sum = resultOf(noCounts());
    for await (const accountId of accountsWithSubscriptions(session)) {
      sum = addResults(sum, await runPart(deps, accountId, asked.runId, session));
    }
    return sum;
  });
}

const nextAccount = statement(
  'subscriptions-next-account',
  'select account_id from subscriptions where account_id > $1 order by account_id limit 1',
);

/** One step along the index for each account, however many subscriptions it has. */
async function* accountsWithSubscriptions(session: Client): AsyncGenerator<string> {
  let last = '';
  while (true) {
    const { rows } = await session.query<{ account_id: string }>(nextAccount([last]));
    const [row] = rows;
    if (row === undefined) return;
    last = row.account_id;
    yield last;
  }
}

/** An account's part in the run over all; recorded as a run of its own. */
async function runPart(
  deps: DailyDeps,
  accountId: string,
  platformRunId: string,
  session: Client,
): Promise<DailyResult> {
  const runId = newId('dailyRun', deps.clock.nowMs());
  const flight = { accountId, runId, platformRunId, deadlineMs: Number.POSITIVE_INFINITY };
  try {
    return await singleFlight(deps, flight, () => runSteps(deps, accountId, runId), session);
  } catch (err) {
    deps.logger.error({ err, accountId, runId, platformRunId }, 'daily run failed');
    return { ...resultOf(noCounts()), ok: false };
  }
}

const countDue = statement(
  'subscriptions-count-due',
  `select count(*) as due from subscriptions
   where account_id = $1 and status = 'active' and collection = 'automatic' and not test and current_period_end <= $2`,
);

async function runSteps(deps: DailyDeps, accountId: string, runId: string): Promise<DailyResult> {
  const startedMs = performance.now();
  const counts = noCounts();
  for (const step of deps.steps) await step(deps, accountId, counts);
  const { rows } = await deps.database.pool.query<{ due: number }>(countDue([accountId, deps.clock.now()]));
  const durationMs = Math.round(performance.now() - startedMs);
  deps.logger.info({ accountId, runId, durationMs, ...counts, stillDue: rows[0]?.due }, 'daily run');
  return resultOf(counts);
}
