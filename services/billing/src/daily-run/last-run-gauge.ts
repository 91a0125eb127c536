import { allAccounts } from '@app/runs/run-lock';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { observeGauges, serviceGauge } from '@app/service-kit/metrics';

const lastRunAge = serviceGauge(
  'daily_run.age',
  's',
  'Since the end of the last daily run over all accounts, absent before the first',
);

/** Runs of all accounts together are one a day; one that was interrupted has no result and does not count. */
const lastRunStatement = statement<{ finished_at: Date }>(
  'daily-runs-last',
  `select finished_at from daily_runs where account_id = $1 and result is not null order by id desc limit 1`,
  { finished_at: 'timestamptz' },
);

/** How long ago the last daily run over all accounts ended. */
export function observeLastRun(database: Database, clock: Clock): { close(): void } {
  return observeGauges('billing', [lastRunAge], async () => {
    const { rows } = await database.pool.query(lastRunStatement([allAccounts]));
    return rows.map((row) => ({ gauge: lastRunAge, value: (clock.nowMs() - row.finished_at.getTime()) / 1_000 }));
  });
}
