import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { applyBatch, type ChangeStorage } from './apply-change.ts';

export interface ApplyingChanges extends BackgroundLoop {
  /** Applies a change to up to two batches at once, all that most endpoints have; the background does the rest. Never rejects. */
  applyFew(endpointId: string): Promise<void>;
}

/** A change wakes every replica. Polling finds the changes of a replica that died before it could announce them. */
const pollIntervalMs = 1_000;
const endpointsMax = 1_000;
const changedStatement = statement<{ endpoint_id: string }>(
  'endpoints-changed',
  `select endpoint_id from endpoint_changes order by changed_at, endpoint_id limit ${endpointsMax}`,
  { endpoint_id: 'text' },
);

/**
 * Applies in the background the changes of endpoints to the deliveries that wait for them. Endpoints take turns,
 * batch by batch, so that a million deliveries of one account delay no other account. The database holds what is left to
 * do, so another process continues where one died.
 */
export function startApplyingChanges(options: ChangeStorage & { readonly logger: Logger }): ApplyingChanges {
  const { database, logger } = options;
  const applyOne = async (endpointId: string): Promise<boolean> => (await applyBatch(options, endpointId)) !== null;
  /** One whose batch fails waits for the next round, and holds up no other. */
  const applyAll = async (isClosing: () => boolean): Promise<void> => {
    const failed = new Set<string>();
    for (;;) {
      const { rows } = await database.pool.query(changedStatement());
      const next = rows
        .map(({ endpoint_id: endpointId }) => endpointId)
        .filter((endpointId) => !failed.has(endpointId));
      if (next.length === 0) return;
      for (const endpointId of next) {
        if (isClosing()) return;
        await applyOne(endpointId).catch((err: unknown) => {
          failed.add(endpointId);
          logger.warn(
            { err, endpointId },
            'the change of an endpoint could not be applied to its deliveries; retrying',
          );
        });
      }
    }
  };
  const loop = startLoop({
    name: 'webhook-dispatcher.endpoint-changes',
    round: applyAll,
    pauseMs: () => pollIntervalMs,
    onFailure: (err) => logger.warn({ err }, 'changes of endpoints could not be applied to their deliveries; retrying'),
  });
  return {
    ...loop,
    applyFew: async (endpointId) => {
      try {
        // Usually the second batch finds nothing left, and ends it.
        if (await applyOne(endpointId)) await applyOne(endpointId);
      } catch (err) {
        logger.warn({ err, endpointId }, 'the change of an endpoint is applied to its deliveries in the background');
      }
    },
  };
}
