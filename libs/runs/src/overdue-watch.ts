import { minuteMs } from '@app/contracts/durations';
import { startLoop } from '@app/service-kit/background-loop';
import type { Logger } from '@app/service-kit/logger';
import type { Check } from '@app/service-kit/service';

const checkEveryMs = 10 * minuteMs;
/** Sooner after a check that failed, and while accounts wait: the run that they wait for may end in another replica. */
const checkAgainAfterMs = minuteMs;

export interface OverdueWatch {
  /** Accounts that waited for a run at the last check. */
  accounts(): number;
  /** Ready all the same: it says so in the health of the service. */
  readonly check: Check;
  /** Call it after a run of this process: checks again at once, if accounts waited for one. */
  runEnded(): void;
  close(): Promise<void>;
}

export interface OverdueWatchOptions {
  readonly logger: Logger;
  /** Notifies the accounts that wait too long for a daily run, and returns how many those are; it ends early when `closing`. */
  readonly check: (closing: () => boolean) => Promise<number>;
  /** What those accounts have, for the health: "something due". */
  readonly waiting: string;
}

/**
 * What a seller does about a daily run that is overdue, at the end of the notice.
 * @param nextMs when the deployment runs it next by itself, in epoch milliseconds; undefined where it does not
 */
export const overdueAdvice = (nextMs: number | undefined): string =>
  nextMs === undefined
    ? 'Run it now on the page “Daily job”. So that it runs each day: `npm start` runs it by itself where DAILY_AT is a time of day, ' +
      'and a scheduler of your own runs `npm run daily`, or sends POST /api/cron/daily, once a day.'
    : `The platform runs it by itself, next at ${new Date(nextMs).toISOString()}, or sooner where it missed one. You can also run it now on the page “Daily job”.`;

/** What the health says of accounts that wait for a daily run; undefined of none. @param waiting what they have */
const overdueWarning = (accounts: number, waiting: string): string | undefined =>
  accounts === 0 ? undefined : `daily run overdue: ${accounts} accounts had none for 26 hours and have ${waiting}`;

/**
 * Checks at once, and then every ten minutes, whether daily runs are started; after a minute while some are overdue or when
 * the check failed, and at once after a run.
 */
export function startOverdueWatch({ logger, check, waiting }: OverdueWatchOptions): OverdueWatch {
  let accounts = 0;
  let pauseMs = checkAgainAfterMs;
  const loop = startLoop({
    name: 'overdue-watch',
    round: async (isClosing) => {
      pauseMs = checkAgainAfterMs;
      accounts = await check(isClosing);
      if (accounts > 0) logger.warn({ accounts }, `the daily run is overdue: accounts with ${waiting}`);
      else pauseMs = checkEveryMs;
    },
    pauseMs: () => pauseMs,
    onFailure: (err) => logger.warn({ err }, 'overdue daily runs could not be checked; retrying in a minute'),
  });
  return {
    accounts: () => accounts,
    // A check that is under way may have passed the account already: another one follows it.
    runEnded: () => {
      if (accounts > 0) loop.wake();
    },
    check: {
      name: 'daily run',
      check: async () => undefined,
      warning: () => overdueWarning(accounts, waiting),
    },
    close: loop.close,
  };
}
