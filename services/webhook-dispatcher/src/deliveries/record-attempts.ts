import { setTimeout as sleep } from 'node:timers/promises';
import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';
import { attemptsRecorded, type RecordedAttempt } from '../points/points.ts';
import type { Partitions } from '../storage/partitions.ts';
import type { Attempt } from './attempt.ts';
import { recordDelivered } from './record-delivered.ts';
import { recordFailed } from './record-failed.ts';

/** @returns ids of endpoints that have failed for a day or for five days */
async function writeAttempts(database: Database, attempts: readonly Attempt[]): Promise<string[]> {
  const delivered = attempts.filter((attempt) => attempt.delivered);
  const deliveredTo = [...new Set(delivered.map((attempt) => attempt.endpoint_id))].sort();
  if (delivered.length > 0) await recordDelivered(database, delivered, deliveredTo);
  if (delivered.length === attempts.length) return [];
  const failed = attempts.filter((attempt) => !attempt.delivered);
  return await recordFailed(database, failed, new Set(deliveredTo));
}

/** A response has up to 8 KiB, so 500 attempts are a statement of 4 MiB at most. */
const batchMax = 500;
const retryPauseMs = 250;
/**
 * Attempts gather for 20 ms between statements: at 500 attempts a second ten share one. The first of a burst is recorded
 * at once, and only readers of Recent activity see the delay of the others. A full batch is followed by the next at
 * once, or there would be a limit to the rate.
 */
const writePauseMs = 20;

export type Recorder = Batcher<Attempt, void>;

/**
 * Records attempts, in batches. During an outage of the database it keeps trying for as long as a lease lasts. After
 * that another process may claim the deliveries and send them again.
 */
export function createRecorder(options: {
  database: Database;
  partitions: Partitions;
  logger: Logger;
  leaseMs: number;
  /** The endpoint has failed for a day or for five days. */
  onFailingForLong: (endpointId: string) => void;
}): Recorder {
  const { database, partitions, logger, leaseMs, onFailingForLong } = options;
  const write = async (attempts: readonly Attempt[]): Promise<void> => {
    const giveUpAtMs = performance.now() + leaseMs;
    for (;;) {
      try {
        await partitions.cover(attempts.flatMap((attempt) => [attempt.id, attempt.delivery_id]));
        const failing = await writeAttempts(database, attempts);
        attemptsRecorded.announce(() => ({ attempts: attempts.map(announcedAttempt) }));
        for (const endpointId of failing) onFailingForLong(endpointId);
        return;
      } catch (err) {
        if (!(isOutage(err) || partitions.forgetAfter(err)) || performance.now() > giveUpAtMs) throw err;
        await sleep(retryPauseMs);
      }
    }
  };
  return createBatcher<Attempt, void>({
    maxSize: batchMax,
    run: async (attempts) => {
      try {
        await write(attempts);
      } catch (err) {
        // One attempt that cannot be stored must not lose the others.
        logger.warn({ err, attempts: attempts.length }, 'attempts could not be recorded together');
        for (const attempt of attempts) await write([attempt]).catch(logLost(logger, attempt));
      }
      if (attempts.length < batchMax) await sleep(writePauseMs);
      return attempts.map(() => ({ ok: true, value: undefined }));
    },
  });
}

const announcedAttempt = (attempt: Attempt): RecordedAttempt => ({
  deliveryId: attempt.delivery_id,
  accountId: attempt.account_id,
  endpointId: attempt.endpoint_id,
  number: attempt.number,
  delivered: attempt.delivered,
  statusCode: attempt.status_code,
});

const logLost = (logger: Logger, attempt: Attempt) => (err: unknown) =>
  logger.error({ err, attemptId: attempt.id, deliveryId: attempt.delivery_id }, 'attempt could not be recorded');
