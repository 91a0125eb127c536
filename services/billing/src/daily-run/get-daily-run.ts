import type { getDailyRun as contract } from '@app/contracts/daily-runs';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { allAccounts } from '@app/runs/run-lock';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import { type DailyRunRow, dailyRunOf, dailyRunTypes, findAlive } from './daily-run-rows.ts';

/** A command that joined a run that was under way finds that run under its own id, too. */
const getStatement = statement<DailyRunRow>(
  'daily-runs-get',
  `select ${namesOf(dailyRunTypes)} from daily_runs
   where account_id = $1 and id in ($2, (select c.result ->> 'runId' from commands as c where c.id = $2))
   order by id = $2 desc limit 1`,
  dailyRunTypes,
);

/** The run over all accounts is as far as the runs of the accounts that it has begun. */
const sumStatement = statement<Pick<DailyRunRow, 'done' | 'left_to_do'>>(
  'daily-runs-sum-of-parts',
  `select sum(done)::int as done, sum(left_to_do)::int as left_to_do from daily_runs where platform_run_id = $1`,
  { done: 'int4', left_to_do: 'int4' },
);

/**
 * One run of the account, or with '' one over all accounts.
 * @throws DomainError daily_run_not_found
 */
export async function getDailyRun(
  { database, clock }: { database: Database; clock: Clock },
  accountId: string,
  runId: string,
): Promise<RequestOutput<typeof contract>> {
  const { rows } = await database.pool.query(getStatement([accountId, runId]));
  const row = rows[0];
  if (row === undefined) throw new DomainError('daily_run_not_found', 'No daily run has this id.');
  const alive = await findAlive(database, accountId, [row]);
  if (accountId !== allAccounts) return dailyRunOf(row, clock.now(), alive);
  const { rows: sums } = await database.pool.query(sumStatement([row.id]));
  return dailyRunOf({ ...row, ...sums[0] }, clock.now(), alive);
}
