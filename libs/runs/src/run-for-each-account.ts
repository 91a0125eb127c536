import { hash } from 'node:crypto';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand, idSuffixOf, idTimeMs } from '@app/contracts/ids';
import type { Logger } from '@app/service-kit/logger';
import { allAccounts, type RunLock, type RunRequest } from './run-lock.ts';

/**
 * The run of one account within a run over all: the same id in whichever service makes it, and however often.
 * @param platformRunId the id of the run over all
 */
export function idOfPart(platformRunId: string, accountId: string): string {
  const entropy = hash('sha256', `${platformRunId} ${accountId}`, 'buffer');
  return idOfCommand('dailyRun', idSuffixOf(idTimeMs(platformRunId), entropy));
}

export interface EachAccountDeps<R extends object> {
  readonly runLock: RunLock<R>;
  readonly logger: Logger;
  readonly isClosing: () => boolean;
}

export interface EachAccountRun<R extends object> {
  /** Accounts that are worked on at the same time; each takes a permit of the single runLock beside the run's own. */
  readonly partsAtOnce: number;
  /** After so long without any sign of progress a part is no longer waited for, in milliseconds. */
  readonly partLimitMs: number;
  /** Every account that has something to do, once. */
  readonly accounts: AsyncIterable<string>;
  readonly part: (part: Pick<RunRequest, 'accountId' | 'runId'>) => Promise<R>;
  /** What changes while the account's run makes progress; null or undefined before the first. Left out, a part may take no longer than the limit. */
  readonly progressOf?: (accountId: string) => Promise<unknown>;
  /** As of `RunRequest`: for the run itself, and for its parts. */
  readonly isInsufficient?: ((result: R) => boolean) | undefined;
  readonly none: R;
  readonly add: (sum: R, part: R, accountId: string) => R;
  /** The result of a part that threw or was no longer waited for. */
  readonly failed: (accountId: string) => R;
}

/** Thrown when the process closes: a run that left something has no result. */
export const processCloses = (): DomainError =>
  new DomainError('outcome_unknown', 'The process is stopping: the next run does the rest.');

/**
 * Runs for every account, a few at a time, and adds up the results. A part that fails or gets stuck keeps no other from
 * its run. Each part is a run of its account, with a row of its own, and goes on when no caller waits for it any more.
 */
export async function runForEachAccount<R extends object>(
  { runLock, logger, isClosing }: EachAccountDeps<R>,
  own: EachAccountRun<R>,
  { runId, deadlineMs }: Pick<RunRequest, 'runId' | 'deadlineMs'>,
): Promise<R> {
  const all = { ...own, runLock, logger, isClosing };
  const run = { accountId: allAccounts, platformRunId: null, runId, deadlineMs, isInsufficient: all.isInsufficient };
  return await all.runLock.run(run, async () => {
    let sum = all.none;
    const accounts = all.accounts[Symbol.asyncIterator]();
    const work = async (): Promise<void> => {
      while (true) {
        if (all.isClosing()) throw processCloses();
        const next = await accounts.next();
        if (next.done === true) return;
        const part = await runPart(all, next.value, runId);
        sum = all.add(sum, part, next.value);
      }
    };
    await Promise.all(Array.from({ length: all.partsAtOnce }, work));
    // Parts that stopped early left something to the next run.
    if (all.isClosing()) throw processCloses();
    return sum;
  });
}

async function runPart<R extends object>(
  all: EachAccountDeps<R> & EachAccountRun<R>,
  accountId: string,
  platformRunId: string,
): Promise<R> {
  const runId = idOfPart(platformRunId, accountId);
  const logFields = { accountId, runId, platformRunId };
  let abandoned = false;
  const run = {
    ...logFields,
    isInsufficient: all.isInsufficient,
    // A caller that waits for another caller's run of the account waits for as long as that makes progress.
    get deadlineMs() {
      return abandoned ? 0 : Date.now() + all.partLimitMs;
    },
  };
  const part = all.runLock
    .run(run, () => all.part({ accountId, runId }))
    .catch((err: unknown) => {
      if (!abandoned) all.logger.error({ err, ...logFields }, 'run failed');
      return all.failed(accountId);
    });
  const stuck = watchProgress(all, accountId);
  const late = stuck.promise.then(() => {
    abandoned = true;
    all.logger.error(logFields, 'run of an account made no progress; continuing with the other accounts');
    return all.failed(accountId);
  });
  return await Promise.race([part, late]).finally(stuck.stop);
}

/** Resolves when the account's run has made no progress for as long as the limit. */
function watchProgress<R extends object>(
  { partLimitMs, progressOf }: EachAccountRun<R>,
  accountId: string,
): { promise: Promise<void>; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen: unknown;
  let timer: NodeJS.Timeout;
  let stopped = false;
  const check = async (): Promise<void> => {
    // A database that does not answer shows no progress.
    const now = (await progressOf?.(accountId).catch(() => seen)) ?? undefined;
    if (stopped) return;
    if (progressOf === undefined || now === seen) return resolve();
    seen = now;
    timer = setTimeout(() => void check(), partLimitMs);
  };
  timer = setTimeout(() => void check(), partLimitMs);
  return {
    promise,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
