import { withoutDailyRunMs } from '@app/contracts/daily-runs';
import { idTimeMs } from '@app/contracts/ids';
import { type OverdueWatch, overdueAdvice, startOverdueWatch } from '@app/runs/overdue-watch';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { overdueNotified } from '../points/points.ts';
import { notifyOfRun } from '../runs/notify-of-run.ts';
import { accountsDueSince } from './accounts-to-visit.ts';

export interface OverdueDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly wakeRelay: () => void;
  /** When the deployment runs it next by itself, in epoch milliseconds. */
  readonly nextDailyRunMs?: () => number | undefined;
}

export const watchOverdue = (deps: OverdueDeps): OverdueWatch =>
  startOverdueWatch({
    logger: deps.logger,
    check: (closing) => notifyOverdue(deps, closing),
    waiting: 'something due',
  });

/** One that was interrupted has no result, and does not count. */
const lastRunStatement = statement<{ id: string; finished_at: Date }>(
  'daily-runs-last-of-account',
  `select id, finished_at from daily_runs where account_id = $1 and result is not null order by id desc limit 1`,
  { finished_at: 'timestamptz', id: 'text' },
);

/**
 * Notifies each account whose subscriptions or holds were due 26 hours ago, are due still, and had no run since: once for
 * each lapse.
 * @returns how many accounts that are
 */
export async function notifyOverdue(deps: OverdueDeps, closing: () => boolean = () => false): Promise<number> {
  const by = new Date(deps.clock.nowMs() - withoutDailyRunMs);
  const accountIds: string[] = [];
  for await (const accountId of accountsDueSince(deps.database, by)) {
    if (closing()) break;
    // What fell due before there was an account, as in records that were brought along, no run of it has missed.
    if (idTimeMs(accountId) > by.getTime()) continue;
    const values = [accountId];
    const { rows } = await deps.database.pool.query(lastRunStatement(values));
    const [last] = rows;
    if (last !== undefined && last.finished_at > by) continue;
    accountIds.push(accountId);
    await notifyOfRun(deps, {
      accountId,
      code: 'overdue',
      once: last?.id ?? 'first',
      nowMs: deps.clock.nowMs(),
      summary:
        `The daily run is overdue: ${last === undefined ? 'none ran yet' : `the last one ended at ${last.finished_at.toISOString()}`}, ` +
        `and charges or holds wait for it. ${overdueAdvice(deps.nextDailyRunMs?.())}`,
    });
  }
  overdueNotified.announce(() => ({ accountIds }));
  return accountIds.length;
}
