import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { type SettlingStorage, settleBatch } from './settle-endpoint.ts';

export interface Settling extends BackgroundLoop {
  /** Settles up to two batches at once, which is all for most endpoints; the background does the rest. Never rejects. */
  settleFew(endpointId: string): Promise<void>;
}

/** A change wakes every replica. Polling finds the changes of a replica that died before it could announce them. */
const pollIntervalMs = 1_000;
const endpointsMax = 1_000;
const unsettledStatement = statement(
  'endpoints-unsettled',
  `select endpoint_id from unsettled_endpoints order by changed_at, endpoint_id limit ${endpointsMax}`,
);

/**
 * Settles in the background the waiting deliveries of endpoints that were switched or removed. Endpoints take turns,
 * batch by batch, so that a million deliveries of one account delay no other account. The database holds what is left to
 * do, so another process continues where one died.
 */
export function startSettling(options: SettlingStorage & { readonly logger: Logger }): Settling {
  const { database, logger } = options;
  const settleOne = async (endpointId: string): Promise<boolean> => (await settleBatch(options, endpointId)) !== null;
  /** One whose batch fails waits for the next round, and holds up no other. */
  const settleAll = async (isClosing: () => boolean): Promise<void> => {
    const failed = new Set<string>();
    for (;;) {
      const { rows } = await database.pool.query<{ endpoint_id: string }>(unsettledStatement());
      const next = rows
        .map(({ endpoint_id: endpointId }) => endpointId)
        .filter((endpointId) => !failed.has(endpointId));
      if (next.length === 0) return;
      for (const endpointId of next) {
        if (isClosing()) return;
        await settleOne(endpointId).catch((err: unknown) => {
          failed.add(endpointId);
          logger.warn({ err, endpointId }, 'deliveries of a changed endpoint could not be settled; trying again');
        });
      }
    }
  };
  const loop = startLoop({
    round: settleAll,
    pauseMs: () => pollIntervalMs,
    onFailure: (err) => logger.warn({ err }, 'deliveries of changed endpoints could not be settled; trying again'),
  });
  return {
    ...loop,
    settleFew: async (endpointId) => {
      try {
        // Usually the second batch finds nothing left, and ends the settling.
        if (await settleOne(endpointId)) await settleOne(endpointId);
      } catch (err) {
        logger.warn({ err, endpointId }, 'deliveries of a changed endpoint are settled in the background');
      }
    },
  };
}
