import { dayMs } from '@app/contracts/durations';
import { allAccounts } from '@app/runs/run-lock';
import { type Database, statement } from '@app/service-kit/database';

/*
 * A forced run waives the limit of charges: its row says until when. What was due by then is charged whatever the limit, by
 * that run or, if it dies, or the processor leaves it without answers or refuses the API key, by the next one. A subscription
 * that is paid is due again on the next day at the earliest, so the waiver is for one period of each.
 */

/** A waiver that is older was not made for what is due now: the limit decides anew. */
const keptMs = 7 * dayMs;

/** That of a run over all accounts holds for those that had no result since: their part of it was not done. */
const readStatement = statement<{ waived_until: Date | null }>(
  'daily-runs-limit-waived-until',
  `select max(waived_until) as waived_until from (
     select limit_waived_until as waived_until from daily_runs where account_id = $1 and limit_waived_until > $3
     union all
     select p.limit_waived_until from daily_runs as p
     where p.account_id = $2 and p.limit_waived_until > $3 and p.result is null and not exists (
       select from daily_runs as d
       where d.account_id = $1 and d.result is not null and (d.id > p.id or d.platform_run_id = p.id))) as waivers`,
  { waived_until: 'timestamptz' },
);

/** What was due by then, the limit of charges does not count; null when nothing is waived. */
export async function readLimitWaiver({ pool }: Database, accountId: string, now: Date): Promise<Date | null> {
  const since = new Date(now.getTime() - keptMs);
  const { rows } = await pool.query(readStatement([accountId, allAccounts, since]));
  return rows[0]?.waived_until ?? null;
}

const waiveStatement = statement(
  'daily-runs-waive-limit',
  'update daily_runs set limit_waived_until = $3 where account_id = $1 and id = $2',
);

/** From now on the account's next run charges what this run leaves of what was due by `until`. */
export async function waiveLimit(
  { pool }: Database,
  { accountId, runId }: { readonly accountId: string; readonly runId: string },
  until: Date,
): Promise<void> {
  await pool.query(waiveStatement([accountId, runId, until]));
}

const endStatement = statement(
  'daily-runs-end-limit-waivers',
  'update daily_runs set limit_waived_until = null where account_id = $1 and limit_waived_until is not null',
);

/** All that they waived was charged, or tried. */
export async function endLimitWaivers({ pool }: Database, accountId: string): Promise<void> {
  await pool.query(endStatement([accountId]));
}
