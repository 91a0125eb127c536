import type { Logger } from '@app/service-kit/logger';
import type { Check } from '@app/service-kit/service';

const lookEveryMs = 10 * 60_000;
/** Sooner after a look that failed, and while accounts wait: the run that they wait for may end in another replica. */
const lookAgainAfterMs = 60_000;

export interface OverdueWatch {
  /** Accounts that waited for a run at the last look. */
  accounts(): number;
  /** Ready all the same: it says so in the health of the service. */
  readonly check: Check;
  /** Call it after a run of this process: looks again at once, if accounts waited for one. */
  runEnded(): void;
  close(): Promise<void>;
}

export interface OverdueWatchOptions {
  readonly logger: Logger;
  /** Tells the accounts that wait too long for a daily run, and returns how many those are; it ends early when `closing`. */
  readonly look: (closing: () => boolean) => Promise<number>;
  /** What those accounts have, for the health: "something due". */
  readonly waiting: string;
}

/** What the health says of accounts that wait for a daily run; undefined of none. @param waiting what they have */
export const overdueWarning = (accounts: number, waiting: string): string | undefined =>
  accounts === 0 ? undefined : `daily run overdue: ${accounts} accounts had none for 26 hours and have ${waiting}`;

/**
 * Looks at once, and then every ten minutes, whether daily runs are started; after a minute while some are overdue or when
 * the look failed, and at once after a run.
 */
export function startOverdueWatch({ logger, look, waiting }: OverdueWatchOptions): OverdueWatch {
  let accounts = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let runHasEnded = false;
  const lookAgain = async (): Promise<void> => {
    clearTimeout(timer);
    let nextMs = lookEveryMs;
    try {
      accounts = await look(() => closed);
      if (accounts > 0) nextMs = lookAgainAfterMs;
      if (accounts > 0) logger.warn({ accounts }, `the daily run is overdue: accounts with ${waiting}`);
    } catch (err) {
      nextMs = lookAgainAfterMs;
      logger.warn({ err }, 'overdue daily runs could not be checked; retrying in a minute');
    }
    if (closed) return;
    timer = setTimeout(() => {
      looking = lookAgain();
    }, nextMs);
    timer.unref();
  };
  let looking = lookAgain();
  return {
    accounts: () => accounts,
    runEnded: () => {
      if (accounts === 0 || runHasEnded) return;
      runHasEnded = true;
      // One that is under way may have passed the account already.
      looking = looking.then(async () => {
        runHasEnded = false;
        if (!closed) await lookAgain();
      });
    },
    check: {
      name: 'daily run',
      check: async () => undefined,
      warning: () => overdueWarning(accounts, waiting),
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
