import { statement } from '@app/service-kit/database';
import type { DailyStep } from '../../runs/daily-step.ts';

/** A run that has no result, and may get one no more: its process died, or it was closed. */
const ofRunWithoutResult = `exists (
  select from daily_runs as d where d.account_id = $1 and d.id = c.counted_run_id and d.result is null)`;

/**
 * Counts for the run what no run with a result has counted, its own earlier attempt included, and deletes what others have.
 * $1 account, $2 test, $3 run
 */
const takeStatement = statement<CountedRenewals>(
  'renewal-counts-take',
  `with counted as (
     delete from renewal_counts as c
     where account_id = $1 and test = $2 and counted_run_id <> $3 and not ${ofRunWithoutResult}
   ), taken as (
     update renewal_counts as c set counted_run_id = $3
     where account_id = $1 and test = $2
       and (counted_run_id is null or counted_run_id = $3 or ${ofRunWithoutResult})
     returning currency, charged, charged_cents, retried, declined, canceled
   )
   select currency, sum(charged)::int as charged, sum(charged_cents)::bigint as charged_cents,
     sum(retried)::int as retried, sum(declined)::int as declined, sum(canceled)::int as canceled
   from taken group by currency order by currency`,
  { canceled: 'int4', charged: 'int4', charged_cents: 'int8', currency: 'text', declined: 'int4', retried: 'int4' },
);

interface CountedRenewals {
  readonly currency: string;
  readonly charged: number;
  readonly charged_cents: number;
  readonly retried: number;
  readonly declined: number;
  readonly canceled: number;
}

/**
 * The step that counts renewals: all of the account whose outcome was recorded since its last result, by any process. So
 * each is counted in one result: those of this run, those that its look-ups, the payments loop or a late answer ended, and those of a
 * run that died.
 */
export const takeRenewalCounts: DailyStep = async ({ database }, { accountId, runId, test }, counts) => {
  const { rows } = await database.pool.query(takeStatement([accountId, test, runId]));
  for (const { currency, charged, charged_cents, retried, declined, canceled } of rows) {
    counts.charged += charged;
    counts.chargedCents += charged_cents;
    counts.retried += retried;
    counts.declined += declined;
    counts.canceled += canceled;
    if (charged_cents === 0) continue;
    counts.chargedByCurrency[currency] = (counts.chargedByCurrency[currency] ?? 0) + charged_cents;
  }
};
