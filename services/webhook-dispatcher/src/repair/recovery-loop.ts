import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { countRecovery } from './count-recovery.ts';
import { enqueueBatch, type RepairStorage } from './enqueue-batch.ts';
import { finalizeCounts } from './finalize-counts.ts';
import type { RecoveryRef } from './position.rules.ts';
import { releaseHeld } from './release-held.ts';

/** A recovery gets a second's worth at a time. The start of one wakes every replica. */
const pollIntervalMs = 1_000;
const finalizeIntervalMs = 30_000;
const recoveriesMax = 1_000;
/** Of ten connections: counting a million deliveries of one account holds up no other account's recovery. */
const concurrency = 3;

/** The next running recoveries; those wait whose endpoint is off. */
const runningStatement = statement<Running>(
  'recoveries-running',
  `select r.id, r.account_id, r.endpoint_id, r.phase = 'count' as is_new
   from recoveries r left join endpoints e on e.id = r.endpoint_id and e.account_id = r.account_id
   where r.status = 'running' and r.id > $1 and (e.active is not false or r.phase = 'count')
   order by r.id limit ${recoveriesMax}`,
  { id: 'text', account_id: 'text', endpoint_id: 'text', is_new: 'bool' },
);

type Running = RecoveryRef & { readonly is_new: boolean };

async function* readRunning(database: Database): AsyncGenerator<Running> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Running[] = (await database.pool.query(runningStatement([after]))).rows;
    yield* page;
    after = page[recoveriesMax - 1]?.id;
  }
}

/**
 * Enqueues deliveries of the running recoveries in the background, in turns, batch by batch. The database holds how far each one is, so
 * any replica goes on with it, and another process continues where one died.
 */
export function startRecoveryLoop(
  options: RepairStorage & {
    readonly logger: Logger;
    /** Between two searches for what can be released: what it releases has waited three days, and a search reads a row of each endpoint that has something held. */
    readonly releaseIntervalMs: number;
    /** A batch made deliveries due. */
    readonly onDue: () => void;
  },
): BackgroundLoop {
  const { database, logger, releaseIntervalMs, onDue } = options;
  let [finalizedAtMs, releasedAtMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  /** Whether there is more to do at once. */
  const enqueueOne = async (recovery: Running, isClosing: () => boolean): Promise<boolean> => {
    try {
      if (recovery.is_new) await countRecovery(database, recovery);
      const { due, more } = await enqueueBatch(options, recovery);
      if (due) onDue();
      return more;
    } catch (err) {
      if (!isClosing())
        logger.warn({ err, recoveryId: recovery.id }, 'deliveries of a recovery could not be enqueued; retrying');
      return false;
    }
  };
  /** A batch of each running recovery. */
  const enqueueEach = async (isClosing: () => boolean): Promise<boolean> => {
    let more = false;
    const running = readRunning(database);
    const enqueueNext = async (): Promise<void> => {
      for await (const recovery of running) if (!isClosing() && (await enqueueOne(recovery, isClosing))) more = true;
    };
    await Promise.all(Array.from({ length: concurrency }, enqueueNext));
    return more;
  };
  let goesOn = false;
  const round = async (isClosing: () => boolean): Promise<void> => {
    goesOn = false;
    if (performance.now() - releasedAtMs >= releaseIntervalMs) {
      releasedAtMs = performance.now();
      await releaseHeld(options);
    }
    goesOn = await enqueueEach(isClosing);
    if (performance.now() - finalizedAtMs < finalizeIntervalMs) return;
    finalizedAtMs = performance.now();
    await finalizeCounts(database);
  };
  return startLoop({
    name: 'webhook-dispatcher.recoveries',
    round,
    pauseMs: () => (goesOn ? 0 : pollIntervalMs),
    onFailure: (err) => logger.warn({ err }, 'recoveries could not be read; retrying'),
  });
}
