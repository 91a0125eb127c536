import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { Check } from '@app/service-kit/service';
import { withoutDailyRunMs } from '../payments/payment.rules.ts';
import { accountsDueSince } from './accounts-to-visit.ts';
import { tellOnce } from './notice.ts';

const lookEveryMs = 10 * 60_000;

export interface OverdueDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly wakeRelay: () => void;
}

export interface OverdueWatch {
  /** Accounts that waited for a run at the last look. */
  accounts(): number;
  /** Ready all the same: it says so in the health of the service. */
  readonly check: Check;
  close(): Promise<void>;
}

/** Looks at once, and then every ten minutes, whether anybody starts daily runs. */
export function watchOverdue(deps: OverdueDeps): OverdueWatch {
  let accounts = 0;
  const look = async (): Promise<void> => {
    try {
      accounts = await tellOverdue(deps);
    } catch (err) {
      deps.logger.warn({ err }, 'whether daily runs are overdue is not known; the next look is in ten minutes');
    }
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lookEveryMs);
  timer.unref();
  return {
    accounts: () => accounts,
    check: {
      name: 'daily run',
      check: async () => undefined,
      warning: () =>
        accounts === 0
          ? undefined
          : `daily run overdue: ${accounts} accounts had none for 26 hours and have something due`,
    },
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

/** One that was interrupted has no result, and does not count. */
const lastRunStatement = statement(
  'daily-runs-last-of-account',
  `select id, finished_at from daily_runs where account_id = $1 and result is not null order by id desc limit 1`,
);

/**
 * Tells each account whose subscriptions or holds were due 26 hours ago, are due still, and had no run since: once for
 * each lapse.
 * @returns how many accounts that are
 */
export async function tellOverdue(deps: OverdueDeps): Promise<number> {
  const by = new Date(deps.clock.nowMs() - withoutDailyRunMs);
  let accounts = 0;
  for await (const accountId of accountsDueSince(deps.database, by)) {
    const values = [accountId];
    const { rows } = await deps.database.pool.query<{ id: string; finished_at: Date }>(lastRunStatement(values));
    const [last] = rows;
    if (last !== undefined && last.finished_at > by) continue;
    accounts += 1;
    await tellOnce(deps, {
      ...{ accountId, code: 'overdue', once: last?.id ?? 'first', nowMs: deps.clock.nowMs() },
      summary:
        `The daily run is overdue: ${last === undefined ? 'none ran yet' : `the last one ended at ${last.finished_at.toISOString()}`}, ` +
        'and charges or holds wait for it. Let a scheduler call POST /api/cron/daily once a day, or run `npm run daily`.',
    });
  }
  if (accounts > 0) deps.logger.warn({ accounts }, 'the daily run is overdue');
  return accounts;
}
