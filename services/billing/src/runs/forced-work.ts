import { idOfPart } from '@app/runs/run-for-each-account';
import { allAccounts } from '@app/runs/run-lock';
import { type Database, statement } from '@app/service-kit/database';

/** What forced runs have begun, and not finished. */
export interface ForcedWork {
  /** What was due by then is charged whatever the limit of charges. */
  readonly until: Date;
  /** The runs that worked on it: whatever one of them was paid is done. */
  readonly runs: readonly string[];
}

/**
 * A forced run over all accounts counts for those that had no result since: their part of it was not done. What was forced
 * longer ago than `$3` is decided anew.
 */
const readStatement = statement(
  'daily-runs-forced-work',
  `select id, forced_until, false as over_all from daily_runs where account_id = $1 and forced_until > $3
   union all
   select p.id, p.forced_until, true from daily_runs as p
   where p.account_id = $2 and p.forced_until > $3 and p.result is null and not exists (
     select from daily_runs as d
     where d.account_id = $1 and d.result is not null and (d.id > p.id or d.platform_run_id = p.id))`,
);

const keptMs = 7 * 86_400_000;

interface ForcedRow {
  readonly id: string;
  readonly forced_until: Date;
  readonly over_all: boolean;
}

/** Null when there is none. */
export async function readForcedWork({ pool }: Database, accountId: string, now: Date): Promise<ForcedWork | null> {
  const since = new Date(now.getTime() - keptMs);
  const { rows } = await pool.query<ForcedRow>(readStatement([accountId, allAccounts, since]));
  if (rows.length === 0) return null;
  return {
    until: new Date(Math.max(...rows.map(({ forced_until }) => forced_until.getTime()))),
    runs: rows.map(({ id, over_all }) => (over_all ? idOfPart(id, accountId) : id)),
  };
}

const keepStatement = statement(
  'daily-runs-keep-forced',
  'update daily_runs set forced_until = $3 where account_id = $1 and id = $2',
);

/** From now on the account's next run finishes what this run does not. */
export async function keepForcedWork(
  { pool }: Database,
  { accountId, runId }: { readonly accountId: string; readonly runId: string },
  until: Date,
): Promise<void> {
  await pool.query(keepStatement([accountId, runId, until]));
}

const endStatement = statement(
  'daily-runs-end-forced',
  'update daily_runs set forced_until = null where account_id = $1 and forced_until is not null',
);

/** All of it was charged, or tried. */
export async function endForcedWork({ pool }: Database, accountId: string): Promise<void> {
  await pool.query(endStatement([accountId]));
}
